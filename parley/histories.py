"""The histories of a deliberation: the input of its first run, and all events of all runs."""

from collections.abc import AsyncIterator
from typing import Any

from temporalio.api.history.v1 import HistoryEvent
from temporalio.client import Client

from parley import workflow_rpc


async def all_events(client: Client, deliberation_id: str) -> AsyncIterator[HistoryEvent]:
    """Yield all events of all runs of a deliberation, from its first run on.

    Raises:
        UnknownDeliberationError: the server has no deliberation with this id.
    """
    run_id = (await workflow_rpc.described(client.get_workflow_handle(deliberation_id))).run_id
    last = client.get_workflow_handle(deliberation_id, run_id=run_id)
    opening = await anext(last.fetch_history_events(page_size=1))
    following = opening.workflow_execution_started_event_attributes.first_execution_run_id or run_id
    while following:
        history = client.get_workflow_handle(deliberation_id, run_id=following).fetch_history_events()
        following = ""
        async for event in history:
            yield event
            following = event.workflow_execution_continued_as_new_event_attributes.new_execution_run_id


async def input_of(client: Client, opening: HistoryEvent, kind: type[Any]) -> Any:
    """Return the argument in the first event of a run."""
    payloads = opening.workflow_execution_started_event_attributes.input.payloads
    (asked,) = await client.data_converter.decode(payloads, [kind])
    return asked
