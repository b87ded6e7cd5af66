"""``parley up`` whose server and worker are killed: what runs ends without further commands."""

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.accounts import per_call
from tests.fakes.parley_up import PATIENCE, Up, children, running_up, until
from tests.fakes.programs import PARLEY, start_program

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.long,
    pytest.mark.timeout(150),
    pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="zombies are counted in /proc, which Linux has"),
]

LATENCY_MS = 1500


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    """``parley up --rehearse`` in a home and on ports of its own, with models that take their time."""
    with running_up(tmp_path_factory.mktemp("up"), LATENCY_MS) as running:
        yield running


def test_a_killed_server_and_a_killed_worker_are_replaced(up: Up, capsys: pytest.CaptureFixture[str]) -> None:
    """The verdict arrives, no answer that the killed server was waiting for is asked again, and no zombie remains."""
    command = [PARLEY, "council", "Why is the sky blue?", "--rehearse", "--id", "sky"]
    asked = start_program(command, up.variables, up.home / "asked")
    until(lambda: up.is_asked("opinion"))
    server, worker, killed_at = up.server(), up.worker(), time.monotonic()
    os.kill(server, signal.SIGKILL)
    until(lambda: "the Temporal server answers again" in up.said)
    away = time.monotonic() - killed_at
    until(lambda: up.is_asked("review"))
    os.kill(worker, signal.SIGKILL)
    code = asked.wait(PATIENCE)
    arrivals = up.arrivals()
    with capsys.disabled():
        print(f"\n  server away for {away:.1f} s; {len(per_call(arrivals))} calls, {len(arrivals)} arrivals")

    assert (0, "verdict") == (code, up.shown("sky")["stop_reason"]), up.said
    assert {1} == set(per_call([a for a in arrivals if a["stage"] == "opinion"]).values())
    assert server != up.server()
    assert worker != up.worker()
    assert not {server, worker} & set(children(up.process.pid))
    assert "Z" not in children(up.process.pid).values()


def test_the_end_of_all_is_no_death(up: Up) -> None:
    """Asked to end, it stops its server and worker in order, starts nothing again and leaves nothing behind."""
    server, before = up.server(), up.said
    up.process.terminate()

    assert 0 == up.process.wait(PATIENCE)
    assert "started" not in up.said.removeprefix(before)
    assert "starting" not in up.said.removeprefix(before)
    assert not Path(f"/proc/{server}").exists()
