"""The histories of a deliberation: the input of its first run, and all events of all runs."""

from collections.abc import AsyncIterator
from typing import Any, TypeVar

from pydantic import BaseModel
from temporalio.api.common.v1 import Payloads
from temporalio.api.enums.v1 import ContinueAsNewInitiator
from temporalio.api.history.v1 import HistoryEvent
from temporalio.client import Client, WorkflowHandle

from parley import workflow_rpc
from parley.errors import RequestError
from parley.ids import looked_up_id
from protocols.starting import CompletedInput, is_complete

Input = TypeVar("Input", bound=BaseModel)

COMPLETE_INPUT = "complete_input"
"""The activity that completes a short argument."""
_BY_ITSELF = ContinueAsNewInitiator.CONTINUE_AS_NEW_INITIATOR_WORKFLOW


async def all_events(client: Client, deliberation_id: str) -> AsyncIterator[HistoryEvent]:
    """Yield all events of the last run of a deliberation and of those that it continues, from the first on.

    A run that was reset has its events up to there; those that followed in the run before belong to another course.
    """
    run_id = (await workflow_rpc.described(client.get_workflow_handle(looked_up_id(deliberation_id)))).run_id
    runs: list[WorkflowHandle[Any, Any]] = []
    while run_id:
        runs.append(client.get_workflow_handle(deliberation_id, run_id=run_id))
        opening = await anext(runs[-1].fetch_history_events(page_size=1))
        started = opening.workflow_execution_started_event_attributes
        run_id = started.continued_execution_run_id if started.initiator == _BY_ITSELF else ""
    for run in reversed(runs):
        async for event in run.fetch_history_events():
            yield event


async def input_of(client: Client, events: AsyncIterator[HistoryEvent], kind: type[Input]) -> Input:
    """Return the whole argument of a run, also of one with a short argument.

    Raises:
        RequestError: the run began with a short argument, and no worker has completed it yet.
    """
    (given,) = await _decoded(client, (await anext(events)).workflow_execution_started_event_attributes.input)
    if is_complete(given, kind):
        return kind.model_validate(given)
    completing = 0
    async for event in events:
        scheduled = event.activity_task_scheduled_event_attributes
        completed = event.activity_task_completed_event_attributes
        if scheduled.activity_type.name == COMPLETE_INPUT:
            completing = event.event_id
        elif completing and completed.scheduled_event_id == completing:
            (whole,) = await _decoded(client, completed.result)
            return kind.model_validate(CompletedInput.model_validate(whole).input)
    raise RequestError("its input is not complete yet; try again in a moment")


async def _decoded(client: Client, payloads: Payloads) -> list[Any]:
    return await client.data_converter.decode(payloads.payloads)
