"""A batch from its beginning to its end: what it holds, how it counts, what it shows."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from typing import Any

import pytest
from temporalio.api.enums.v1 import EventType
from temporalio.client import WorkflowFailureError
from temporalio.common import SearchAttributeKey, WorkflowIDReusePolicy
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment, WorkflowEnvironment

from protocols.model_call import ModelCall
from protocols.study.messages import BudgetInput, PermitRequest, Permits, Resolution, ShardReport, ShardSignals
from protocols.study.model import Amount, BatchResult, BatchState, Budget, Counts, RunSettings
from protocols.task_queues import TASK_QUEUE
from tests.fakes.server import local_server
from tests.fakes.studies import ESTIMATE, FakeStudy, details_of, refused, replay, until
from workflows import search_attributes
from workflows.batch import BatchWorkflow
from workflows.budget import BudgetWorkflow

LIMIT = 90.0
SMALL = 26


@pytest.fixture(scope="module")
async def local() -> AsyncIterator[WorkflowEnvironment]:
    """A real server."""
    async with local_server() as env:
        yield env


@pytest.fixture
def small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shards of fewer instances, of two pages still."""
    monkeypatch.setattr("protocols.study.budget.SHARD_SIZE", SMALL)


async def held(study: FakeStudy, env: WorkflowEnvironment, end: int, **changes: object) -> BatchResult:
    """The result of a batch."""
    handle = await study.start(env, study.batch(end, **changes))
    async with asyncio.timeout(LIMIT):
        result: BatchResult = await handle.result()
    return result


@pytest.mark.usefixtures("small_shards")
async def test_every_instance_is_held_once(local: WorkflowEnvironment) -> None:
    """As many deliberations as instances, each asked once; the result is their tally, and histories replay."""
    study = FakeStudy()
    async with study.staff(local):
        result = await held(study, local, SMALL + 4)
        ids = (study.name, *(f"{study.name}/{name}" for name in ("shard-0001", "shard-0002", "budget")))
        events = await replay(local, *ids)

    print({name.removeprefix(study.name): count for name, count in events.items()})
    assert ("done", SMALL + 4, SMALL + 4) == (result.stop_reason, result.tally.completed, study.begun)
    assert {1} == set(study.calls.values())
    assert Amount(usd=SMALL + 4, tokens=(SMALL + 4) * 15) == result.tally.used
    assert events[f"{study.name}/shard-0001"] < 12 * SMALL


async def test_pages_are_brought_as_they_are_needed(env: WorkflowEnvironment) -> None:
    """No more than two pages of instances wait in a shard."""
    study = FakeStudy()
    study.is_holding = True
    async with study.staff(env):
        handle = await study.start(env, study.batch(100, terms=RunSettings(window=3)))
        state = await until(handle, lambda state: state.in_flight == 3 and state.waiting > 25)
        await handle.cancel()
        with env.auto_time_skipping_disabled():  # the server does not stop its clock for a cancellation of a child
            await handle.result()

    assert (2, 47) == (sum(len(page) > 1 for page in study.pages), state.waiting)


async def test_a_budget_and_its_shards_never_signal_each_other_at_once(local: WorkflowEnvironment) -> None:
    """A shard signals its budget, and an activity signals the shard: two workflows would lock each other out."""
    study = FakeStudy()
    async with study.staff(local):
        await held(study, local, 12, window=3)
        history = await local.client.get_workflow_handle(f"{study.name}/budget").fetch_history()

    signalled = {
        event.signal_external_workflow_execution_initiated_event_attributes.workflow_execution.workflow_id
        for event in history.events
        if event.event_type == EventType.EVENT_TYPE_SIGNAL_EXTERNAL_WORKFLOW_EXECUTION_INITIATED
    }
    assert ({study.name}, 12) == (signalled, study.begun)


async def test_signals_to_a_shard_that_is_gone_are_left(local: WorkflowEnvironment) -> None:
    """The batch has noticed and ends as well; the shards that are there have theirs."""
    gone = ShardSignals(permits={"no-such-shard": Permits(numbers=(1,))}, resolutions={"none": Resolution(again=(2,))})

    await ActivityEnvironment(client=local.client).run(FakeStudy().signal_shards, gone)


