"""The record that the attempts at one call hand on to each other.

Temporal gives the last heartbeat of an attempt to the next one, on any worker. It carries how often the call failed
so far, by type of error, what its failed attempts took, and since when its provider is away. An attempt that a killed
worker never reported is missing in the record, which is how such attempts are counted too. One whose payment
continues is no such attempt: its heartbeats were late, because worker or server waited for a processor, and it costs
the call nothing. Nor is one that failed outside of the activity, which ``lost_workers`` asks the server about. But a
payment that was joined and whose failure no attempt reported counts like a killed worker.

Times are the server's: an attempt's own start comes from the server, and what has passed since then is measured by a
clock that users cannot set. A worker whose clock is an hour off gives up no call early.
"""

import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveInt, ValidationError
from temporalio import activity

from activities.retry_posture import LONGEST_WAIT, NO_PLACE, Standing, details_of, posture_of
from protocols.model_call import FrozenModel
from protocols.spending import Reported

_LATE = "worker.late"
"""Attempts whose heartbeats were late, beside the types of failure; such an attempt never ends with it as an error."""
FAULT = "worker.fault"
"""Attempts that ended with an error of the worker's own, after the start of the answer."""
READS = "worker.reads"
"""Attempts that began to read a stored answer after too many silent ones, in the same place."""


class Absence(FrozenModel):
    """An unbroken series of failures by an absent provider."""

    since: datetime
    """When the first of them ended, by the server's clock."""
    failures: NonNegativeInt = 0
    latest: datetime | None = None
    """When the last of them ended."""
    untried: NonNegativeFloat = 0.0
    """Seconds in which no attempt was made though one was due: machines slept, or no worker ran."""


class LedgerWait(FrozenModel):
    """A time in which the ledger cannot be used."""

    since: datetime
    reason: str
    is_paid: bool
    """Whether an answer waits to be stored."""


class _Record(FrozenModel):
    """The record of earlier attempts in the last heartbeat."""

    tries: dict[str, PositiveInt] = Field(default_factory=dict)
    away: Absence | None = None
    joined: str = ""
    """The owner of the payment that an attempt joined last."""
    unreported: NonNegativeInt = 0
    """Payments that were joined, and whose failure no attempt reported."""
    ledger: LedgerWait | None = None
    paid: Reported = Reported()
    """What the provider reported of attempts that failed."""


class CallAttempts:
    """The attempts at one call so far, this one included."""

    def __init__(self, info: activity.Info) -> None:
        record = _record(info.heartbeat_details[0] if info.heartbeat_details else None)
        self._tries = Counter(record.tries)
        self._away = record.away
        self._joined, self._unreported, self._is_joined = record.joined, record.unreported, False
        self._ledger = record.ledger
        if self._ledger is not None and not self._ledger.is_paid:
            self._tries[_LATE] += 1
        self.paid = record.paid
        """What the provider reported of attempts that failed, and how many requests it may bill without a report."""
        self._attempt = info.attempt
        self._began, self._steady = info.started_time.astimezone(UTC), time.monotonic()

    @property
    def number(self) -> int:
        """The number of this attempt, without those that only waited for a free place."""
        return max(1, self._attempt - self._tries[NO_PLACE])

    @property
    def silent(self) -> int:
        """Return the number of earlier attempts without a report: their worker was killed or frozen."""
        return max(0, self._attempt - 1 - self._tries.total())

    @property
    def unseen(self) -> int:
        """Return how many payments may have failed unseen: of silent attempts, and those that were joined before."""
        return self.silent + self._unreported

    def count(self, kind: str) -> int:
        """Return the number of attempts that are recorded under ``kind``, this one included."""
        return self._tries[kind]

    def join(self, owner: str) -> None:
        """Record that the payment ``owner`` of an earlier attempt continues: the silent ones lost no worker."""
        self.forgive()
        if owner != self._joined:
            self._joined, self._unreported = owner, self._unreported + 1
        self._is_joined = True

    def forgive(self) -> None:
        """Record that no worker was lost in the attempts without a report."""
        self._tries[_LATE] += self.silent

    def take_over(self, paid: Reported) -> None:
        """Record what earlier payments of the call took, as the ledger has it."""
        self.paid = paid

    def wait(self, reason: str, *, is_paid: bool = False) -> None:
        """Record why the ledger cannot be used now; an empty ``reason`` when it can be again.

        Unless the answer ``is_paid``, an attempt that ends while it waits asked no model, and lost no worker.
        """
        since = self._ledger.since if self._ledger else self._now()
        self._ledger = LedgerWait(since=since, reason=reason, is_paid=is_paid) if reason else None

    def begin_to_read(self) -> None:
        """Record that this attempt reads a stored answer; the next one counts it if it ends without a word."""
        self._tries[READS] += 1

    @property
    def details(self) -> dict[str, Any]:
        """The record as a heartbeat carries it."""
        away = None if self._away is None else self._away.model_dump(mode="json")
        joined = {"joined": self._joined, "unreported": self._unreported} if self._joined else {}
        waits = {"ledger": self._ledger.model_dump(mode="json")} if self._ledger else {}
        return {"tries": dict(+self._tries), "away": away, **waits, **joined, **details_of(self.paid)}

    def add(self, error_type: str, reported: Reported = Reported()) -> None:  # noqa: B008 - a value that never changes
        """Record the end of this attempt with ``error_type``, and what was ``reported`` of it."""
        self._tries[error_type] += 1
        self.paid = self.paid.plus(reported)
        if error_type == NO_PLACE:
            return
        if self._is_joined and self._unreported:
            self._unreported -= 1
        if not posture_of(error_type).waits:
            self._away = None
        else:
            now = self._now()
            away = self._away or Absence(since=now)
            beyond = max(0.0, (self._began - (away.latest or now)).total_seconds() - LONGEST_WAIT)
            untried = away.untried + beyond
            self._away = Absence(since=away.since, failures=away.failures + 1, latest=now, untried=untried)

    def standing(self, error_type: str) -> Standing:
        """Return the state of the call after ``add(error_type)``."""
        away = self._away
        return Standing(
            attempt=self.number,
            tries=self._tries[error_type],
            away_failures=away.failures if away else 0,
            away_since=away.since if away else None,
            away_seconds=max(0.0, (self._now() - away.since).total_seconds() - away.untried) if away else 0.0,
            paid=self.paid,
        )

    def _now(self) -> datetime:
        return self._began + timedelta(seconds=time.monotonic() - self._steady)


def _record(details: Any) -> _Record:
    """Return the record in a heartbeat's details; an empty one if another version wrote it."""
    try:
        return _Record.model_validate(details) if details is not None else _Record()
    except ValidationError:
        return _Record()
