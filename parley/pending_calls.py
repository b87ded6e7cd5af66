"""The calls that a deliberation waits for, as the server and their heartbeats describe them, and absent providers."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from google.protobuf.timestamp_pb2 import Timestamp
from pydantic import AwareDatetime, TypeAdapter, ValidationError
from temporalio.api.enums.v1 import PendingActivityState
from temporalio.api.workflow.v1 import PendingActivityInfo
from temporalio.client import WorkflowExecutionDescription
from temporalio.converter import DataConverter

from ledger.store_errors import StoreBusyError, StoreFullError
from protocols.model_call import FrozenModel
from protocols.time_spans import write_span

NO_PLACE = "worker.no_place"
"""The type of failure of a call that went back to its queue because its worker had no free place."""
AWAY = frozenset(
    f"provider.{kind}" for kind in ("rate_limited", "unavailable", "transport", "gateway", "redirect", "tls")
)
"""Types of failure that mean that a provider is away or overloaded."""
LEDGER = "the ledger"
"""What is named in the place of a provider where the ledger cannot be used."""
NO_LEDGER = frozenset({StoreBusyError.kind, StoreFullError.kind})
"""Types of failure that mean that the ledger's database is away, locked or full."""
_moment: TypeAdapter[datetime] = TypeAdapter(AwareDatetime)
_LONGEST_PAUSE = 310.0
"""Seconds between two tries at most; a longer one means that this machine's clock is not the server's."""
_LONGEST_REASON = 160


class Call(FrozenModel):
    """A call that is being made or waits for its next try."""

    provider: str = ""
    """Empty before its first heartbeat."""
    tokens: int = 0
    """Of the answer, so far."""
    phase: str = ""
    """``connecting``, ``thinking``, ``writing`` …, in the activity's words; empty before its first heartbeat."""
    text: str = ""
    """The end of the verdict, where the call writes it; empty otherwise."""
    characters: int = 0
    """How long the verdict is so far."""
    attempt: int = 1
    """Without those attempts that only waited for a free place."""
    pause: str = ""
    """That an operator paused it, why, and what continues it; empty when it is not paused."""
    waits: bool = False
    """It is not being made now: no worker took it yet, or it was put off."""
    last_failure: str = ""
    """What ended the attempt before this one; empty when that one only waited for a free place."""
    away_since: datetime | None = None
    """Since when its provider is away, by the server's clock; ``None`` when it is not."""
    failed_at: datetime | None = None
    """When the attempt before this one ended."""
    next_try: datetime | None = None
    """When it is tried again; ``None`` while it is being made."""


def pause_of(activity: PendingActivityInfo) -> str:
    """Return the pause of an activity, with its remedy and its reason; empty when it is not paused."""
    why = activity.pause_info.manual.reason
    return f"paused, see temporal activity unpause{why and f': {why}'}" if activity.paused else ""


async def pending_calls(described: WorkflowExecutionDescription) -> dict[str, Call]:
    """Return the pending calls by id, with the details of their last heartbeat."""
    pending = described.raw_description.pending_activities
    return {activity.activity_id: await _call(activity, described.data_converter) for activity in pending}


class Outage(FrozenModel):
    """One provider that is away."""

    provider: str
    since: datetime
    """When the first call failed, by the server's clock."""
    reason: str
    """What ended the last try, in one line."""
    calls: int = 1
    """How many calls wait for it."""
    next_try_in: float | None = None
    """Seconds until the next of them is tried again; ``None`` while one is being tried."""
    is_old: bool = False
    """It began more than a day ago, so the day is shown too."""

    def __str__(self) -> str:
        """Return the outage as one line."""
        return self.described()

    def described(self, *, is_redrawn: bool = True) -> str:
        """Return the outage as one line; leave out what changes every second unless the screen is redrawn."""
        since = self.since.astimezone(UTC)
        began = f"{since:%Y-%m-%d %H:%M}" if self.is_old else f"{since:%H:%M}"
        if not is_redrawn:
            return f"{self.provider} away since {began} UTC ({self.reason})"
        waiting = f"{self.calls} calls wait for it" if self.calls > 1 else "1 call waits for it"
        soon = "now" if self.next_try_in is None else f"in {write_span(round(self.next_try_in))}"
        return f"{self.provider} away since {began} UTC ({self.reason}, next try {soon}); {waiting}"


