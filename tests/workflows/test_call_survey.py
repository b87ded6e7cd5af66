"""What running deliberations wait for, seen on a real server: its pending activities are the evidence."""

import asyncio
from collections.abc import AsyncIterator, Sequence

import pytest
from temporalio.exceptions import ApplicationError
from temporalio.testing import WorkflowEnvironment

from activities.call_survey import PendingCall, pending_calls
from protocols.exchange import ModelCall
from protocols.study.model import Terms
from tests.fakes.studies import FakeStudy, local_server, until

LIMIT = 40.0


@pytest.fixture(scope="module")
async def local() -> AsyncIterator[WorkflowEnvironment]:
    """A real server."""
    async with local_server() as env:
        yield env


def unavailable(_: str, call: ModelCall) -> float | Exception:
    """The first seat's provider is down, the second's limits its rate, the third answers."""
    if call.participant == "p1":
        return ApplicationError("openrouter: 503", {"provider": "openrouter"}, type="provider.unavailable")
    if call.participant == "p2":
        return ApplicationError("cerebras: 429", {"provider": "cerebras"}, type="provider.rate_limited")
    return 1.0


async def waiting(env: WorkflowEnvironment, deliberation_id: str, calls: int) -> Sequence[PendingCall]:
    """The pending calls as soon as there are so many of known providers."""
    while len(found := await pending_calls(env.client, deliberation_id)) < calls:  # noqa: ASYNC110 - a server sets none
        await asyncio.sleep(0.05)
    return found


async def test_a_failed_call_says_who_is_away_and_why(local: WorkflowEnvironment) -> None:
    """A call that is tried again has its provider and its cause; a rate limit is no outage."""
    study = FakeStudy(unavailable, seats=3, providers=("openrouter", "cerebras"))
    async with study.staff(local), asyncio.timeout(LIMIT):
        handle = await study.start(local, study.batch(1, terms=Terms(window=1)))
        await until(handle, lambda _: study.begun == 1)
        found = {call.provider: call for call in await waiting(local, study.id_of(0), 2)}
        await handle.cancel()
        await handle.result()

    assert {"openrouter": "provider.unavailable", "cerebras": ""} == {name: one.cause for name, one in found.items()}
    assert "openrouter: 503" == found["openrouter"].message
    assert not any(call.is_answering for call in found.values())


async def test_a_deliberation_that_is_gone_waits_for_nothing(local: WorkflowEnvironment) -> None:
    """It ended and was forgotten between two looks."""
    assert () == await pending_calls(local.client, "no-such-deliberation")
