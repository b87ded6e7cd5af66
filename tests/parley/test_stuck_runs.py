"""A run whose workflow task fails: what its queries and the list of approvals show of it."""

import asyncio
from datetime import timedelta
from uuid import uuid4

import pytest
from temporalio.worker import Worker

from parley.control import Steering
from parley.errors import StuckError
from parley.listing import listed
from parley.pending_approvals import standstills
from parley.workflow_rpc import STATE, ask
from runtime.connect import connect
from tests.fakes.parrot import Stuck
from tests.fakes.server import RunningServer


async def test_a_stuck_run_has_its_cause_in_a_query_and_in_the_list_of_approvals(server: RunningServer) -> None:
    """The server refuses queries once a workflow task has failed again, and the cause is read from the history."""
    client, queue = await connect(server.settings), f"stuck-{uuid4()}"
    async with Worker(client, task_queue=queue, workflows=[Stuck]):
        handle = await client.start_workflow(Stuck.run, id=queue, task_queue=queue, task_timeout=timedelta(seconds=1))
        while (described := await handle.describe()).raw_description.pending_workflow_task.attempt < 3:  # noqa: ASYNC110 - no event reports it
            await asyncio.sleep(0.05)
        with pytest.raises(StuckError, match=f"{queue}: its workflow task fails since .*the key is missing"):
            await ask(handle, STATE)
        line = listed(described).model_copy(update={"stage": "approval"})
        (waits,) = await standstills(Steering(client), [line])
        await handle.terminate()

    assert (queue, "approval", None) == (waits.id, waits.waits_for, waits.waiting)
    assert waits.why.startswith("its workflow task fails since ")


async def test_a_run_that_fails_from_its_first_task_has_its_cause_in_a_query(server: RunningServer) -> None:
    """The server keeps a query until the first task has succeeded, so the cause is looked for meanwhile."""
    client, queue = await connect(server.settings), f"stuck-{uuid4()}"
    async with Worker(client, task_queue=queue, workflows=[Stuck]):
        handle = await client.start_workflow(Stuck.run, id=queue, task_queue=queue)
        with pytest.raises(StuckError, match=f"{queue}: its workflow task fails since .*the key is missing"):
            await ask(handle, STATE)
        await handle.terminate()
