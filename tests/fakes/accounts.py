"""The provider's account of what arrived, held against kills and against what was written down."""

import time
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from tests.fakes.installation import Installation

Arrival = dict[str, Any]
"""One request, as the rehearsal server shows it."""

JUST_BEFORE = 0.5
"""Seconds: an answer that was on the wire so shortly before a kill may not have been written down yet."""


@dataclass(frozen=True)
class Kill:
    """One ``kill -9``."""

    victim: str
    at: float
    """Seconds on this machine's monotonic clock, which is that of the arrivals."""
    written: frozenset[str] = frozenset()
    """The keys of the calls whose answers were in the journal once the process was dead."""


async def kill(installed: Installation, victim: str) -> Kill:
    """Kill one process with -9, and look at once what the journal has."""
    at = time.monotonic()
    installed.kill(victim)
    return Kill(victim, at, await installed.answered())


def per_call(arrivals: Iterable[Arrival]) -> dict[str, int]:
    """How often each logical call arrived."""
    counted: dict[str, int] = defaultdict(int)
    for arrival in arrivals:
        counted[arrival["key"]] += 1
    return dict(counted)


def needless(arrivals: Iterable[Arrival], kills: Iterable[Kill]) -> list[Arrival]:
    """Arrivals of a call that had arrived before, where no kill took away what was in flight.

    A kill is a reason only when it hit a worker, between a call's arrival and the moment just after its answer, and
    the answer was not written down.
    """
    kills = tuple(kills)
    before: dict[str, Arrival] = {}
    found = []
    for arrival in arrivals:
        earlier = before.get(arrival["key"])
        if earlier is not None and not any(_took_away(kill, earlier) for kill in kills):
            found.append(arrival)
        before[arrival["key"]] = arrival
    return found


def _took_away(kill: Kill, arrival: Arrival) -> bool:
    ended = arrival["finished_at"] if arrival["finished"] else kill.at
    is_in_flight = arrival["at"] - JUST_BEFORE <= kill.at <= ended + JUST_BEFORE
    return kill.victim == "worker" and is_in_flight and arrival["key"] not in kill.written