async def test_the_window_is_kept(local: WorkflowEnvironment, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over all shards no more deliberations run at once than the window says, and it is filled."""
    monkeypatch.setattr("protocols.study.budget.SHARD_SIZE", 8)
    study = FakeStudy()
    study.is_holding = True
    async with study.staff(local):
        handle = await study.start(local, study.batch(12, terms=RunSettings(window=5)))
        state = await until(handle, lambda state: state.in_flight == 5 and study.at_once == 5)
        study.is_holding = False
        async with asyncio.timeout(LIMIT):
            await handle.result()

    assert (2, 2) == (len({number // 8 for page in study.pages[:5] for number in page}), state.shards)
    assert 5 >= study.most_at_once


async def test_failures_are_counted_and_never_asked_again(env: WorkflowEnvironment) -> None:
    """A deliberation that fails counts as failed, one that lost one as degraded; their cost counts."""

    def script(deliberation_id: str, call: ModelCall) -> float | Exception:
        number = int(deliberation_id.rpartition("/r")[2].partition(".")[0])
        is_lost = number == 3 or (number == 5 and call.participant == "p2")
        return refused("provider.bad_request", 400) if is_lost else 0.25

    study = FakeStudy(script, seats=2)
    async with study.staff(env):
        result = await held(study, env, 10)

    assert (9, 1, 1, 0) == (result.tally.completed, result.tally.failed, result.tally.degraded, result.tally.missing)
    assert {"lost": 3} == result.tally.flaws
    assert (20, 3, 17 * 0.25) == (result.tally.calls, result.tally.calls_of_unknown_cost, result.tally.used.usd)
    assert {2} == set(study.calls.values())


async def test_answers_without_a_count_use_up_a_budget_of_tokens_by_their_plan(local: WorkflowEnvironment) -> None:
    """A cap holds where a provider reports no tokens, and the state has the number of such answers."""
    study = FakeStudy()
    study.counts_tokens = False
    terms = RunSettings(window=2, cap=Budget(tokens=4 * ESTIMATE.tokens))
    async with study.staff(local):
        handle = await study.start(local, study.batch(9, terms=terms))
        paused = await until(handle, lambda state: state.phase == "paused" and state.in_flight == 0)
        await handle.cancel()
        async with asyncio.timeout(LIMIT):
            await handle.result()

    assert (4, 4 * ESTIMATE.tokens) == (study.begun, paused.used.tokens)
    assert (4, 0) == (paused.tally.calls_of_unknown_tokens, paused.tally.used.tokens)


async def test_what_was_before_counts(env: WorkflowEnvironment) -> None:
    """A batch that continues after another shows of the whole study; listed instances alone run."""
    study = FakeStudy()
    before = Counts(completed=40, used=Amount(usd=40))
    async with study.staff(env):
        result = await held(study, env, 3, only=(50, 41, 77), before=before, used_before=Amount(usd=41.5))
        state = await env.client.get_workflow_handle(study.name).query("state", result_type=BatchState)

    assert ({study.id_of(n) for n in (41, 50, 77)}, 43) == (set(study.calls), result.tally.completed)
    assert (43, 44.5, "done") == (state.instances, state.used.usd, state.phase)


async def test_a_terminated_deliberation_is_lost_and_written_down(local: WorkflowEnvironment) -> None:
    """It ends without a line of its own, so the shard writes one; what was reserved for it is charged."""
    study = FakeStudy()
    study.is_holding = True
    async with study.staff(local):
        handle = await study.start(local, study.batch(5))
        await until(handle, lambda _: study.at_once == 5)
        await local.client.get_workflow_handle(study.id_of(2)).terminate("by hand")
        study.is_holding = False
        async with asyncio.timeout(LIMIT):
            result = await handle.result()
        state = await handle.query("state", result_type=BatchState)
    (lost,) = study.lost

    assert (4, 1, 5.0) == (result.tally.completed, result.tally.missing, state.used.usd)
    assert (2, study.id_of(2), "study.TerminatedError") == (lost.number, lost.deliberation_id, lost.error_type)


async def test_what_ends_without_a_report_is_charged_what_its_calls_took(local: WorkflowEnvironment) -> None:
    """The ledger has the calls of a terminated or cancelled one; where that is less than its plan, the plan counts."""
    study = FakeStudy()
    study.is_holding = True
    async with study.staff(local):
        handle = await study.start(local, study.batch(4))
        await until(handle, lambda _: study.at_once == 4)
        study.charged = {1: Amount(usd=7.5, tokens=2), 2: Amount(usd=2.5), 3: Amount(usd=0.25)}
        await local.client.get_workflow_handle(study.id_of(1)).terminate("by hand")
        for number in (2, 3):
            await local.client.get_workflow_handle(study.id_of(number)).cancel()
        study.is_holding = False
        async with asyncio.timeout(LIMIT):
            result = await handle.result()
        state = await handle.query("state", result_type=BatchState)

    assert (1, 1, 2) == (result.tally.completed, result.tally.missing, result.tally.cancelled)
    assert 1.0 + 7.5 + 2.5 + ESTIMATE.usd == state.used.usd


@pytest.mark.long
@pytest.mark.timeout(200)
async def test_none_is_held_twice_by_mistake(local: WorkflowEnvironment) -> None:
    """A deliberation that gave a verdict keeps its id; only a batch that states so holds it again."""
    study = FakeStudy()
    async with study.staff(local):
        await held(study, local, 2)
        again = await held(study, local, 2, again=True)
        mistaken = study.batch(3)
        handle = await local.client.start_workflow(
            BatchWorkflow.run,
            mistaken,
            id=study.name,
            task_queue=TASK_QUEUE,
            id_reuse_policy=WorkflowIDReusePolicy.ALLOW_DUPLICATE,
        )
        async with asyncio.timeout(150):
            refused_twice = await handle.result()

    assert (2, 1, 2) == (again.tally.completed, refused_twice.tally.completed, refused_twice.tally.missing)
    assert [2, 2, 1] == [study.calls[study.id_of(n)] for n in range(3)]
    assert {"study.already_run"} == {lost.error_type for lost in study.lost}


async def test_a_batch_shows_what_it_does(local: WorkflowEnvironment) -> None:
    """Phase, ended instances, money and tokens are in the list columns, and all of it in the details."""
    study = FakeStudy()
    async with study.staff(local):
        await held(study, local, 6, rehearsal=True)
        handle = local.client.get_workflow_handle(study.name)
        shown = (await handle.describe()).typed_search_attributes
        details = await details_of(local, study.name)
        child = (await local.client.get_workflow_handle(study.id_of(0)).describe()).typed_search_attributes

    expected: dict[SearchAttributeKey[Any], object] = {
        search_attributes.PROTOCOL: "batch",
        search_attributes.STAGE: "done",
        search_attributes.STOP_REASON: "done",
        search_attributes.BATCH_ID: study.name,
        search_attributes.TITLE: "A study",
        search_attributes.ROUND: 1,
        search_attributes.PARTICIPANTS: 6,
        search_attributes.COST_USD: 6.0,
        search_attributes.TOKENS: 90,
        search_attributes.REHEARSAL: True,
    }
    assert {key.name: value for key, value in expected.items()} == {
        pair.key.name: pair.value for pair in shown if pair.key in expected
    }
    assert (study.name, "council", "why") == (
        child.get(search_attributes.BATCH_ID),
        child.get(search_attributes.PROTOCOL),
        child.get(search_attributes.TITLE),
    )
    assert "6 of 6 (100%)" in details
    assert "90 tokens, invented cost $6.0000" in details


async def test_deliberations_of_a_batch_wait_behind_those_of_people(local: WorkflowEnvironment) -> None:
    """They run at the study's priority and share the queue with other studies by its name."""
    study = FakeStudy()
    async with study.staff(local):
        await held(study, local, 1, terms=RunSettings(priority=5))
        history = await local.client.get_workflow_handle(study.id_of(0)).fetch_history()
    begun = history.events[0].workflow_execution_started_event_attributes

    assert (5, study.name) == (begun.priority.priority_key, begun.priority.fairness_key)


async def test_without_a_cache_every_step_is_replayed(local: WorkflowEnvironment) -> None:
    """Schedules that are forgotten after every task end in the same way."""
    study = FakeStudy()
    async with study.staff(local, cached=0):
        result = await held(study, local, 8, terms=RunSettings(window=4))

    assert (8, 8) == (result.tally.completed, study.begun)
    assert {1} == set(study.calls.values())


@pytest.mark.long
async def test_a_worker_that_is_killed_loses_nothing(local: WorkflowEnvironment) -> None:
    """Another worker continues with the same schedules."""
    study = FakeStudy()
    study.is_holding = True
    async with study.staff(local):
        handle = await study.start(local, study.batch(30, terms=RunSettings(window=4)))
        await until(handle, lambda _: study.at_once == 4)
        study.is_holding = False
        await until(handle, lambda _: study.begun > 8)
    async with study.staff(local):
        async with asyncio.timeout(LIMIT):
            result = await handle.result()

    assert (30, 30) == (result.tally.completed, study.begun)


@pytest.mark.parametrize("gone", ["budget", "shard-0001"])
async def test_a_schedule_that_is_gone_ends_the_batch_clearly(local: WorkflowEnvironment, gone: str) -> None:
    """When the budget or a shard was terminated, the batch fails and says how the study continues."""
    study = FakeStudy()
    study.is_holding = True
    async with study.staff(local):
        handle = await study.start(local, study.batch(3))
        await until(handle, lambda _: study.at_once == 3)
        await local.client.get_workflow_handle(f"{study.name}/{gone}").terminate("by hand")
        async with asyncio.timeout(LIMIT):
            with pytest.raises(WorkflowFailureError) as failure:
                await handle.result()
            while len(study.cancelled) < 3:  # noqa: ASYNC110 - a list sets no event
                await asyncio.sleep(0.05)

    assert isinstance(failure.value.cause, ApplicationError)
    assert ("study.interrupted", True) == (failure.value.cause.type, "parley batch run" in failure.value.cause.message)


@pytest.mark.long
async def test_a_run_of_the_budget_is_short_and_leaves_no_timer(local: WorkflowEnvironment) -> None:
    """It ends after five hundred events, long before the server suggests it, and no timer of its own can fire then.

    A server refuses to continue as new when anything has happened meanwhile, and the whole run is replayed.
    """
    inp = BudgetInput(study="alone", batch_id="alone", batch_run="none", terms=RunSettings(window=1))
    async with FakeStudy().staff(local), asyncio.timeout(LIMIT):
        first = await local.client.start_workflow(BudgetWorkflow.run, inp, id="alone/budget", task_queue=TASK_QUEUE)
        newest, sent, known = local.client.get_workflow_handle(first.id), 0, 0
        while (await newest.describe()).run_id == first.first_execution_run_id:
            wanted = (PermitRequest(number=sent, estimate=ESTIMATE),)
            await newest.signal(BudgetWorkflow.report, ShardReport(shard_id="alone/shard", wanted=wanted))
            sent += 1
            while known < sent:  # one report for a turn, however slow the machine is
                state = await newest.query(BudgetWorkflow.state)
                known = state.in_flight + state.waiting
        ended = local.client.get_workflow_handle(first.id, run_id=first.first_execution_run_id)
        kinds = Counter([EventType.Name(event.event_type) async for event in ended.fetch_history_events()])
        state = await newest.query(BudgetWorkflow.state)
        await newest.signal(BudgetWorkflow.close)
        await newest.result()

    assert 500 <= kinds.total() < 600
    assert kinds["EVENT_TYPE_TIMER_STARTED"] == kinds["EVENT_TYPE_TIMER_FIRED"] + kinds["EVENT_TYPE_TIMER_CANCELED"] > 0
    assert (1, sent - 1) == (state.in_flight, state.waiting)
