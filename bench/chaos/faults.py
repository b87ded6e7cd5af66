"""The faults of a chaos run: a table, and two players that go through it in shuffled order.

A fault of the processes (or the disk) and one of the providers may be on at the same time; two of one kind never.
"""

import asyncio
import random
import signal
import sqlite3
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from bench.chaos.processes import Processes

Play = Callable[[Processes, float], Awaitable[None]]
"""Play a fault for so many seconds."""
_WINDOW = (10.0, 20.0)
_KILL = (0.0, 0.0)


@dataclass(frozen=True)
class Fault:
    """One kind of fault."""

    name: str
    seconds: tuple[float, float]
    """Shortest and longest time that it is on; a kill takes none."""
    play: Play
    victim: str = ""
    """The process that loses what it has in flight."""


@dataclass
class Played:
    """One fault that was on."""

    name: str
    victim: str
    began: float
    ended: float = 0.0
    written: frozenset[str] = frozenset()
    """The keys of the calls whose answers were written down when it had ended."""
    recovered: float | None = None
    """Seconds from its end until the next deliberation was written down."""


async def play_all(
    processes: Processes,
    faults: Sequence[Fault],
    record: list[Played],
    written: Callable[[], Awaitable[frozenset[str]]],
    *,
    rng: random.Random,
    gap: tuple[float, float],
) -> None:
    """Play ``faults`` in shuffled rounds until cancelled; a fault that is on is taken off first.

    Args:
        processes: What they hit.
        faults: What can be played.
        record: Where they are noted, in the order of their begin.
        written: Reads the keys of the answers that are written down.
        rng: Draws the order, lengths and gaps.
        gap: Shortest and longest seconds between two of them.
    """
    while True:
        for fault in rng.sample(faults, len(faults)):
            await asyncio.sleep(rng.uniform(*gap))
            played = Played(fault.name, fault.victim, time.monotonic())
            record.append(played)
            try:
                await _to_its_end(fault.play(processes, rng.uniform(*fault.seconds)))
            finally:
                played.ended = time.monotonic()
            if fault.victim == "worker":
                played.written = await written()


async def _to_its_end(play: Awaitable[None]) -> None:
    """Await ``play`` also when this task is cancelled meanwhile: a fault that stays on would never end."""
    playing = asyncio.ensure_future(play)
    try:
        await asyncio.shield(playing)
    except asyncio.CancelledError:
        await playing
        raise


def _killing(name: str) -> Play:
    async def play(processes: Processes, _: float) -> None:
        processes.send(name, signal.SIGKILL)

    return play


def _stopping(name: str) -> Play:
    async def play(processes: Processes, seconds: float) -> None:
        if processes.send(name, signal.SIGSTOP) is None:
            return
        await asyncio.sleep(seconds)
        processes.send(name, signal.SIGCONT)

    return play


def _of_models(fault: str, arguments: Mapping[str, float] | None = None) -> Play:
    async def play(processes: Processes, seconds: float) -> None:
        await processes.control_models("POST", "faults", [{"fault": fault, "args": dict(arguments or {})}])
        try:
            await asyncio.sleep(seconds)
        finally:
            await processes.control_models("DELETE", "faults")

    return play


async def _lock_ledger(processes: Processes, seconds: float) -> None:
    await asyncio.to_thread(_locked, str(processes.settings.home / "parley.db"), seconds)


def _locked(path: str, seconds: float) -> None:
    connection = sqlite3.connect(path, timeout=30, isolation_level=None)
    try:
        connection.execute("BEGIN IMMEDIATE")
        time.sleep(seconds)
        connection.execute("ROLLBACK")
    finally:
        connection.close()


async def _fill_disk(processes: Processes, seconds: float) -> None:
    ballast = processes.settings.home / "ballast"
    await asyncio.to_thread(_filled, str(ballast))
    try:
        await asyncio.sleep(seconds)
    finally:
        ballast.unlink()


def _filled(path: str) -> None:
    """Write until nothing more fits."""
    with open(path, "wb", buffering=0) as file:  # noqa: PTH123 - unbuffered, so that the end is exact
        for size in (1_000_000, 4096):
            try:
                while file.write(b"\0" * size) == size:
                    pass
            except OSError:
                continue


PROCESS_FAULTS = (
    Fault("worker killed", _KILL, _killing("worker"), "worker"),
    Fault("worker stopped", (4.0, 10.0), _stopping("worker"), "worker"),
    Fault("server killed", _KILL, _killing("server")),
    Fault("server stopped", (4.0, 10.0), _stopping("server")),
    Fault("parley up killed", _KILL, _killing("up"), "worker"),
    Fault("ledger locked", (6.0, 10.0), _lock_ledger),
)
DISK_FAULT = Fault("disk full", (6.0, 10.0), _fill_disk)
"""Played only where the home is a file system of its own."""
MODEL_FAULTS = (
    Fault("provider: 500", _WINDOW, _of_models("500-masked")),
    Fault("provider: 429", _WINDOW, _of_models("429-retry-after")),
    Fault("provider: stalls", _WINDOW, _of_models("stall", {"seconds": 20.0})),
    Fault("provider: HTML", _WINDOW, _of_models("html-200")),
    Fault("provider: redirects", _WINDOW, _of_models("redirect")),
)
