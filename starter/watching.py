"""Where a deliberation stands, looked at again and again.

Three things are put together: what the workflow itself says (the query ``state``), what the server knows (the status,
and which calls are being tried for the how-manieth time), and what the calls' heartbeats carry (the tokens so far). A
query needs a live worker; while there is none, the rest is still shown, and so is the fact that there is none.
"""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

from pydantic import Field
from temporalio.api.enums.v1 import PendingActivityState
from temporalio.api.workflow.v1 import PendingActivityInfo
from temporalio.client import (
    WorkflowExecutionDescription,
    WorkflowExecutionStatus,
    WorkflowQueryFailedError,
    WorkflowQueryRejectedError,
)
from temporalio.converter import DataConverter
from temporalio.service import RPCError

from protocols.exchange import Frozen
from protocols.progress import Progress
from starter import messages
from starter.errors import ReplayBrokenError, TemporalAwayError
from starter.messages import Handle
from starter.task_failures import find_task_failure

QUERY_SECONDS = timedelta(seconds=5)
"""After which nobody is taken to answer."""

_NO_WORKER = "no worker answers; the deliberation waits and goes on when one does"


class Call(Frozen):
    """A call that is being made or waits for its next try."""

    tokens: int = 0
    """Of the answer, so far."""
    phase: str = ""
    """``connecting``, ``thinking``, ``writing`` …, in the activity's words; empty before its first heartbeat."""
    attempt: int = 1
    waits: bool = False
    """It is not being made now: no worker took it yet, or it was put off."""
    last_failure: str = ""
    """What ended the attempt before this one."""


class Sight(Frozen):
    """What there is to see at one moment."""

    deliberation_id: str
    status: str = "running"
    """Temporal's word in lower case."""
    progress: Progress | None = None
    """``None`` until a worker has said it once."""
    calls: dict[str, Call] = Field(default_factory=dict)
    """By call id; only those that are not answered yet."""
    note: str = ""
    """Why less is seen than there should be."""

    @property
    def is_over(self) -> bool:
        """Whether it has ended, in whatever way."""
        return self.status != "running"


async def watch(handle: Handle, *, every: float = 0.7) -> AsyncIterator[Sight]:
    """Look every so many seconds until it is over; the last sight is of the end.

    A server that does not answer for a while is waited for.

    Raises:
        UnknownDeliberationError: the server knows no such id.
    """
    sight = Sight(deliberation_id=handle.id)
    while True:
        sight = await look(handle, sight)
        yield sight
        if sight.is_over:
            return
        await asyncio.sleep(every)


async def look(handle: Handle, before: Sight) -> Sight:
    """What is to be seen now; what cannot be seen stays as it was ``before``.

    Raises:
        UnknownDeliberationError: the server knows no such id.
    """
    try:
        described = await messages.bounded(messages.described(handle), QUERY_SECONDS)
    except (RPCError, TemporalAwayError):
        return before.model_copy(update={"note": "Temporal does not answer; waiting for it"})
    calls = await pending_calls(described)
    status = (described.status or WorkflowExecutionStatus.RUNNING).name.lower()
    progress, note = await _state(handle, described)
    return Sight(
        deliberation_id=handle.id,
        status=status,
        progress=progress or before.progress,
        calls=calls,
        note=note,
    )


async def pending_calls(described: WorkflowExecutionDescription) -> dict[str, Call]:
    """The calls that are not answered yet, by call id, with what their last heartbeat said."""
    pending = described.raw_description.pending_activities
    return {activity.activity_id: await _call(activity, described.data_converter) for activity in pending}


async def _call(activity: PendingActivityInfo, converter: DataConverter) -> Call:
    beat: dict[str, Any] = {}
    if activity.heartbeat_details.payloads:
        told = await converter.decode(activity.heartbeat_details.payloads)
        beat = told[0] if isinstance(told[0], dict) else {}
    return Call(
        tokens=_count(beat.get("tokens")),
        phase=str(beat.get("phase") or ""),
        attempt=max(activity.attempt, 1),
        waits=activity.state == PendingActivityState.PENDING_ACTIVITY_STATE_SCHEDULED,
        last_failure=activity.last_failure.message,
    )


def _count(value: object) -> int:
    return value if isinstance(value, int) and value > 0 else 0


async def _state(handle: Handle, described: WorkflowExecutionDescription) -> tuple[Progress | None, str]:
    try:
        return await messages.ask(handle, messages.STATE, within=QUERY_SECONDS), ""
    except ReplayBrokenError as error:
        return None, str(error).removeprefix(f"{handle.id}: ")
    except (RPCError, TemporalAwayError, WorkflowQueryFailedError, WorkflowQueryRejectedError):
        return None, await _why_not(handle, described)


async def _why_not(handle: Handle, described: WorkflowExecutionDescription) -> str:
    """Why a run that is not over does not say where it stands."""
    try:
        failure = await messages.bounded(find_task_failure(handle, described.data_converter), QUERY_SECONDS)
    except RPCError:
        failure = None
    return _NO_WORKER if failure is None else failure.explanation
