"""What is installed without any extra is enough for a worker and for the Python API."""

import json
import subprocess
import sys

import pytest

EXTRA = ("click", "rich", "krippendorff", "numpy", "openpyxl", "pyarrow", "scipy", "yaml")
BLOCKED = f"""
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {EXTRA!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Missing())
"""


def test_a_worker_and_the_api_need_no_extra() -> None:
    """The command line's, the rehearsal's and the studies' libraries are not imported by a worker or the API."""
    only = BLOCKED + "from parley import Parley\nimport parley.session\nimport worker"
    done = subprocess.run([sys.executable, "-c", only], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("module", "arguments", "extra"),
    [("click", ["--help"], "cli"), ("scipy", ["compare", "night"], "studies")],
)
def test_a_command_without_its_extra_states_what_to_install(module: str, arguments: list[str], extra: str) -> None:
    """One sentence on standard error names the package and the extra, and the exit code is that of a usage error."""
    only = BLOCKED.replace(repr(EXTRA), repr((module,)))
    code = f"sys.argv[1:] = {json.dumps(arguments)}\nfrom starter.program import main\nmain()"
    done = subprocess.run([sys.executable, "-c", only + code], capture_output=True, text=True, check=False)

    assert done.returncode == 2
    assert done.stderr == (
        f"parley: {module} is not installed. Install it with: pip install 'parley-deliberation[{extra}]'\n"
    )
