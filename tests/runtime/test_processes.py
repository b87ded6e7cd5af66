"""Which process an id names."""

import os
import platform
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from runtime.file_locks import PidFile, remove_stale, running_process
from runtime.processes import ProcessName, is_traced, is_working, own_name, parse_name

HAS_PROC = Path("/proc/self/stat").exists()


def test_a_name_is_read_as_it_was_written() -> None:
    """The identity that a process gives to Temporal names the process again, and its machine."""
    assert own_name() == parse_name(str(own_name()))
    assert ProcessName(7, "", "lab") == parse_name("parley-7@lab")
    assert own_name().is_here
    assert parse_name("somebody else") is None


@pytest.mark.skipif(not HAS_PROC, reason="the start time of a process is read in /proc")
def test_an_id_that_was_given_to_another_process_is_not_trusted() -> None:
    """A process that runs under the id but started at another time is not the one that was meant."""
    assert is_working(os.getpid(), own_name().started)
    assert not is_working(os.getpid(), "1")
    assert platform.node() == own_name().machine


@pytest.mark.skipif(not HAS_PROC, reason="the state of a process is read in /proc")
def test_a_stopped_process_does_not_work() -> None:
    """A process that a signal has stopped, or that is dead, does not count as working; none of it is debugged."""
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        assert is_working(child.pid)
        os.kill(child.pid, signal.SIGSTOP)
        os.waitpid(child.pid, os.WUNTRACED)
        assert not is_working(child.pid)
        assert not is_traced(child.pid)
    finally:
        child.kill()
        child.communicate()
    assert not is_working(child.pid)


def test_a_file_without_its_lock_names_nobody(tmp_path: Path) -> None:
    """A pid file counts while its process holds it; a stale one, whatever it names, is removed."""
    path = tmp_path / "worker.pid"
    path.write_text(f"{os.getpid()}\n")
    assert running_process(path) is None
    remove_stale(path)
    assert not path.exists()

    held = PidFile(path)
    assert held.write()
    assert os.getpid() == running_process(path)
    assert not PidFile(path).write()
    remove_stale(path)
    assert path.exists()

    held.remove()
    assert not path.exists()
    assert running_process(path) is None
