"""Commands that own the server or the worker and end, and workers that hang: the others continue."""

import os
import signal
from pathlib import Path

import pytest

from runtime.processes import is_working
from tests.fakes.parley_up import Up, begin, running_up, until, variables_in

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.long,
    pytest.mark.timeout(240),
    pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the state of processes is read in /proc"),
]

LATENCY_MS = 1500
LONG_MS = 8000
"""Longer than a worker that is left alone waits for its calls, so that none of them ends a council."""
COUNCIL = ("--rehearse", "--models", "a,b,c", "--chair", "a")


def council(up: Up, name: str, *more: str) -> Up:
    """A council of the same installation, in a process of its own."""
    return begin(up.variables, "council", f"Why is the {name} blue?", *COUNCIL, "--id", name, *more, said=name)


def first_owner(home: Path) -> Up:
    """A council that starts server, rehearsal server and worker for itself, and is being answered slowly."""
    owner = begin(variables_in(home), "council", "Why is the sea blue?", *COUNCIL, "--id", "sea", said="sea")
    until((owner.home / "worker.pid").exists)
    owner.slow_down(LONG_MS)
    return owner


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL], ids=["asked to end", "killed"])
def test_the_command_that_is_left_takes_over(tmp_path: Path, how: signal.Signals) -> None:
    """When the owner of server, worker and models ends, another command's council ends with a verdict all the same."""
    owner = first_owner(tmp_path / "home")
    left = council(owner, "sky")
    try:
        until(lambda: "deliberation sky" in left.said)
        server = owner.server()
        owner.process.send_signal(how)
        owner.process.wait(60)
        code = left.process.wait(120)
    finally:
        owner.process.kill()
        left.end()

    assert (0, "verdict") == (code, left.shown("sky")["stop_reason"]), left.said
    assert left.said.count("worker of another command has ended") == 1
    assert "starting the server again" not in left.said
    assert not is_working(server)


def test_a_stopped_worker_is_replaced(tmp_path: Path) -> None:
    """A worker that a signal has stopped is ended and another one continues; the council has its verdict."""
    with running_up(tmp_path / "home", LATENCY_MS, PARLEY_WORKER_SILENCE_SECONDS="3") as up:
        asked = council(up, "sky")
        until(lambda: up.is_asked("opinion"))
        stopped = up.worker()
        os.kill(stopped, signal.SIGSTOP)
        code = asked.process.wait(120)

        assert (0, "verdict") == (code, up.shown("sky")["stop_reason"]), up.said
        assert "it did not answer for 3 s" in up.said
        assert stopped != up.worker()
        assert not is_working(stopped)
