"""A shard on its own, between a user and a budget."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator

import pytest
from temporalio.api.enums.v1 import EventType
from temporalio.client import WorkflowFailureError
from temporalio.exceptions import ApplicationError
from temporalio.testing import WorkflowEnvironment

from protocols.model_call import ModelCall
from protocols.study.messages import BudgetInput, Permits, ShardInput
from protocols.study.model import BatchResult, BatchState, Counts, ResumeRequest, RunSettings
from protocols.task_queues import TASK_QUEUE
from tests.fakes.server import local_server
from tests.fakes.studies import FakeStudy, refused, until
from workflows.budget import BudgetWorkflow
from workflows.shard import ShardWorkflow

LIMIT = 50.0
EVENTS = 70
"""So short a history that a shard of some dozen instances changes runs."""


@pytest.fixture(scope="module")
async def local() -> AsyncIterator[WorkflowEnvironment]:
    """A real server."""
    async with local_server() as env:
        yield env


def shard_of(study: FakeStudy, *numbers: int) -> ShardInput:
    """The first shard of ``study``."""
    return ShardInput(study=study.name, number=1, numbers=numbers, budget_id=f"{study.name}/budget")


async def test_without_a_budget_nothing_begins(local: WorkflowEnvironment) -> None:
    """A shard whose budget is gone fails, and says how the study continues."""
    study = FakeStudy()
    async with study.staff(local), asyncio.timeout(LIMIT):
        with pytest.raises(WorkflowFailureError) as failure:
            await local.client.execute_workflow(
                ShardWorkflow.run, shard_of(study, 1, 2), id=f"{study.name}/shard-0001", task_queue=TASK_QUEUE
            )

    assert isinstance(failure.value.cause, ApplicationError)
    assert ("study.budget_lost", 0) == (failure.value.cause.type, study.begun)


async def test_instances_begin_in_their_order(local: WorkflowEnvironment) -> None:
    """One at a time, in the order in which they are listed, whatever their numbers."""
    study, order = FakeStudy(), (7, 3, 30, 1)
    terms = RunSettings(window=1)
    alone = BudgetInput(study=study.name, batch_id=study.name, batch_run="none", terms=terms)
    async with study.staff(local), asyncio.timeout(LIMIT):
        held = await local.client.start_workflow(
            BudgetWorkflow.run, alone, id=f"{study.name}/budget", task_queue=TASK_QUEUE
        )
        tally: Counts = await local.client.execute_workflow(
            ShardWorkflow.run, shard_of(study, *order), id=f"{study.name}/shard-0001", task_queue=TASK_QUEUE
        )
        await held.signal(BudgetWorkflow.close)
        last = await held.result()

    assert [study.id_of(number) for number in order] == list(study.calls)
    assert (4, 4.0, 4.0) == (tally.completed, tally.used.usd, last.used.usd)


async def test_a_permit_that_arrives_again_gives_nothing(local: WorkflowEnvironment) -> None:
    """An instance that asks anew after trouble does not begin with the repetition of the permit that it has used."""
    study = FakeStudy(lambda _id, _call: refused("config.missing_key"))
    study.is_holding = True
    terms = RunSettings(window=1)
    alone = BudgetInput(study=study.name, batch_id=study.name, batch_run="none", terms=terms)
    async with study.staff(local), asyncio.timeout(LIMIT):
        budget = await local.client.start_workflow(
            BudgetWorkflow.run, alone, id=f"{study.name}/budget", task_queue=TASK_QUEUE
        )
        shard = await local.client.start_workflow(
            ShardWorkflow.run, shard_of(study, 1), id=f"{study.name}/shard-0001", task_queue=TASK_QUEUE
        )
        while not study.begun:  # noqa: ASYNC110 - an activity sets no event of this loop
            await asyncio.sleep(0.02)
        await shard.signal(ShardWorkflow.permit, Permits(numbers=(1,)))
        study.is_holding = False
        while (await budget.query(BudgetWorkflow.state)).waiting == 0:  # noqa: ASYNC110 - the same
            await asyncio.sleep(0.02)
        await shard.signal(ShardWorkflow.permit, Permits(numbers=(1,), turn=1))
        await shard.query(ShardWorkflow.counts)
        history = await shard.fetch_history()
        await shard.cancel()
        await asyncio.gather(shard.result(), return_exceptions=True)
        await budget.signal(BudgetWorkflow.close)
        await budget.result()

    started = EventType.EVENT_TYPE_START_CHILD_WORKFLOW_EXECUTION_INITIATED
    assert 1 == [event.event_type for event in history.events].count(started)


@pytest.mark.long
async def test_permitted_instances_begin_first_in_the_next_run() -> None:
    """Where a shard changes runs they are loaded before those that wait: their permits are all that the window has."""
    window, refusals = 25, Counter[str]()

    def say(deliberation: str, _call: ModelCall) -> float | Exception:
        refusals[deliberation] += 1
        is_refused = refusals[deliberation] == 1 and int(deliberation.rpartition("/r")[2].partition(".")[0]) < window
        return refused("config.missing_key") if is_refused else 1.0

    study = FakeStudy(say)
    async with local_server(events=EVENTS) as short, study.staff(short), asyncio.timeout(LIMIT):
        handle = await study.start(short, study.batch(60, terms=RunSettings(window=window)))
        await until(handle, lambda state: state.phase == "paused" and state.in_flight == 0, LIMIT)
        await handle.execute_update("resume", ResumeRequest(), result_type=BatchState)
        result: BatchResult = await handle.result()

    assert (60, 60) == (result.tally.completed, study.begun)
