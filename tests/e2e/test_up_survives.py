"""``parley up`` whose server and worker are killed: what is going on ends without anybody doing anything."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.fakes.accounts import per_call
from tests.fakes.installation import ROOT
from tests.fakes.server import free_port

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.long,
    pytest.mark.timeout(150),
    pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="zombies are counted in /proc, which Linux has"),
]

PARLEY = (sys.executable, "-m", "starter.cli")
LATENCY_MS = 1500
PATIENCE = 60.0


@dataclass(frozen=True)
class Up:
    """``parley up`` as a process, and what a second process of the same installation is told."""

    process: subprocess.Popen[bytes]
    variables: dict[str, str]
    rehearsal: str

    @property
    def home(self) -> Path:
        """Where it keeps everything."""
        return Path(self.variables["PARLEY_HOME"])

    @property
    def said(self) -> str:
        """What the person was told so far."""
        return (self.home / "said").read_text("utf-8")

    def arrivals(self) -> list[dict[str, Any]]:
        """Every request that a model got."""
        found: list[dict[str, Any]] = httpx.get(f"{self.rehearsal}/rehearsal/arrivals", trust_env=False).json()[
            "arrivals"
        ]
        return found

    def is_asked(self, stage: str) -> bool:
        """Whether some model is being asked for ``stage`` now."""
        return any(arrival["stage"] == stage and not arrival["finished"] for arrival in self.arrivals())

    def shown(self, deliberation_id: str) -> dict[str, Any]:
        """What a third process is told of a deliberation that is over."""
        command = [*PARLEY, "show", deliberation_id, "--json"]
        found: dict[str, Any] = json.loads(subprocess.check_output(command, cwd=ROOT, env=self.variables))
        return found

    def server(self) -> int:
        """The server's process id."""
        return int(json.loads((self.home / "server.json").read_text())["pid"])

    def worker(self) -> int:
        """The worker's process id."""
        return int((self.home / "worker.pid").read_text())


def until(is_so: Callable[[], bool]) -> None:
    """Wait for what other processes do."""
    ends = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < ends, "waited in vain"
        time.sleep(0.05)


def children(parent: int) -> dict[int, str]:
    """The state of every child of a process, ``Z`` for a zombie."""
    found = {}
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            # The name in the brackets may hold blanks and brackets of its own.
            state, its_parent, *_ = file.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(its_parent) == parent:
            found[int(file.parent.name)] = state
    return found


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    """``parley up --rehearse`` in a home and on ports of its own, with models that take their time."""
    home = tmp_path_factory.mktemp("up")
    ports = {f"PARLEY_{name}_PORT": str(free_port()) for name in ("SERVER", "UI", "CODEC", "REHEARSAL")}
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PARLEY_", "TEMPORAL_"))}
    variables = {**kept, **ports, "PARLEY_HOME": str(home), "PARLEY_GRACEFUL_SHUTDOWN_SECONDS": "5"}
    with (home / "said").open("wb") as said:
        process = subprocess.Popen([*PARLEY, "up", "--rehearse"], cwd=ROOT, env=variables, stdout=said, stderr=said)
    house = Up(process, variables, f"http://127.0.0.1:{ports['PARLEY_REHEARSAL_PORT']}")
    try:
        until(lambda: "Ready" in house.said or process.poll() is not None)
        assert process.poll() is None, house.said
        script = {"latency_ms": LATENCY_MS}
        httpx.post(f"{house.rehearsal}/rehearsal/script", json=script, trust_env=False).raise_for_status()
        yield house
    finally:
        process.terminate()
        process.wait(PATIENCE)


def test_a_killed_server_and_a_killed_worker_are_replaced(up: Up, capsys: pytest.CaptureFixture[str]) -> None:
    """The verdict arrives, no answer that the killed server was waiting for is asked again, and no zombie remains."""
    asked = subprocess.Popen(
        [*PARLEY, "council", "Why is the sky blue?", "--rehearse", "--id", "sky"],
        cwd=ROOT,
        env=up.variables,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    until(lambda: up.is_asked("opinion"))
    server, worker, killed_at = up.server(), up.worker(), time.monotonic()
    os.kill(server, signal.SIGKILL)
    until(lambda: "the Temporal server is there again" in up.said)
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
