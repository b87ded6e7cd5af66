"""``parley council --rehearse`` whole: real server, real worker, real rehearsal server, real processes."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.fakes.server import port_variables


def environment(home: Path) -> dict[str, str]:
    """An installation of its own on free ports."""
    ports = port_variables()
    return {**os.environ, **ports, "PARLEY_HOME": str(home)}


def parley(variables: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the program to its end."""
    command = [sys.executable, "-m", "starter.cli", *arguments]
    return subprocess.run(command, env=variables, capture_output=True, text=True, check=False, timeout=110)


@pytest.mark.e2e
@pytest.mark.timeout(240)
def test_rehearsed_council_ends_with_a_verdict_and_leaves_nothing_running(tmp_path: Path) -> None:
    """From nothing at all: one JSON document of the seed's structure, exit code 0, and every program stopped."""
    variables = environment(tmp_path / "home")
    done = parley(variables, "council", "Why is the sky blue?", "--rehearse", "--json", "--id", "sky")
    assert done.returncode == 0, done.stderr
    assert {"stage1", "stage2", "stage3", "metadata"} <= set(json.loads(done.stdout))
    assert not (tmp_path / "home" / "worker.pid").exists()


@pytest.mark.e2e
@pytest.mark.timeout(240)
@pytest.mark.long
def test_council_is_shown_again_afterwards(tmp_path: Path) -> None:
    """A later command finds what an earlier one held, watched without a worker; no id is used twice."""
    variables = environment(tmp_path / "home")
    parley(variables, "council", "Why?", "--rehearse", "--models", "a,b", "--chair", "a", "--id", "why")
    log = (tmp_path / "home" / "worker.log").read_bytes()
    shown, watched = (parley(variables, command, "why", "--json") for command in ("show", "watch"))
    assert (watched.returncode, watched.stdout, log) == (
        0,
        shown.stdout,
        (tmp_path / "home" / "worker.log").read_bytes(),
    )
    again = parley(variables, "council", "Why?", "--rehearse", "--models", "a,b", "--chair", "a", "--id", "why")
    assert json.loads(shown.stdout)["rehearsal"] is True
    assert (shown.returncode, again.returncode) == (0, 2)
    assert "parley show why" in again.stderr


@pytest.mark.long
@pytest.mark.e2e
@pytest.mark.timeout(240)
def test_up_replaces_a_dead_worker_and_ends_when_asked(tmp_path: Path) -> None:
    """A worker that is killed is replaced; SIGTERM ends ``parley up`` with 0 and its worker with it."""
    note = tmp_path / "home" / "worker.pid"
    up = subprocess.Popen(
        [sys.executable, "-m", "starter.cli", "up"], env=environment(tmp_path / "home"), stderr=subprocess.DEVNULL
    )
    try:
        first = worker_after(note, 0)
        os.kill(first, signal.SIGKILL)
        second = worker_after(note, first)
        up.terminate()
        assert up.wait(60) == 0
        with pytest.raises(ProcessLookupError):
            os.kill(second, 0)
    finally:
        up.kill()


def worker_after(note: Path, dead: int) -> int:
    """The process id of the worker that came after ``dead``."""
    for _ in range(600):
        if note.exists() and (pid := int(note.read_text() or dead)) != dead:
            return pid
        time.sleep(0.1)
    raise AssertionError("no worker came")
