"""A bare Temporal worker, tuned: the least that Temporal costs a council.

``python -m bench.peers.bare_worker BASE_URL SERVER_ADDRESS COMPRESSION`` serves the queue ``bare``: no journal, no
ledger, no details, no columns, no heartbeats. Calls are eager, workflows run outside the sandbox, values are pydantic
models. Requests to the server are compressed as the SDK does by default (``gzip``), or not (``none``).
"""

import asyncio
import sys
from datetime import timedelta

from pydantic import BaseModel
from temporalio import activity, workflow
from temporalio.client import Client, GrpcCompression
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from bench.peers import council
from bench.peers.process import Models

QUEUE = "bare"
RESERVED = 16
COMPRESSIONS = {"gzip": GrpcCompression.GZIP, "none": GrpcCompression.NONE}
_MINUTE = timedelta(minutes=1)


class Call(BaseModel):
    """One call."""

    model: str
    prompt: str


class CallActivities:
    """The activity and its connections."""

    def __init__(self, models: Models) -> None:
        self._models = models

    @activity.defn
    async def ask(self, call: Call) -> str:
        """Ask one model."""
        return await self._models.ask(council.Ask(call.model, call.prompt))


@workflow.defn
class BareCouncil:
    """The council as a workflow."""

    @workflow.run
    async def run(self) -> str:
        """Run one council and return its verdict."""
        answers = await asyncio.gather(*(_ask(one) for one in council.opinions()))
        judged = await asyncio.gather(*(_ask(one) for one in council.reviews(answers)))
        return await _ask(council.synthesis(answers, judged))


async def _ask(ask: council.Ask) -> str:
    call = Call(model=ask.model, prompt=ask.prompt)
    return await workflow.execute_activity_method(CallActivities.ask, call, start_to_close_timeout=_MINUTE)


async def connect(address: str, compression: GrpcCompression) -> Client:
    """Return a client with the converter of this worker."""
    return await Client.connect(address, data_converter=pydantic_data_converter, grpc_compression=compression)


async def serve(base_url: str, address: str, compression: str) -> None:
    """Serve until this process is ended."""
    worker = Worker(
        await connect(address, COMPRESSIONS[compression]),
        task_queue=QUEUE,
        workflows=[BareCouncil],
        activities=[CallActivities(Models(base_url)).ask],
        workflow_runner=UnsandboxedWorkflowRunner(),
        max_eager_activity_reservations_per_workflow_task=RESERVED,
    )
    async with worker:
        print("ready", flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(serve(*sys.argv[1:4]))
