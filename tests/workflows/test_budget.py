"""The budget alone: whichever workflow asks and however often it changes runs, no request is lost."""

import asyncio
import uuid
from collections.abc import AsyncIterator
from typing import Any

import pytest
from temporalio.client import WorkflowHandle
from temporalio.testing import WorkflowEnvironment

from protocols.study.messages import BudgetInput, BudgetStatus, PermitRequest, RunChange, Settlement, ShardReport
from protocols.study.model import MOST_IN_FLIGHT, Amount, Counts, RunSettings
from protocols.task_queues import TASK_QUEUE
from tests.fakes.server import local_server
from tests.fakes.studies import ESTIMATE, FakeStudy
from workflows.budget import BudgetWorkflow

LIMIT = 50.0


@pytest.fixture(scope="module")
async def short() -> AsyncIterator[WorkflowEnvironment]:
    """A real server that suggests to continue as new after very few events."""
    async with local_server(events=40) as env:
        yield env


async def opened(env: WorkflowEnvironment, terms: RunSettings) -> WorkflowHandle[Any, BudgetStatus]:
    """A budget without a batch and shards."""
    name = f"alone-{uuid.uuid4().hex[:8]}"
    inp = BudgetInput(study=name, batch_id=name, batch_run="none", terms=terms)
    return await env.client.start_workflow(BudgetWorkflow.run, inp, id=f"{name}/budget", task_queue=TASK_QUEUE)


@pytest.mark.long
async def test_no_word_is_lost_while_it_changes_runs(short: WorkflowEnvironment) -> None:
    """At least two hundred requests and as many settlements, over several runs, are all counted once.

    No settlement here is of a request: a real one follows its permit, which may be issued at any time.
    """
    async with FakeStudy().staff(short), asyncio.timeout(LIMIT):
        handle = await opened(short, RunSettings(window=MOST_IN_FLIGHT))

        async def talk(number: int) -> None:
            wanted = PermitRequest(number=number, estimate=ESTIMATE)
            settled = Settlement(number=1_000_000 + number, used=Amount(usd=0.5))
            shard = f"{handle.id}/none-{number % 7}"
            await handle.signal(BudgetWorkflow.report, ShardReport(shard_id=shard, wanted=(wanted,)))
            told = ShardReport(shard_id=shard, settled=(settled,), tally=Counts(completed=1))
            await handle.signal(BudgetWorkflow.report, told)

        newest, instances = short.client.get_workflow_handle(handle.id), 0
        while instances < 200 or (await newest.describe()).run_id == handle.first_execution_run_id:
            await asyncio.gather(*(talk(number) for number in range(instances, instances + 20)))
            instances += 20
            await asyncio.sleep(0.05)
        await handle.signal(BudgetWorkflow.close)
        last = await handle.result()

    assert (instances / 2, instances, instances) == (
        last.used.usd,
        last.tally.completed,
        last.in_flight + last.waiting,
    )


async def test_orders_are_followed_in_their_order(short: WorkflowEnvironment) -> None:
    """A smaller window, then a larger one: the larger one is, and the number of the last change is known."""
    async with FakeStudy().staff(short), asyncio.timeout(LIMIT):
        handle = await opened(short, RunSettings(window=1))
        wanted = tuple(PermitRequest(number=number, estimate=ESTIMATE) for number in range(9))
        await handle.signal(BudgetWorkflow.report, ShardReport(shard_id="none", wanted=wanted))
        await handle.signal(BudgetWorkflow.change, RunChange(number=1, terms=RunSettings(window=2)))
        await handle.signal(BudgetWorkflow.change, RunChange(number=2, terms=RunSettings(window=4)))
        await handle.signal(BudgetWorkflow.close)
        last = await handle.result()

    assert (2, 4, 5) == (last.orders, last.in_flight, last.waiting)


async def test_a_shard_that_leaves_takes_its_leave_with_it(short: WorkflowEnvironment) -> None:
    """Nothing stays reserved and no one waits for a shard that was called off."""
    async with FakeStudy().staff(short), asyncio.timeout(LIMIT):
        handle = await opened(short, RunSettings(window=2))
        wanted = tuple(PermitRequest(number=number, estimate=ESTIMATE) for number in range(9))
        await handle.signal(BudgetWorkflow.report, ShardReport(shard_id="none", wanted=wanted))
        await handle.signal(BudgetWorkflow.report, ShardReport(shard_id="none", is_leaving=True))
        await handle.signal(BudgetWorkflow.close)
        last = await handle.result()

    assert (0, 0, Amount()) == (last.in_flight, last.waiting, last.reserved)


@pytest.mark.long
async def test_it_may_be_closed_in_the_moment_in_which_a_word_arrives(short: WorkflowEnvironment) -> None:
    """A signal on its way is never called off: called off in the moment of its arrival it would end twice, for ever."""
    wanted = (PermitRequest(number=1, estimate=ESTIMATE),)
    async with FakeStudy().staff(short), asyncio.timeout(LIMIT):
        for _ in range(12):
            handle = await opened(short, RunSettings(window=2))
            await handle.signal(BudgetWorkflow.report, ShardReport(shard_id="none", wanted=wanted))
            await handle.signal(BudgetWorkflow.report, ShardReport(shard_id="none", is_leaving=True))
            await handle.signal(BudgetWorkflow.close)
            last = await handle.result()
            assert (0, Amount()) == (last.in_flight, last.reserved)
