"""Repeated observation of a running deliberation.

The status joins three sources: the workflow's own data (the query ``state``), the server's (the status, and the
attempt of each pending call), and the heartbeats of the calls (the tokens so far). A
query needs a live worker; while there is none, the rest is still shown, and so is the fact that there is none.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta

from pydantic import Field
from temporalio.api.enums.v1 import EventType
from temporalio.client import (
    WorkflowExecutionDescription,
    WorkflowExecutionStatus,
    WorkflowHistoryEventFilterType,
    WorkflowQueryFailedError,
    WorkflowQueryRejectedError,
)
from temporalio.service import RPCError

from parley import workflow_rpc
from parley.errors import StuckError, TemporalAwayError
from parley.pending_calls import Call, Outage, find_outages, pending_calls
from parley.task_failures import find_task_failure
from parley.workflow_rpc import Handle
from protocols.model_call import FrozenModel
from protocols.progress import Progress
from protocols.starting import IS_BEING_PREPARED
from runtime.code_version import code_version

QUERY_SECONDS = timedelta(seconds=5)
"""The wait after which no answer is expected."""

_PAUSE = 0.2
"""Before the end is waited for again: in a new run, or after an error."""

_NO_WORKER = "no worker answers; the deliberation waits and continues when one does"


class Sight(FrozenModel):
    """The visible state at one moment."""

    deliberation_id: str
    status: str = "running"
    """Temporal's word in lower case."""
    progress: Progress | None = None
    """``None`` until a worker has said it once."""
    calls: dict[str, Call] = Field(default_factory=dict)
    """By call id; only those that are not answered yet."""
    outages: tuple[Outage, ...] = ()
    """Providers that are away, from the calls that wait for them."""
    note: str = ""
    """Why less is seen than there should be."""

    @property
    def is_over(self) -> bool:
        """Return whether it has ended."""
        return self.status != "running"


async def watch(handle: Handle, *, every: float = 0.7) -> AsyncIterator[Sight]:
    """Read the status at this interval until the end, which is noticed at once; the last one is of the end.

    A server that does not answer for a while is waited for.
    """
    sight = Sight(deliberation_id=handle.id)
    end = asyncio.create_task(_wait_for_end(handle))
    try:
        while True:
            sight = await look(handle, sight)
            yield sight
            if sight.is_over:
                return
            await (asyncio.sleep(every) if end.done() else asyncio.wait({end}, timeout=every))
    finally:
        end.cancel()


async def _wait_for_end(handle: Handle) -> None:
    """Return once the last run has closed; the server answers when it does."""
    while True:
        with suppress(RPCError):  # the server is away for now, or has no such deliberation, which the next look reports
            async for event in handle.fetch_history_events(
                wait_new_event=True, event_filter_type=WorkflowHistoryEventFilterType.CLOSE_EVENT, skip_archival=True
            ):
                if event.event_type != EventType.EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW:
                    return
        await asyncio.sleep(_PAUSE)


async def look(handle: Handle, before: Sight) -> Sight:
    """Observe the run; keep the values of ``before`` that are unavailable now."""
    try:
        described = await workflow_rpc.bounded(workflow_rpc.described(handle), QUERY_SECONDS)
    except (RPCError, TemporalAwayError):
        return before.model_copy(update={"note": "Temporal does not answer; waiting for it"})
    calls = await pending_calls(described)
    status = (described.status or WorkflowExecutionStatus.RUNNING).name.lower()
    progress, note = await _state(handle, described)
    now = datetime.now(UTC)  # noqa: TID251 - a process of the user's side looks at its clock
    return Sight(
        deliberation_id=handle.id,
        status=status,
        progress=progress or before.progress,
        calls=calls,
        outages=find_outages(calls.values(), now),
        note=note if status == "running" else "",
    )


async def _state(handle: Handle, described: WorkflowExecutionDescription) -> tuple[Progress | None, str]:
    try:
        return await workflow_rpc.ask(handle, workflow_rpc.STATE, within=QUERY_SECONDS), ""
    except StuckError as error:
        return None, str(error).removeprefix(f"{handle.id}: ")
    except (RPCError, TemporalAwayError, WorkflowQueryFailedError, WorkflowQueryRejectedError) as error:
        return None, str(error) if IS_BEING_PREPARED in str(error) else await _why_not(handle, described)


async def _why_not(handle: Handle, described: WorkflowExecutionDescription) -> str:
    """Return the reason why a running deliberation does not report its progress."""
    try:
        failure = await workflow_rpc.bounded(find_task_failure(handle, described.data_converter), QUERY_SECONDS)
    except RPCError:
        failure = None
    return failure.explanation if failure is not None else await _replayed(handle, described) or _NO_WORKER


async def _replayed(handle: Handle, described: WorkflowExecutionDescription) -> str:
    """Return why this code cannot continue a run of other code whose next step has not shown it yet, if it cannot."""
    last = described.raw_description.workflow_execution_info.most_recent_worker_version_stamp.build_id
    if last == code_version():
        return ""
    from parley.replay_check import replay_run  # noqa: PLC0415 - imports every workflow and the SDK's worker

    try:
        replay = await workflow_rpc.bounded(replay_run(handle, described.data_converter), QUERY_SECONDS)
    except RPCError:
        return ""
    return "" if replay.ok else replay.explanation
