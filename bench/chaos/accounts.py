"""The results of a chaos run as tables: deliberations, rows, repeated calls, recovery times and memory."""

import asyncio
import statistics
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Row, Select, func, select

from bench.chaos.faults import Played
from bench.chaos.processes import Processes
from bench.process_figures import memory
from bench.program import table
from ledger.store import Store
from ledger.store_errors import StoreError
from ledger.tables import CALLS, DELIBERATIONS
from runtime.settings import Settings

_STEP = 0.25
_JUST_BEFORE = 0.5
"""Seconds: an answer on the wire so shortly before a kill may not have been written down yet."""
_MEMORY_EVERY = 20


@dataclass
class Observed:
    """The observations during the run."""

    rows: list[tuple[float, int]] = field(default_factory=list)
    """Moments at which the number of rows in the ledger grew, with that number."""
    memory: dict[str, float] = field(default_factory=dict)
    """Megabytes that each process had at the most."""


@dataclass(frozen=True)
class Accounts:
    """The counts at the end."""

    started: int
    statuses: Mapping[str, int]
    """Workflow status to number of deliberations."""
    rows: int
    missing: Sequence[str]
    """Ids that were started and have no row."""
    failed: int
    """Rows without a verdict."""
    degraded: int
    """Rows with a verdict in which a call was lost."""
    calls: int
    arrivals: int
    in_flight_again: int
    """Arrivals of a call that a killed or stopped worker had in flight or had not written down."""
    answered_again: int
    """Arrivals of a call whose answer was written down before: each is a defect."""


async def observe(processes: Processes, observed: Observed) -> None:
    """Note rows and memory until cancelled; a ledger that is locked is looked at again."""
    step = 0
    while True:
        rows = await count_rows(processes)
        if rows is not None and (not observed.rows or rows > observed.rows[-1][1]):
            observed.rows.append((time.monotonic(), rows))
        if step % _MEMORY_EVERY == 0:
            _note_memory(processes, observed)
        step += 1
        await asyncio.sleep(_STEP)


async def count_rows(processes: Processes) -> int | None:
    """Return the number of deliberations in the ledger; ``None`` when it cannot be read now."""
    try:
        return int((await ledger_rows(processes.settings, select(func.count()).select_from(DELIBERATIONS)))[0][0])
    except StoreError:
        return None


async def written_calls(processes: Processes) -> frozenset[str]:
    """Return the keys of all calls whose answers are in the ledger."""
    try:
        return frozenset(row[0] for row in await ledger_rows(processes.settings, select(CALLS.c.key)))
    except StoreError:
        return frozenset()


async def ledger_rows(settings: Settings, wanted: Select[Any]) -> Sequence[Row[Any]]:
    """Return the rows ``wanted`` of the ledger, by a connection of their own.

    Raises:
        StoreError: the ledger cannot be read now.
    """
    store = Store(settings.database_url, read_only=True)
    try:
        return await store.rows(wanted)
    finally:
        await store.close()


def note_recoveries(played: Iterable[Played], observed: Observed) -> None:
    """Set the recovery time of each fault: from its end to the next row of the ledger."""
    for one in played:
        after = [moment for moment, _ in observed.rows if moment > one.ended]
        one.recovered = after[0] - one.ended if after else None


async def count(
    processes: Processes, ids: Sequence[str], statuses: Mapping[str, int], played: Sequence[Played]
) -> Accounts:
    """Compare the ledger and the provider's log with the started deliberations."""
    wanted = select(DELIBERATIONS.c.id, DELIBERATIONS.c.verdict, DELIBERATIONS.c.degraded)
    found = await ledger_rows(processes.settings, wanted)
    rows = {row.id for row in found}
    arrivals = (await processes.control_models("GET", "arrivals"))["arrivals"]
    excused, answered = repeated(arrivals, played)
    return Accounts(
        started=len(ids),
        statuses=statuses,
        rows=len(found),
        missing=[one for one in ids if one not in rows],
        failed=sum(row.verdict is None for row in found),
        degraded=sum(row.verdict is not None and bool(row.degraded) for row in found),
        calls=len({arrival["key"] for arrival in arrivals}),
        arrivals=len(arrivals),
        in_flight_again=excused,
        answered_again=answered,
    )


def repeated(arrivals: Iterable[Mapping[str, Any]], played: Sequence[Played]) -> tuple[int, int]:
    """Count arrivals of calls that were answered before: those excused by a worker's fault, and the others.

    A fault of a worker is an excuse when the answer was pending while the fault was on, or just before, and was not
    written down afterwards.
    """
    answered: dict[str, list[Mapping[str, Any]]] = {}
    excused = needless = 0
    for arrival in arrivals:
        earlier = [one for one in answered.get(arrival["key"], []) if one["finished_at"] + _JUST_BEFORE < arrival["at"]]
        if earlier:
            is_excused = all(any(_took_away(fault, one) for fault in played) for one in earlier)
            excused, needless = excused + is_excused, needless + (not is_excused)
        if arrival["outcome"] == "answered":
            answered.setdefault(arrival["key"], []).append(arrival)
    return excused, needless


def _took_away(fault: Played, arrival: Mapping[str, Any]) -> bool:
    is_on = arrival["at"] - _JUST_BEFORE <= fault.ended and fault.began <= arrival["finished_at"] + _JUST_BEFORE
    return fault.victim == "worker" and is_on and arrival["key"] not in fault.written


def _note_memory(processes: Processes, observed: Observed) -> None:
    for name in ("up", "worker", "server"):
        pid = processes.pid(name)
        if pid is None:
            continue
        try:
            most, _ = memory(pid)
        except (OSError, KeyError):
            continue
        observed.memory[name] = max(most, observed.memory.get(name, 0.0))


def show(accounts: Accounts, played: Sequence[Played], observed: Observed, left: Sequence[str], restarts: int) -> None:
    """Print the tables."""
    print(f"\n{table(('', 'counted'), _lines(accounts, observed, left, restarts))}\n")
    kinds = sorted(Counter(one.name for one in played).items())
    rows = ((name, times, *_recovery(one.recovered for one in played if one.name == name)) for name, times in kinds)
    print(table(("fault", "times", "recovery, median s", "longest s"), rows))
    print("\nRecovery: from the end of the fault to the next deliberation that is written down.")
    for one in accounts.missing[:10]:
        print(f"without a row: {one}")


def _recovery(seconds: Iterable[float | None]) -> tuple[str, str]:
    known = [one for one in seconds if one is not None]
    return (f"{statistics.median(known):.1f}", f"{max(known):.1f}") if known else ("–", "–")


def _lines(
    accounts: Accounts, observed: Observed, left: Sequence[str], restarts: int
) -> Iterable[tuple[str, str | int]]:
    yield "deliberations started", accounts.started
    yield "by status", ", ".join(f"{name} {number}" for name, number in sorted(accounts.statuses.items()))
    yield "rows in the ledger", accounts.rows
    yield "started without a row", len(accounts.missing)
    yield "failed (no verdict)", accounts.failed
    yield "degraded (a call was lost)", accounts.degraded
    yield "calls", accounts.calls
    yield "arrivals at the provider", accounts.arrivals
    yield "answered, in a stopped or killed worker, and asked again", accounts.in_flight_again
    yield "answered and written down, and asked again", accounts.answered_again
    for name, megabytes in observed.memory.items():
        yield f"memory of {name}, at the most", f"{megabytes:.0f} MB"
    yield "parley up started again", restarts
    yield "processes left at the end", len(left)
