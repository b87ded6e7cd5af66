"""The histories of a deliberation: the input of its first run, and all events of all runs."""

from collections.abc import AsyncIterator
from typing import Any, TypeVar

from pydantic import BaseModel
from temporalio.api.common.v1 import Payloads
from temporalio.api.history.v1 import HistoryEvent
from temporalio.client import Client

from parley import workflow_rpc
from parley.errors import RequestError
from parley.ids import looked_up_id
from protocols.starting import CompletedInput, is_complete

Input = TypeVar("Input", bound=BaseModel)

COMPLETE_INPUT = "complete_input"
"""The activity that completes a short argument."""


async def all_events(client: Client, deliberation_id: str) -> AsyncIterator[HistoryEvent]:
    """Yield all events of all runs of a deliberation, from its first run on."""
    run_id = (await workflow_rpc.described(client.get_workflow_handle(looked_up_id(deliberation_id)))).run_id
    last = client.get_workflow_handle(deliberation_id, run_id=run_id)
    opening = await anext(last.fetch_history_events(page_size=1))
    following = opening.workflow_execution_started_event_attributes.first_execution_run_id or run_id
    while following:
        history = client.get_workflow_handle(deliberation_id, run_id=following).fetch_history_events()
        following = ""
        async for event in history:
            yield event
            following = event.workflow_execution_continued_as_new_event_attributes.new_execution_run_id


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
        scheduled, completed = (
            event.activity_task_scheduled_event_attributes,
            event.activity_task_completed_event_attributes,
        )
        if scheduled.activity_type.name == COMPLETE_INPUT:
            completing = event.event_id
        elif completing and completed.scheduled_event_id == completing:
            (whole,) = await _decoded(client, completed.result)
            return kind.model_validate(CompletedInput.model_validate(whole).input)
    raise RequestError("its input is not complete yet; try again in a moment")


async def _decoded(client: Client, payloads: Payloads) -> list[Any]:
    return await client.data_converter.decode(payloads.payloads)
