"""Running tests in several processes: nothing is lost, neither a failure nor a process."""

import re
import subprocess
import sys
from pathlib import Path

from tests.repository.sources import ROOT

CONFTEST = """
    from tests.several_processes import SeveralProcesses

    def pytest_configure(config):
        config.pluginmanager.register(SeveralProcesses(2))
"""
ORDINARY = """
    import os, pytest

    @pytest.fixture(scope="session")
    def once(tmp_path_factory):
        folder = tmp_path_factory.mktemp("once")
        yield folder
        print("ended", file=open(os.environ["ENDED"], "a"))

    @pytest.mark.parametrize("number", range(3))
    def test_a_fixture(once, number):
        (once / str(number)).mkdir()

    def test_that_fails(capfd):
        os.system("echo captured")
        assert capfd.readouterr().out == "other"
"""
KILLED = """
    import os, signal

    def test_before(): pass

    def test_that_is_killed():
        os.kill(os.getpid(), signal.SIGKILL)

    def test_after(): pass
"""


def run(folder: Path, **files: str) -> tuple[int, str]:
    """The exit code and the output of pytest in two processes with those files of tests."""
    for name, text in {"conftest": CONFTEST, **files}.items():
        (folder / f"{name}.py").write_text(re.sub(r"^ {4}", "", text, flags=re.MULTILINE), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-c", "/dev/null", "--rootdir", str(folder), str(folder)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "HOME": str(folder), "ENDED": str(folder / "ended")},
    )
    return done.returncode, done.stdout + done.stderr


def test_every_test_is_run_and_reported(tmp_path: Path) -> None:
    """Each process sets its session up and ends it once; a failure is reported with its reason and its output."""
    code, output = run(tmp_path, test_a=ORDINARY, test_b=ORDINARY)
    assert (1, True) == (code, "2 failed, 6 passed" in output), output
    assert 2 == output.count("AssertionError: assert 'captured\\n' == 'other'"), output
    assert ["ended", "ended"] == (tmp_path / "ended").read_text(encoding="utf-8").split()


def test_a_killed_process_fails_its_test_and_the_run(tmp_path: Path) -> None:
    """The test in which a process was killed has failed, those after it are counted, and other files are run."""
    code, output = run(tmp_path, test_a=KILLED, test_b=ORDINARY)
    assert 1 == code
    assert re.search(r"_ test_that_is_killed _+\nthe process ended in this test .* exit code -9", output), output
    assert "1 tests did not run: their process ended before them" in output, output
    assert "2 failed, 4 passed" in output, output
