"""Three providers that never answer and hundreds of their calls in the queue, and a healthy one beside them."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator
from datetime import timedelta

import httpx
import pytest
from temporalio import workflow
from temporalio.client import Client
from temporalio.common import Priority
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.worker import PollerBehaviorAutoscaling, Worker

from activities.call_model import ModelCalls
from activities.providers.call_slots import CallSlots, slots_for
from activities.providers.catalogue import Catalogue, Provider, fairness_key
from protocols.model_call import ModelCall
from protocols.panel import name_of, provider_of
from tests.fakes.calls import model_call, provider
from tests.fakes.journal import FakeJournal
from tests.fakes.readers import InlineReaders
from tests.fakes.server import RunningServer, real_server
from tests.fakes.wire import answering, pool_over, spoken

pytestmark = [pytest.mark.long, pytest.mark.timeout(240)]

QUEUE = "starvation"
PLACES = 8
STALLED = ("one", "two", "three")
NAMES = (*STALLED, "healthy")
CALLS = 100
"""Of each provider that never answers."""
HEALTHY = 50


@workflow.defn(name="Many", sandboxed=False)
class Many:
    """Makes many calls at once."""

    @workflow.run
    async def run(self, calls: list[ModelCall]) -> int:
        """Return how many were answered."""
        replies = await asyncio.gather(*(self._ask(call) for call in calls))
        return len(replies)

    async def _ask(self, call: ModelCall) -> object:
        return await workflow.execute_activity_method(
            ModelCalls.call_model,
            call,
            activity_id=call.call_id,
            start_to_close_timeout=timedelta(hours=1),
            heartbeat_timeout=timedelta(seconds=30),
            priority=Priority(fairness_key=fairness_key(provider_of(call.model), name_of(call.model))),
        )


class Providers(httpx.AsyncBaseTransport):
    """Three that accept a request and never answer, and one that answers."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self.full = asyncio.Event()
        """Set when those that never answer hold all places that they can have."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Answer for the provider that the address names."""
        name = request.url.path.split("/")[1]
        self.asked[name] += 1
        if name == "healthy":
            return answering(*spoken("Blue."))(request)
        if sum(self.asked[stalled] for stalled in STALLED) == PLACES - 1:
            self.full.set()
        await asyncio.Event().wait()
        raise AssertionError


def calls_of(name: str, count: int) -> list[ModelCall]:
    """So many calls of one provider, with patience enough to hold a place for the whole test."""
    patience = {"total": None, "first_token": 3600, "between_chunks": 3600}
    return [model_call(call_id=f"{name}-{n}", model=f"{name}:small", patience=patience) for n in range(count)]


@pytest.fixture
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[RunningServer]:
    """One real server."""
    async with real_server(tmp_path_factory.mktemp("server")) as running:
        yield running


async def test_a_healthy_providers_calls_all_end_while_three_others_hang(server: RunningServer) -> None:
    """Three hundred calls that hang hold all places but one, and fifty healthy calls behind them are all answered."""
    providers = Providers()
    catalogue = Catalogue(providers={name: lab(name) for name in NAMES})
    pool = pool_over(providers, CallSlots(PLACES, NAMES))
    calls = ModelCalls(catalogue, {}, FakeJournal(), pool, InlineReaders())
    client = await Client.connect(server.address, data_converter=pydantic_data_converter)
    async with Worker(
        client,
        task_queue=QUEUE,
        workflows=[Many],
        activities=[calls.call_model],
        max_concurrent_activities=slots_for(PLACES),
        activity_task_poller_behavior=PollerBehaviorAutoscaling(),
    ):
        hanging = [
            await client.start_workflow(Many.run, calls_of(name, CALLS), id=name, task_queue=QUEUE) for name in STALLED
        ]
        await providers.full.wait()
        begun = time.monotonic()
        answered = await client.execute_workflow(Many.run, calls_of("healthy", HEALTHY), id="healthy", task_queue=QUEUE)
        took, seen = time.monotonic() - begun, Counter(providers.asked)
        for handle in hanging:
            await handle.terminate()
    print(f"requests: {dict(seen)}; the healthy ones took {took:.1f} s behind {CALLS * len(STALLED)} that hang")
    assert answered == HEALTHY == seen["healthy"]
    assert sum(seen[name] for name in STALLED) == PLACES - 1


def lab(name: str) -> Provider:
    """A provider without a key whose address holds its name."""
    return provider(name=name, base_url=f"http://127.0.0.1:9/{name}/v1")
