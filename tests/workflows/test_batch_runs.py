"""Schedules of a study that continue in other runs: a real server suggests it early, and nothing is lost or doubled."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from temporalio.testing import WorkflowEnvironment

from parley.replay_check import replay_run
from protocols.study.model import (
    BatchResult,
    BatchState,
    Budget,
    PauseRequest,
    ResumeRequest,
    RunSettings,
    WindowChange,
)
from protocols.update_requests import BudgetChange
from tests.fakes.server import local_server
from tests.fakes.studies import FakeStudy, until
from tests.workflows import holding

pytestmark = pytest.mark.long

LIMIT = 150.0
EVENTS = 70
"""So short a history that every schedule changes runs."""


@pytest.fixture(scope="module")
async def short() -> AsyncIterator[WorkflowEnvironment]:
    """A real server that suggests to continue as new after very few events."""
    async with local_server(events=EVENTS) as env:
        yield env


async def runs(env: WorkflowEnvironment, workflow_id: str) -> int:
    """How many runs a workflow id had."""
    return len([run async for run in env.client.list_workflows(f"WorkflowId = '{workflow_id}'")])


@pytest.mark.timeout(200)
async def test_every_instance_is_held_once_over_many_runs(short: WorkflowEnvironment) -> None:
    """Batch, shard and budget all change runs while they talk; each instance runs once and counted once.

    A last run that is reset to its first step runs what it ran again, and counts as before.
    """
    study = FakeStudy()
    async with study.staff(short):
        handle = await study.start(short, study.batch(205, terms=RunSettings(window=25, cap=Budget(usd=1000))))
        for _ in range(8):
            await handle.execute_update("set_window", WindowChange(window=25), result_type=BatchState)
        async with asyncio.timeout(LIMIT):
            result: BatchResult = await handle.result()
        state = await handle.query("state", result_type=BatchState)
        had = {name: await runs(short, study.name + name) for name in ("", "/budget", "/shard-0001", "/shard-0003")}
        begun, calls = study.begun, {*study.calls.values()}
        again = await holding.reset(short, study.name, step=0)
        repeated = BatchResult.model_validate(await again.result())
        found = await replay_run(again, short.client.data_converter)

    assert (result.tally, [], True) == (repeated.tally, study.lost, found.ok), found.error
    print(f"runs: {had}")
    assert (205, 205, {1}) == (result.tally.completed, begun, calls)
    assert (205.0, 205, 3, 3, 0) == (
        state.used.usd,
        state.tally.ended,
        state.shards,
        state.shards_done,
        state.in_flight,
    )
    assert 205 == sum(use.tokens.count for use in state.learned.values())
    assert min(had[""], had["/budget"], had["/shard-0001"]) > 1


@pytest.mark.timeout(200)
async def test_what_a_person_changed_outlives_the_run(short: WorkflowEnvironment) -> None:
    """The pause, the budget and what was used continue in the next run."""
    study = FakeStudy()
    async with study.staff(short):
        handle = await study.start(short, study.batch(80, terms=RunSettings(window=20, cap=Budget(usd=25))))
        await until(handle, lambda state: state.phase == "paused" and state.in_flight == 0, LIMIT)
        begun, study.is_holding = study.begun, True  # or the new budget might be used up before the pause
        await handle.execute_update("set_budget", BudgetChange(usd=60), result_type=BatchState)
        await handle.execute_update("pause", PauseRequest(reason="lunch"), result_type=BatchState)
        study.is_holding = False
        await until(handle, lambda state: state.in_flight == 0, LIMIT)
        await handle.execute_update("resume", ResumeRequest(), result_type=BatchState)
        paused = await until(handle, lambda state: state.phase == "paused" and state.in_flight == 0, LIMIT)
        await handle.execute_update("set_budget", BudgetChange(any_usd=True), result_type=BatchState)
        async with asyncio.timeout(LIMIT):
            result: BatchResult = await handle.result()
        had = await runs(short, f"{study.name}/budget")

    assert (25, 60.0, 80) == (begun, paused.used.usd, result.tally.completed)
    assert {1} == set(study.calls.values())
    assert had > 1
