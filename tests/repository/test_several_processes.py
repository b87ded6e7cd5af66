"""Running tests in several processes: nothing is lost, neither a failure nor a process."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

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
        folder = tmp_path_factory.mktemp("once", numbered=False)
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

ENDLESS = """
    import os, pathlib, time

    def test_that_never_ends():
        pathlib.Path(os.environ["ENDED"] + str(os.getpid())).touch()
        time.sleep(1000)
"""


def start(folder: Path, **files: str) -> subprocess.Popen[str]:
    """Pytest in two processes with those files of tests, and in a group of its own."""
    for name, text in {"conftest": CONFTEST, **files}.items():
        (folder / f"{name}.py").write_text(re.sub(r"^ {4}", "", text, flags=re.MULTILINE), encoding="utf-8")
    return subprocess.Popen(
        [sys.executable, "-m", "pytest", "-q", "-c", "/dev/null", "--rootdir", str(folder), str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "HOME": str(folder), "ENDED": str(folder / "ended")},
        start_new_session=True,
    )


def run(folder: Path, **files: str) -> tuple[int, str]:
    """The exit code and the output of pytest with those files of tests."""
    with start(folder, **files) as running:
        output = running.communicate()[0]
    return running.returncode, output


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


def test_an_interrupt_ends_every_process(tmp_path: Path) -> None:
    """A user interrupts all processes at once: none is left, and none but the first writes to the screen."""
    with start(tmp_path, test_a=ENDLESS, test_b=ENDLESS) as running:
        while len(list(tmp_path.glob("ended*"))) < 2:
            time.sleep(0.02)
        os.killpg(running.pid, signal.SIGINT)
        output = running.communicate()[0]
    assert 2 == running.returncode
    assert "no tests ran" in output, output
    assert "Traceback" not in output, output
    with pytest.raises(ProcessLookupError):
        os.killpg(running.pid, 0)
