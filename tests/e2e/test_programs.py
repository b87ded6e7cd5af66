"""The programs that tests start are processes like those that ``python -m`` starts."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests.fakes.parley_up import until
from tests.fakes.programs import PARLEY, Program, run_program, start_program
from tests.fakes.server import port_variables

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.timeout(60)]


def rehearsing(home: Path) -> Program:
    """Scripted models that answer."""
    ready = home / "ready"
    program = start_program(["rehearsal", "--port", "0", "--ready-file", str(ready)], os.environ, home / "out")
    until(ready.exists)
    return program


def test_it_has_its_own_exit_code_and_output() -> None:
    """What it prints and what it reports are apart, and its exit code is the program's."""
    well, badly = run_program([PARLEY, "--version"], os.environ), run_program([PARLEY, "nonsense"], os.environ)

    assert (0, "") == (well.returncode, well.stderr)
    assert well.stdout.startswith("parley, version ")
    assert (2, "") == (badly.returncode, badly.stdout)
    assert "No such command 'nonsense'" in badly.stderr


def test_it_has_its_own_environment_and_directory(tmp_path: Path) -> None:
    """It has the variables it was given and no others, and runs in the given directory."""
    done = run_program([PARLEY, "list", "--json"], {"PARLEY_HOME": "here", **port_variables()}, tmp_path)

    assert (0, True) == (done.returncode, (tmp_path / "here").is_dir()), done.stderr


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGKILL, -9)])
def test_it_is_asked_to_end_or_killed(number: signal.Signals, code: int, tmp_path: Path) -> None:
    """A signal reaches the process itself, and its exit code says how it ended."""
    program = rehearsing(tmp_path)
    with pytest.raises(subprocess.TimeoutExpired):
        program.wait(0.1)
    os.kill(program.pid, number)

    assert code == program.wait(20)
    assert not Path(f"/proc/{program.pid}").exists()


@pytest.mark.skipif(not Path("/proc").exists(), reason="threads are counted in /proc")
def test_no_thread_is_left_behind_by_the_fork(tmp_path: Path) -> None:
    """What it is forked from has one thread: a lock that another held would stay locked in the copy."""
    program = rehearsing(tmp_path)
    parent = Path(f"/proc/{program.pid}/stat").read_text().rpartition(")")[2].split()[1]
    program.terminate()

    assert 1 == len(list(Path(f"/proc/{parent}/task").iterdir()))
