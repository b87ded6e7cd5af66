"""A stored answer that ends the process of each worker that reads it, on a real server."""

import asyncio
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from temporalio import workflow
from temporalio.client import Client, WorkflowFailureError
from temporalio.common import RetryPolicy
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.exceptions import ActivityError, ApplicationError
from temporalio.worker import Worker

from activities.call_model import ModelCalls
from ledger.identity import identity_of, request_of
from ledger.journal import Journal
from ledger.store import Store
from protocols.model_call import ModelCall
from tests.fakes.calls import model_call
from tests.fakes.deadly_worker import EXIT_CODE
from tests.fakes.payments import Payments
from tests.fakes.server import real_server
from tests.fakes.upgraded import UpgradedLedgers

pytestmark = [pytest.mark.long, pytest.mark.timeout(240)]

QUEUE, CALLS = "deadly", "deadly-calls"


@workflow.defn(name="Reader", sandboxed=False)
class Reader:
    """Makes one call, on a queue of other workers."""

    @workflow.run
    async def run(self, call: ModelCall) -> None:
        """Wait for the reply."""
        await workflow.execute_activity_method(
            ModelCalls.call_model,
            call,
            task_queue=CALLS,
            start_to_close_timeout=timedelta(hours=1),
            heartbeat_timeout=timedelta(seconds=call.patience.heartbeat),
            retry_policy=RetryPolicy(maximum_interval=timedelta(seconds=1)),
        )


async def replace_workers(address: str, url: str) -> list[int]:
    """Start a worker after each that ended, until cancelled; return their exit codes."""
    codes = list[int]()
    command = (sys.executable, "-m", "tests.fakes.deadly_worker", address, url, CALLS)
    while True:
        process = await asyncio.create_subprocess_exec(*command)
        try:
            codes.append(await process.wait())
        except asyncio.CancelledError:
            process.kill()
            await process.wait()
            return codes


async def test_a_stored_answer_that_ends_its_readers_is_given_up(tmp_path: Path, upgraded: UpgradedLedgers) -> None:
    """With a patience of two, two workers end without a word and two after a report, and then the call is lost."""
    url = await upgraded.file(tmp_path / "books.db")
    call, store = model_call(patience={"attempts": 2, "heartbeat": 4}), Store(url)
    await Journal(store).once(identity_of("deadly", call, request_of(call)), Payments(quick=True))
    await store.close()
    async with real_server(tmp_path / "server") as server:
        client = await Client.connect(server.address, data_converter=pydantic_data_converter)
        replaced = asyncio.create_task(replace_workers(server.address, url))
        async with Worker(client, task_queue=QUEUE, workflows=[Reader]):
            with pytest.raises(WorkflowFailureError) as failed:
                await client.execute_workflow(Reader.run, call, id="deadly", task_queue=QUEUE)
        replaced.cancel()
    assert isinstance(failed.value.cause, ActivityError)
    lost = failed.value.cause.cause
    assert isinstance(lost, ApplicationError)
    assert (lost.type, lost.message.count("while they read its stored answer")) == ("worker.timeout", 1)
    assert await replaced == 4 * [EXIT_CODE]
