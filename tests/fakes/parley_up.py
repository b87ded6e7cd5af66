"""Real ``parley`` commands as processes of one installation, to be stopped and killed."""

import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from tests.fakes.programs import PARLEY, Program, run_program, start_program
from tests.fakes.server import port_variables

PATIENCE = 60.0


@dataclass(frozen=True)
class Up:
    """``parley up`` as a process, and the environment of a second process of the same installation."""

    process: Program
    variables: dict[str, str]
    rehearsal: str
    file: str = "said"
    """In the home: what it prints."""

    @property
    def home(self) -> Path:
        """Where it keeps everything."""
        return Path(self.variables["PARLEY_HOME"])

    @property
    def said(self) -> str:
        """What the person was given so far."""
        return (self.home / self.file).read_text("utf-8")

    def slow_down(self, latency_ms: int) -> None:
        """Have every model take so long for each answer."""
        script = {"latency_ms": latency_ms}
        httpx.post(f"{self.rehearsal}/rehearsal/script", json=script, trust_env=False).raise_for_status()

    def end(self) -> int:
        """Ask it to end and wait until it has; its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.terminate()
        return self.process.wait(PATIENCE)

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
        """What a third process learns of a deliberation that has ended."""
        done = run_program([PARLEY, "show", deliberation_id, "--json"], self.variables)
        found: dict[str, Any] = json.loads(done.stdout)
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


def variables_in(home: Path) -> dict[str, str]:
    """An environment for commands in ``home``, on ports of their own."""
    ports = port_variables()
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PARLEY_", "TEMPORAL_"))}
    return {**kept, **ports, "PARLEY_HOME": str(home), "PARLEY_GRACEFUL_SHUTDOWN_SECONDS": "5"}


def begin(variables: dict[str, str], *arguments: str, said: str) -> Up:
    """Start ``parley`` with ``arguments``; what it prints is in the file ``said`` in its home."""
    process = start_program([PARLEY, *arguments], variables, Path(variables["PARLEY_HOME"]) / said)
    return Up(process, variables, f"http://127.0.0.1:{variables['PARLEY_REHEARSAL_PORT']}", said)


@contextmanager
def running_up(home: Path, latency_ms: int, **extra: str) -> Iterator[Up]:
    """``parley up --rehearse`` with models that take ``latency_ms``, until the block ends."""
    up = begin({**variables_in(home), **extra}, "up", "--rehearse", said="said")
    try:
        until(lambda: "Ready" in up.said or up.process.poll() is not None)
        assert up.process.poll() is None, up.said
        up.slow_down(latency_ms)
        yield up
    finally:
        up.end()
