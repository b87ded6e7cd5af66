"""The record that the attempts at one call hand on to each other.

Temporal gives the last heartbeat of an attempt to the next one, on any worker. It carries how often the call
failed so far, by type of error, and since when its provider is away. An attempt that a killed worker never reported is
missing in the record, which is how such attempts are counted too. One whose payment continues is no such attempt: its
heartbeats were late, because worker or server waited for a processor, and it costs the call nothing.

Times are the server's: an attempt's own start comes from the server, and what has passed since then is measured by a
clock that users cannot set. A worker whose clock is an hour off gives up no call early.
"""

import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from pydantic import Field, PositiveInt, ValidationError
from temporalio import activity

from activities.retry_posture import NO_PLACE, Standing, posture_of
from protocols.model_call import FrozenModel

_LATE = "worker.late"
"""Attempts whose heartbeats were late, beside the types of failure; such an attempt never ends with it as an error."""


class Absence(FrozenModel):
    """An unbroken series of failures by an absent provider."""

    since: datetime
    """When the first of them ended, by the server's clock."""
    failures: PositiveInt = 1


class _Record(FrozenModel):
    """The record of earlier attempts in the last heartbeat."""

    tries: dict[str, PositiveInt] = Field(default_factory=dict)
    away: Absence | None = None


class _Start(NamedTuple):
    """The start of this attempt, by the server's clock and by this machine's monotonic clock."""

    at_server: datetime
    steady: float


class CallAttempts:
    """The attempts at one call so far, this one included."""

    def __init__(self, info: activity.Info) -> None:
        record = _record(info.heartbeat_details[0] if info.heartbeat_details else None)
        self._tries = Counter(record.tries)
        self._away = record.away
        self._attempt = info.attempt
        self._start = _Start(info.started_time, time.monotonic())

    @property
    def number(self) -> int:
        """The number of this attempt, without those that only waited for a free place."""
        return max(1, self._attempt - self._tries[NO_PLACE])

    @property
    def silent(self) -> int:
        """Return the number of earlier attempts without a report: their worker was killed or frozen."""
        return max(0, self._attempt - 1 - self._tries.total())

    def join(self) -> None:
        """Record that the payment of an earlier attempt continues: the silent ones lost no worker."""
        self._tries[_LATE] += self.silent

    @property
    def details(self) -> dict[str, Any]:
        """The record as a heartbeat carries it."""
        away = None if self._away is None else self._away.model_dump(mode="json")
        return {"tries": dict(+self._tries), "away": away}

    def add(self, error_type: str) -> None:
        """Record that this attempt ended with ``error_type``."""
        self._tries[error_type] += 1
        if error_type == NO_PLACE:
            return
        if not posture_of(error_type).waits:
            self._away = None
        elif self._away is None:
            self._away = Absence(since=self._now())
        else:
            self._away = Absence(since=self._away.since, failures=self._away.failures + 1)

    def standing(self, error_type: str) -> Standing:
        """Return the state of the call after ``add(error_type)``."""
        away = self._away
        return Standing(
            attempt=self.number,
            tries=self._tries[error_type],
            away_failures=away.failures if away else 0,
            away_since=away.since if away else None,
            away_seconds=max(0.0, (self._now() - away.since).total_seconds()) if away else 0.0,
        )

    def _now(self) -> datetime:
        passed = timedelta(seconds=time.monotonic() - self._start.steady)
        return self._start.at_server.astimezone(UTC) + passed


def _record(details: Any) -> _Record:
    """Return the record in a heartbeat's details; an empty one if another version wrote it."""
    try:
        return _Record.model_validate(details) if details is not None else _Record()
    except ValidationError:
        return _Record()
