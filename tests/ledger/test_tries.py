"""Tries counted by type of error, from attempt to attempt of a real server."""

import re
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta

import httpx
import pytest
from temporalio import workflow
from temporalio.client import Client, WorkflowFailureError
from temporalio.common import RetryPolicy
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.exceptions import ActivityError, ApplicationError
from temporalio.worker import Worker

from activities.call_model import ModelCalls
from activities.providers.catalogue import Catalogue
from activities.retry_posture import Backoff
from protocols.model_call import Answered, Failed, ModelCall
from tests.fakes.calls import model_call, provider
from tests.fakes.journal import FakeJournal
from tests.fakes.readers import InlineReaders
from tests.fakes.server import RunningServer, real_server
from tests.fakes.wire import Wire, answering, json_answer, spoken

pytestmark = pytest.mark.long

Answer = Callable[[httpx.Request], httpx.Response]

QUEUE = "tries"
LAB = Catalogue(providers={"lab": provider(key_variable="LAB_KEY")})
THROTTLE = timedelta(seconds=30)
"""Far longer than a call here takes: after the first heartbeat of an attempt its others are delayed."""

AWAY = json_answer({"error": {"message": "down for maintenance"}}, 503)
SILENT = answering(*spoken())
SLOWLY_SILENT = answering(1.2, *spoken())
"""Long enough for a heartbeat before the one that counts."""
GARBLED = json_answer({}, 204)
WELL = answering(*spoken("Blue."))


@workflow.defn(name="Asker", sandboxed=False)
class Asker:
    """Asks one model once, without long waits between the attempts."""

    @workflow.run
    async def run(self, call: ModelCall) -> Answered | Failed:
        """Return the reply."""
        reply: Answered | Failed = await workflow.execute_activity_method(
            ModelCalls.call_model,
            call,
            start_to_close_timeout=timedelta(seconds=20),
            heartbeat_timeout=timedelta(seconds=40),
            retry_policy=RetryPolicy(initial_interval=timedelta(milliseconds=20), backoff_coefficient=1.0),
        )
        return reply


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pauses begin short, so that the attempts of a test come soon."""
    monkeypatch.setattr("activities.retry_posture.BACKOFF", Backoff(first=0.02))


@pytest.fixture(scope="module")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[RunningServer]:
    """One real server for the tests of this file."""
    async with real_server(tmp_path_factory.mktemp("server")) as running:
        yield running


@asynccontextmanager
async def asked(server: RunningServer, *answers: Answer) -> AsyncIterator[tuple[Client, Wire]]:
    """A worker whose provider gives ``answers`` one after the other."""
    script = iter(answers)

    def answer(request: httpx.Request) -> httpx.Response:
        return next(script)(request)

    wire = Wire(answer)
    client = await Client.connect(server.address, data_converter=pydantic_data_converter)
    calls = ModelCalls(LAB, {"LAB_KEY": "sk-canary-123456"}, FakeJournal(), wire.pool(), InlineReaders())
    async with Worker(
        client,
        task_queue=QUEUE,
        workflows=[Asker],
        activities=[calls.call_model],
        max_heartbeat_throttle_interval=THROTTLE,
        default_heartbeat_throttle_interval=THROTTLE,
    ):
        yield client, wire
    await calls.aclose()


@pytest.mark.parametrize(
    "answers",
    [
        (AWAY, AWAY, AWAY, SILENT, AWAY, GARBLED, WELL),
        (SLOWLY_SILENT, AWAY, GARBLED, WELL),
    ],
    ids=["after an outage", "held-back heartbeats"],
)
async def test_an_outage_uses_up_no_try_of_another_failure(server: RunningServer, answers: tuple[Answer, ...]) -> None:
    """One empty and one garbled answer are forgiven each, however many attempts an outage took before."""
    async with asked(server, *answers) as (client, wire):
        reply = await client.execute_workflow(
            Asker.run, model_call(), id=f"forgiven-{uuid.uuid4().hex}", task_queue=QUEUE
        )
    assert isinstance(reply, Answered)
    assert (reply.text, reply.attempts, len(wire.requests)) == ("Blue.", len(answers), len(answers))


async def test_a_provider_that_was_away_is_given_up_by_time(server: RunningServer) -> None:
    """Attempts come as long as the patience lasts, then the loss names it; a broken worker's clock plays no part."""
    async with asked(server, *([AWAY] * 500)) as (client, wire):
        call = model_call(patience={"total": 5, "first_token": 5, "between_chunks": 5, "away": 3})
        with pytest.raises(WorkflowFailureError) as failed:
            await client.execute_workflow(Asker.run, call, id="away", task_queue=QUEUE)
    assert isinstance(failed.value.cause, ActivityError)
    given_up = re.search(r"given up after ([\d.]+) s \(patience: 3 s\)", str(failed.value.cause.cause))
    assert given_up
    assert float(given_up[1]) >= 3  # how long the last pause is, is the machine's
    assert 2 <= len(wire.requests) < 500  # how many fit into the time is the machine's


@pytest.mark.parametrize("first", [SILENT, SLOWLY_SILENT], ids=["at once", "held-back heartbeats"])
async def test_the_second_failure_of_a_type_is_final_across_an_outage(server: RunningServer, first: Answer) -> None:
    """The server keeps the count through attempts that tell nothing; the loss names all attempts."""
    answers = (AWAY, first, AWAY, AWAY, SILENT, WELL)
    async with asked(server, *answers) as (client, wire):
        with pytest.raises(WorkflowFailureError) as failed:
            await client.execute_workflow(Asker.run, model_call(), id=f"lost-{uuid.uuid4().hex}", task_queue=QUEUE)
    assert isinstance(failed.value.cause, ActivityError)
    assert isinstance(failed.value.cause.cause, ApplicationError)
    assert failed.value.cause.cause.type == "provider.empty"
    assert failed.value.cause.cause.details[0]["attempt"] == 5
    assert len(wire.requests) == 5
