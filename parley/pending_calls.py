"""The calls that a deliberation waits for, as the server and their last heartbeats describe them."""

from datetime import UTC, datetime
from typing import Any

from google.protobuf.timestamp_pb2 import Timestamp
from pydantic import AwareDatetime, TypeAdapter, ValidationError
from temporalio.api.enums.v1 import PendingActivityState
from temporalio.api.workflow.v1 import PendingActivityInfo
from temporalio.client import WorkflowExecutionDescription
from temporalio.converter import DataConverter

from protocols.model_call import FrozenModel

NO_PLACE = "worker.no_place"
"""The type of failure of a call that went back to its queue because its worker had no free place."""

AWAY = frozenset(
    f"provider.{kind}" for kind in ("rate_limited", "unavailable", "transport", "gateway", "redirect", "tls")
)
"""Types of failure that mean that a provider is away or overloaded."""

_moment: TypeAdapter[datetime] = TypeAdapter(AwareDatetime)


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


async def pending_calls(described: WorkflowExecutionDescription) -> dict[str, Call]:
    """Return the pending calls by id, with the details of their last heartbeat."""
    pending = described.raw_description.pending_activities
    return {activity.activity_id: await _call(activity, described.data_converter) for activity in pending}


async def _call(activity: PendingActivityInfo, converter: DataConverter) -> Call:
    beat = await _heartbeat(activity, converter)
    failure = activity.last_failure
    waits = activity.state == PendingActivityState.PENDING_ACTIVITY_STATE_SCHEDULED
    had_no_place = failure.application_failure_info.type == NO_PLACE
    return Call(
        provider=str(beat.get("provider") or ""),
        tokens=_count(beat.get("tokens")),
        phase=str(beat.get("phase") or ""),
        text=str(beat.get("text") or ""),
        characters=_count(beat.get("characters")),
        attempt=max(activity.attempt - _count(_object(beat.get("tries")).get(NO_PLACE)), 1),
        waits=waits,
        last_failure="" if had_no_place else failure.message,
        away_since=_time(_object(beat.get("away")).get("since")),
        failed_at=_moment_of(activity.last_attempt_complete_time),
        next_try=_moment_of(activity.next_attempt_schedule_time) if waits else None,
    )


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
