"""The wheel as a user installs it, beside modules of the user's own that have the names of our packages."""

import ast
import os
import subprocess
import sys
import sysconfig
import zipfile
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import pytest

import parley
from deploy.build_wheel import add, changed
from tests.fakes.server import port_variables
from tests.repository.sources import PACKAGES, ROOT, listed, modules, shown

PACKED = [place for place in PACKAGES if place not in {"bench", "deploy"}]
PUBLIC = [name for name in dir(parley) if not name.startswith("_")]
TYPED = """
from parley import CouncilResult, Parley

async def verdict(parley: Parley) -> CouncilResult:
    reveal_type(await parley.council("Why?"))
    parley.nonsense()
    return await parley.council("Why?")
"""
NAMES = {place.removesuffix(".py") for place in PACKED} - {"parley"}


@dataclass(frozen=True)
class Installed:
    """An environment with the wheel, and a user's folder."""

    environment: Path
    folder: Path

    def run(self, program: str, *arguments: str, home: Path, timeout: float = 120) -> subprocess.CompletedProcess[str]:
        """Run a program of the environment in the folder; Temporal's own program is found on the path."""
        beside = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
        variables = {**os.environ, **port_variables(), "PARLEY_HOME": str(home), "PATH": beside}
        command = [str(self.environment / "bin" / program), *arguments]
        return subprocess.run(
            command, cwd=self.folder, env=variables, capture_output=True, text=True, check=False, timeout=timeout
        )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from this checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel in an environment that sees the pinned packages and not this checkout."""
    folder, environment = tmp_path_factory.mktemp("project"), tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True, capture_output=True)
    (packages,) = environment.glob("lib/python*/site-packages")
    (packages / "pins.pth").write_text(sysconfig.get_path("purelib") + "\n")
    pip = [sys.executable, "-m", "pip", "--python", str(environment / "bin" / "python"), "install", "-q"]
    subprocess.run([*pip, "--no-deps", "--no-index", str(wheel)], check=True, capture_output=True)
    for name in NAMES:
        (folder / f"{name}.py").write_text(f"raise ImportError('this is the user\\'s {name}.py')\n")
    return Installed(environment, folder)


def test_the_wheel_holds_every_file_below_parley(wheel: Path) -> None:
    """Modules and whatever they read beside them (panels, texts, styles) are installed, all of it below one name."""
    with zipfile.ZipFile(wheel) as built:
        held = {name for name in built.namelist() if ".dist-info/" not in name}
    sources = [path for place in PACKED for path in [ROOT / place, *(ROOT / place).rglob("*")] if path.is_file()]
    expected = {path.relative_to(ROOT).as_posix() for path in sources if "__pycache__" not in path.parts}

    assert held == {name if name.startswith("parley/") else f"parley/{name}" for name in expected}


def test_no_module_is_named_by_a_text() -> None:
    """A text with a module's full name holds in a checkout only; ``own_module`` and ``__package__`` hold in both.

    A file that imports ``own_module``, or ``starter.commands.groups``, which calls it, may name modules.
    """
    known = {shown(path).removesuffix(".py").removesuffix("/__init__").replace("/", ".") for path in modules(*PACKED)}
    texts = {path: path.read_text("utf-8") for path in modules(*PACKED)}
    found = [
        f"{shown(path)}:{node.lineno} {node.value}"
        for path, text in texts.items()
        if "own_module" not in text and "starter.commands.groups" not in text
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if "." in (name := node.value.partition(":")[0]) and name in known
    ]

    assert not found, listed(found)


def test_imports_get_the_prefix_and_nothing_else_does() -> None:
    """Only absolute imports of the packed packages are changed, at any depth, also behind characters of many bytes."""
    text = 'x = "ä"; from workflows.a import b\ndef f():\n    import activities.c as c, os\n'
    text += "# from workflows import d\nfrom workflows_of_mine import e\nfrom .workflows import g\n"
    prefixed = text.replace("from workflows.a", "from parley.workflows.a", 1)
    prefixed = prefixed.replace("import activities.c", "import parley.activities.c", 1)

    assert changed(text, {"workflows", "activities"}, "some.py") == prefixed


def test_an_import_that_binds_the_name_itself_stops_the_build() -> None:
    """``import workflows`` would bind ``parley`` after the change, so the build says how to write it."""
    with pytest.raises(ValueError, match=r"some\.py:2: write .* `import workflows\.a as"):
        changed("import os\nimport workflows.a\n", {"workflows"}, "some.py")


def test_a_module_of_the_package_is_never_replaced(tmp_path: Path) -> None:
    """A module of ``parley`` with the name of a packed package stops the build."""
    (tmp_path / "studies.py").touch()

    with pytest.raises(FileExistsError, match="studies"):
        add(ROOT / "studies", tmp_path)


@pytest.mark.long
@pytest.mark.timeout(120)
def test_every_public_name_is_imported_beside_modules_of_the_same_names(installed: Installed, tmp_path: Path) -> None:
    """A folder with its own ``workflows.py`` and so on imports all public names, and finds its own modules."""
    names = f"from parley import {', '.join(PUBLIC)}; import parley; print(parley.__version__, Parley.__module__)"
    done = installed.run("python", "-c", names, home=tmp_path)
    own = installed.run("python", "-c", "import workflows", home=tmp_path)

    assert {"Parley", "CouncilResult", "RequestError", "CouncilOptions", "PromptGuard", "Study"} <= set(PUBLIC)
    assert done.stdout == "0.1.0 parley.client\n", done.stderr
    assert "this is the user's workflows.py" in own.stderr


def test_a_public_name_is_what_the_type_checker_sees() -> None:
    """A name is listed under itself, and the list is what the package offers."""
    stub = ast.parse((ROOT / "parley" / "__init__.pyi").read_text("utf-8"))
    aliases = [alias for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names]

    assert [alias.name for alias in aliases] == [alias.asname for alias in aliases]
    assert dir(parley) == sorted(["__version__", *PUBLIC])
    assert import_module("parley").__all__ == PUBLIC
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = parley.nonsense  # type: ignore[attr-defined]  # the type checker sees it, too


@pytest.mark.long
@pytest.mark.e2e
@pytest.mark.timeout(240)
def test_a_council_is_rehearsed_beside_modules_of_the_same_names(installed: Installed, tmp_path: Path) -> None:
    """Server, worker, reader process and scripted models of the installed wheel run a council to its verdict."""
    version = installed.run("parley", "--version", home=tmp_path)
    done = installed.run("parley", "council", "Why is the sky blue?", "--rehearse", "--json", home=tmp_path)

    assert version.stdout == "parley, version 0.1.0\n"
    assert (done.returncode, '"stage3"' in done.stdout) == (0, True), done.stderr


@pytest.mark.long
@pytest.mark.timeout(240)
def test_a_users_file_is_checked_against_the_wheels_types(installed: Installed, tmp_path: Path) -> None:
    """A type checker sees the types of the public names: ``py.typed`` is installed."""
    file = tmp_path / "typed.py"
    file.write_text(TYPED)
    python = str(installed.environment / "bin" / "python")
    command = [sys.executable, "-m", "mypy", "--strict", "--python-executable", python, "--cache-dir", os.devnull]
    done = subprocess.run([*command, str(file)], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=200)

    assert 'Revealed type is "parley.protocols.council.' in done.stdout
    assert '"Parley" has no attribute "nonsense"' in done.stdout
    assert "Found 1 error" in done.stdout
