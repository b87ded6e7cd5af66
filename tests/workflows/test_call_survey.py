"""What running deliberations wait for, seen on a real server: its pending activities are the evidence."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment, WorkflowEnvironment

from activities.call_survey import CallSurveys, PendingCall, pending_calls, survey_of
from ledger.migrations.upgrade import upgrade
from ledger.store import Store
from ledger.study_tables import INSTANCES
from protocols.model_call import ModelCall
from protocols.study.model import RunSettings
from protocols.study.outages import CallSurvey, SurveyRequest
from tests.fakes.server import local_server
from tests.fakes.studies import FakeStudy, until

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


async def test_a_failed_call_states_who_is_away_and_why(local: WorkflowEnvironment) -> None:
    """A call that is tried again has its provider and its cause; a rate limit is no outage."""
    study = FakeStudy(unavailable, seats=3, providers=("openrouter", "cerebras"))
    async with study.staff(local), asyncio.timeout(LIMIT):
        handle = await study.start(local, study.batch(1, terms=RunSettings(window=1)))
        await until(handle, lambda _: study.begun == 1)
        found = {call.provider: call for call in await waiting(local, study.id_of(0), 2)}
        begun = (await handle.describe()).start_time
        await handle.cancel()
        await handle.result()

    assert {"openrouter": "provider.unavailable", "cerebras": ""} == {name: one.cause for name, one in found.items()}
    assert "openrouter: 503" == found["openrouter"].message
    assert not any(call.is_answering for call in found.values())
    assert all(begun < call.failed_at for call in found.values())


async def in_ledger(store: Store, study: FakeStudy, *numbers: int) -> None:
    """Enter instances of ``study``, as far as a look at them needs it."""
    rest = {"row_id": "r", "arm": "council", "repeat": 1, "title": "why", "changes": b"", "estimate_usd": 0.0}
    for number in numbers:
        mine = {"study": study.name, "number": number, "deliberation_id": study.id_of(number), "estimate_tokens": 0}
        await store.change(INSTANCES.insert().values(**rest, **mine))


async def test_a_look_brings_one_line_per_provider(local: WorkflowEnvironment, tmp_path: Path) -> None:
    """The ledger knows the ids of the instances asked for; those that ended are passed over."""
    study = FakeStudy(unavailable, seats=3, providers=("openrouter", "cerebras"))
    store = Store(f"sqlite:///{tmp_path / 'parley.db'}")
    await upgrade(store)
    await in_ledger(store, study, 0, 1, 2)
    async with study.staff(local), asyncio.timeout(LIMIT):
        handle = await study.start(local, study.batch(2, terms=RunSettings(window=2)))
        await until(handle, lambda _: study.begun == 2)
        for number in range(2):
            await waiting(local, study.id_of(number), 2)
        request = SurveyRequest(study=study.name, numbers=(0, 1, 2))
        found: CallSurvey = await ActivityEnvironment(client=local.client).run(CallSurveys(store).survey_calls, request)
        await handle.cancel()
        await handle.result()
    await store.close()

    assert [("cerebras", 2, ()), ("openrouter", 2, (0, 1))] == [
        (line.provider, line.deliberations, line.stuck) for line in found.providers
    ]


def call(cause: str = "", *, provider: str = "a", is_answering: bool = False, minute: int = 0) -> PendingCall:
    """A call that failed for ``cause``, or is made for the first time."""
    since = datetime(2026, 6, 1, 12, minute, tzinfo=UTC)
    return PendingCall(provider, cause, f"{cause}!", since, since.replace(hour=13), is_answering)


def test_a_deliberation_is_stuck_when_all_its_calls_are() -> None:
    """A first try beside a failed call may still be answered; the commonest cause and the times are reported."""
    away, other = "provider.gateway", "provider.tls"
    found = survey_of(
        {
            1: [call(away, minute=5), call(away, minute=3)],
            2: [call(other, minute=4), call(is_answering=True)],
            3: [call(away, provider="b")],
            4: [],
        }
    )
    a, b = found.providers

    assert ("a", 2, (1,), 1, away, f"{away}!") == (
        *(a.provider, a.deliberations, a.stuck, a.answering, a.cause, a.message),
    )
    assert (datetime(2026, 6, 1, 12, 3, tzinfo=UTC), datetime(2026, 6, 1, 13, 5, tzinfo=UTC)) == (a.since, a.failed_at)
    assert ("b", 1, (3,), 0) == (b.provider, b.deliberations, b.stuck, b.answering)


async def test_a_deliberation_that_is_gone_waits_for_nothing(local: WorkflowEnvironment) -> None:
    """It ended and was forgotten between two looks."""
    assert () == await pending_calls(local.client, "no-such-deliberation")
