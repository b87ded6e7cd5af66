"""The live display of a consensus: the bars, and the events that change them.

The workflow reports the bars and the events; the progress of a running bar follows from the streamed tokens,
which only the calls' heartbeats carry.

Events are numbered over the whole deliberation, and every run passes its latest ones to the next. Events that a run
no longer has are queried from the run before, so a late or interrupted client misses none.
"""

import asyncio
from collections.abc import AsyncIterator, Callable

from temporalio.client import WorkflowExecutionStatus, WorkflowQueryFailedError, WorkflowQueryRejectedError
from temporalio.service import RPCError

from parley import workflow_rpc
from parley.errors import TemporalAwayError, UnknownDeliberationError
from parley.pending_calls import pending_calls
from parley.watch import QUERY_SECONDS
from parley.workflow_rpc import Handle, Query
from protocols.consensus import rules
from protocols.consensus.model import SyncEvent, VisualState
from protocols.starting import IS_BEING_PREPARED

VISUAL_STATE = Query("visual_state", VisualState)
EVENTS = Query("events", tuple[SyncEvent, ...])

Run = Callable[[str], Handle]
"""The handle of one run, by its run id."""


async def visual_state(handle: Handle) -> VisualState:
    """Return the current bars, a running bar by its tokens so far."""
    state = await workflow_rpc.ask(handle, VISUAL_STATE)
    name = state.current_stage
    if state.stages[name].status != "running":
        return state
    progress = await workflow_rpc.ask(handle, workflow_rpc.STATE)
    calls = await pending_calls(await workflow_rpc.described(handle))
    asked = (seat for seat in progress.seats if (seat.stage, seat.round) == (name, state.current_round))
    made = ((seat, calls.get(seat.call_id or "")) for seat in asked)
    bars = (rules.bar(call.tokens if call else 0, seat.expected_tokens or 0) for seat, call in made)
    reached = max(bars, default=0)
    running = state.stages[name].model_copy(update={"progress": reached})
    return state.model_copy(update={"stage_progress": reached, "stages": {**state.stages, name: running}})


async def events(handle: Handle, run: Run, *, every: float = 0.3) -> AsyncIterator[SyncEvent]:
    """Yield every event from the first on, in order, each once, until the deliberation ends.

    A worker answers the query. While there is no worker, or no server, the client waits.
    """
    seen = 0
    while True:
        is_over = await _is_over(handle)
        news = await _news(handle, run, seen, is_over=is_over)
        for event in news or ():
            seen = event.number
            yield event
        if is_over and news is not None:
            return
        await asyncio.sleep(every)


async def _is_over(handle: Handle) -> bool:
    try:
        return (await workflow_rpc.described(handle)).status is not WorkflowExecutionStatus.RUNNING
    except (RPCError, TemporalAwayError):
        return False


async def _news(handle: Handle, run: Run, seen: int, *, is_over: bool) -> tuple[SyncEvent, ...] | None:
    """Return the events after number ``seen``: none of one that ended before it began; ``None`` without an answer."""
    try:
        return await _after(handle, run, seen)
    except (RPCError, TemporalAwayError, WorkflowQueryFailedError, WorkflowQueryRejectedError) as error:
        return () if is_over and IS_BEING_PREPARED in str(error) else None


async def _after(handle: Handle, run: Run, seen: int) -> tuple[SyncEvent, ...]:
    new = await workflow_rpc.ask(handle, EVENTS, seen, within=QUERY_SECONDS)
    if not new or new[0].number == seen + 1:
        return new
    before = await _run_before(handle)
    if before is None:
        return new
    try:
        earlier = await _after(run(before), run, seen)
    except UnknownDeliberationError:  # the server keeps closed runs for a while only
        return new
    return (*(event for event in earlier if event.number < new[0].number), *new)


async def _run_before(handle: Handle) -> str | None:
    """Return the run that continued as this one."""
    async for first in handle.fetch_history_events(page_size=1):
        return first.workflow_execution_started_event_attributes.continued_execution_run_id or None
    return None
