"""A shard on its own, between a user and a budget."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from temporalio.client import WorkflowFailureError
from temporalio.exceptions import ApplicationError
from temporalio.testing import WorkflowEnvironment

from protocols.study.messages import BudgetInput, ShardInput
from protocols.study.model import Counts, RunSettings
from protocols.task_queues import TASK_QUEUE
from tests.fakes.server import local_server
from tests.fakes.studies import FakeStudy
from workflows.budget import BudgetWorkflow
from workflows.shard import ShardWorkflow

LIMIT = 50.0


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