def find_outages(calls: Iterable[Call], now: datetime) -> tuple[Outage, ...]:
    """Return the providers that ``calls`` wait for, by name."""
    waiting: dict[str, list[Call]] = {}
    for call in calls:
        if call.away_since is not None and not call.pause:
            waiting.setdefault(call.provider, []).append(call)
    return tuple(_outage(provider, waiting[provider], now) for provider in sorted(waiting))


async def _call(activity: PendingActivityInfo, converter: DataConverter) -> Call:
    beat = await _heartbeat(activity, converter)
    ledger, failure = _wait_for_ledger(activity, beat), activity.last_failure
    waits = activity.state == PendingActivityState.PENDING_ACTIVITY_STATE_SCHEDULED
    had_no_place = failure.application_failure_info.type == NO_PLACE
    return Call(
        provider=LEDGER if ledger else str(beat.get("provider") or ""),
        tokens=_count(beat.get("tokens")),
        phase=str(beat.get("phase") or ""),
        text=str(beat.get("text") or ""),
        characters=_count(beat.get("characters")),
        attempt=max(activity.attempt - _count(_object(beat.get("tries")).get(NO_PLACE)), 1),
        pause=pause_of(activity),
        waits=waits,
        last_failure=str(ledger.get("reason") or "") or ("" if had_no_place else failure.message),
        away_since=_time((ledger or _object(beat.get("away"))).get("since")),
        failed_at=_moment_of(activity.last_attempt_complete_time),
        next_try=_moment_of(activity.next_attempt_schedule_time) if waits else None,
    )


def _wait_for_ledger(activity: PendingActivityInfo, beat: dict[str, Any]) -> dict[str, Any]:
    """Return since when an activity waits for the ledger, and why; empty when it does not."""
    failure = activity.last_failure
    if failure.application_failure_info.type in NO_LEDGER:
        return {"since": _moment_of(activity.scheduled_time), "reason": failure.message}
    return _object(beat.get("ledger"))


async def _heartbeat(activity: PendingActivityInfo, converter: DataConverter) -> dict[str, Any]:
    if not activity.heartbeat_details.payloads:
        return {}
    return _object((await converter.decode(activity.heartbeat_details.payloads))[0])


def _moment_of(stamp: Timestamp) -> datetime | None:
    return stamp.ToDatetime(tzinfo=UTC) if stamp.seconds else None


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _count(value: object) -> int:
    return value if isinstance(value, int) and value > 0 else 0


def _time(value: object) -> datetime | None:
    try:
        return _moment.validate_python(value)
    except ValidationError:
        return None


def _outage(provider: str, calls: list[Call], now: datetime) -> Outage:
    since = min(call.away_since for call in calls if call.away_since is not None)
    newest = max(calls, key=lambda call: call.failed_at or since)
    reason = (newest.last_failure or "it does not answer").removeprefix(f"{provider}: ").partition("; away since")[0]
    left = [(call.next_try - now).total_seconds() for call in calls if call.next_try is not None]
    soonest = None if len(left) < len(calls) else min(left)
    return Outage(
        provider=provider,
        since=since,
        reason=reason if len(reason) <= _LONGEST_REASON else f"{reason[: _LONGEST_REASON - 1]}…",
        calls=len(calls),
        next_try_in=soonest if soonest is not None and 0 < soonest <= _LONGEST_PAUSE else None,
        is_old=now - since > timedelta(days=1),
    )
