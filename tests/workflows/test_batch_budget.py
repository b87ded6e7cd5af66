"""The cap of a study under a race: reservations hold it, however many want to begin at once."""

import asyncio
from collections.abc import AsyncIterator
from itertools import cycle

import pytest
from temporalio.testing import WorkflowEnvironment

from protocols.study.model import BatchState, Budget, RunSettings
from protocols.update_requests import BudgetChange
from tests.fakes.server import local_server
from tests.fakes.studies import FakeStudy, until

pytestmark = pytest.mark.long

LIMIT = 240.0


@pytest.fixture(scope="module")
async def local() -> AsyncIterator[WorkflowEnvironment]:
    """A real server."""
    async with local_server() as env:
        yield env


@pytest.mark.timeout(400)
async def test_a_thousand_race_for_a_budget_of_three_hundred(local: WorkflowEnvironment) -> None:
    """Exactly 300 begin and the batch pauses for the budget; with more of it exactly as many more begin."""
    study = FakeStudy()
    async with study.staff(local):
        handle = await study.start(local, study.batch(1000, terms=RunSettings(window=1000, cap=Budget(usd=300))))
        paused = await until(handle, lambda state: state.phase == "paused" and state.in_flight == 0, LIMIT)
        begun = study.begun
        await handle.execute_update("set_budget", BudgetChange(usd=340), result_type=BatchState)
        raised = await until(handle, lambda state: state.phase == "paused" and state.tally.ended == 340, LIMIT)
        await handle.cancel()
        async with asyncio.timeout(LIMIT):
            result = await handle.result()

    print(f"begun {begun} of 1000 at a cap of 300, {study.begun} at 340")
    assert (300, 300, 300.0) == (begun, paused.tally.completed, paused.used.usd)
    assert ("budget", "budget") == (paused.pause and paused.pause.cause, raised.pause and raised.pause.cause)
    assert (340, 340, "cancelled") == (study.begun, result.tally.completed, result.stop_reason)


async def test_estimates_that_are_too_low_are_learned_before_the_cap(local: WorkflowEnvironment) -> None:
    """Costs above their estimates raise the reservations: the cap is kept, and all but a reservation of it is used."""
    costs, window, cap = cycle((0.7, 1.9, 2.5)), 5, 20
    study = FakeStudy(lambda _id, _call: next(costs))
    async with study.staff(local):
        handle = await study.start(local, study.batch(90, terms=RunSettings(window=window, cap=Budget(usd=cap))))
        paused = await until(handle, lambda state: state.phase == "paused" and state.in_flight == 0, LIMIT)
        await handle.cancel()
        async with asyncio.timeout(LIMIT):
            await handle.result()

    print(f"used ${paused.used.usd:.2f} of ${cap} with {window} in flight")
    assert cap - 4 < paused.used.usd <= cap + 2.5
