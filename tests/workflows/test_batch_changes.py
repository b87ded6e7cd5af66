"""What a user does to a batch that runs: pause, resume, cancel, other windows and budgets, more instances."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from temporalio.client import (
    WorkflowExecutionStatus,
    WorkflowHandle,
    WorkflowQueryFailedError,
    WorkflowUpdateFailedError,
)
from temporalio.exceptions import ApplicationError
from temporalio.testing import WorkflowEnvironment

from parley.replay_check import replay_run
from protocols.model_call import ModelCall
from protocols.starting import IS_BEING_PREPARED
from protocols.study.messages import BudgetStatus
from protocols.study.model import (
    Amount,
    BatchResult,
    BatchState,
    Budget,
    Counts,
    Extension,
    PauseRequest,
    ResumeRequest,
    RunSettings,
    WindowChange,
)
from protocols.task_queues import TASK_QUEUE
from protocols.update_requests import BudgetChange
from tests.fakes.server import local_server
from tests.fakes.studies import FakeStudy, details_of, refused, replay, until
from tests.workflows import holding
from workflows import child_start, search_attributes

LIMIT = 90.0
Handle = WorkflowHandle[Any, Any]


@pytest.fixture(scope="module")
async def local() -> AsyncIterator[WorkflowEnvironment]:
    """A real server."""
    async with local_server() as env:
        yield env


async def told(handle: Handle, update: str, *request: object) -> BatchState:
    """What the batch answers to an update."""
    async with asyncio.timeout(LIMIT):
        state: BatchState = await handle.execute_update(update, args=request, result_type=BatchState)
    return state


async def refusal(handle: Handle, update: str, *request: object) -> str:
    """Why the batch refuses an update."""
    with pytest.raises(WorkflowUpdateFailedError) as failure:
        await told(handle, update, *request)
    assert isinstance(failure.value.cause, ApplicationError)
    return failure.value.cause.message


async def result_of(handle: Handle) -> Any:
    """What the batch gave."""
    async with asyncio.timeout(LIMIT):
        return await handle.result()


async def test_pause_and_resume(local: WorkflowEnvironment) -> None:
    """While it is paused what runs ends and nothing begins; columns and details say why."""
    study = FakeStudy()
    study.is_holding = True
    async with study.staff(local):
        handle = await study.start(local, study.batch(4, terms=RunSettings(window=2)))
        await until(handle, lambda _: study.at_once == 2)
        paused = await told(handle, "pause", PauseRequest(reason="lunch"))
        study.is_holding = False
        drained = await until(handle, lambda state: state.in_flight == 0)
        await asyncio.sleep(0.5)
        begun = study.begun
        shown = (await handle.describe()).typed_search_attributes
        details = await details_of(local, study.name)
        again = await refusal(handle, "pause", PauseRequest())
        resumed = await told(handle, "resume", ResumeRequest())
        twice = await refusal(handle, "resume", ResumeRequest())
        result = await result_of(handle)
        after = (await handle.describe()).typed_search_attributes
        await replay(local, study.name, f"{study.name}/budget")

    assert ("paused", "person") == (paused.phase, paused.pause and paused.pause.cause)
    assert (2, 2, "paused") == (begun, drained.tally.ended, drained.phase)
    assert ("paused", "person") == (shown.get(search_attributes.STAGE), shown.get(search_attributes.STOP_REASON))
    assert "lunch. Resume it with: parley batch resume" in " ".join(details.split())
    assert ("running", None) == (resumed.phase, resumed.pause)
    assert "paused already" in again
    assert "not paused" in twice
    assert (4, "done") == (result.tally.completed, after.get(search_attributes.STAGE))


async def test_a_batch_that_is_reset_follows_its_budget(local: WorkflowEnvironment) -> None:
    """After a reset it shows what its budget reports of what runs, and a pause can be ended."""
    study = FakeStudy()
    study.is_holding = True
    async with study.staff(local):
        handle = await study.start(local, study.batch(4, terms=RunSettings(window=2)))
        await until(handle, lambda state: state.in_flight == 2)
        again = await holding.reset(local, study.name, (await handle.describe()).run_id)
        paused = await told(again, "pause", PauseRequest())
        study.is_holding = False
        await until(again, lambda state: state.tally.ended == 2)
        await told(again, "resume", ResumeRequest())
        result = BatchResult.model_validate(await result_of(again))

    assert ("paused", 2) == (paused.phase, paused.in_flight)
    assert ("done", 4, 4) == (result.stop_reason, result.tally.completed, study.begun)


async def test_a_batch_that_is_reset_after_its_end_counts_as_before(local: WorkflowEnvironment) -> None:
    """From its first step it runs its deliberations again, whose answers are in the journal; none is missing."""
    study = FakeStudy()
    async with study.staff(local):
        handle = await study.start(local, study.batch(2))
        first = BatchResult.model_validate(await result_of(handle))
        again = await holding.reset(local, study.name, step=0)
        second = BatchResult.model_validate(await result_of(again))

    assert (2, 0) == (second.tally.completed, second.tally.missing)
    assert (first, []) == (second, study.lost)


async def test_a_batch_that_is_reset_while_it_runs_begins_again(local: WorkflowEnvironment) -> None:
    """A reset to the first step leaves its budget and its shards running: they end, and their ids are free again."""
    study = FakeStudy()
    study.is_holding = True
    async with study.staff(local):
        handle = await study.start(local, study.batch(4, terms=RunSettings(window=2)))
        await until(handle, lambda _: study.at_once == 2)
        again = await holding.reset(local, study.name, step=0)
        await until(again, lambda _: len(study.cancelled) == 2 and study.at_once == 2)
        study.is_holding = False
        result = BatchResult.model_validate(await result_of(again))

    assert ("done", 4, 0) == (result.stop_reason, result.tally.completed, result.tally.cancelled)


async def test_a_batch_that_is_reset_can_be_replayed(local: WorkflowEnvironment) -> None:
    """A check of what runs does not take a batch that began with a reset for one by other code."""
    study = FakeStudy()
    study.is_holding = True
    async with study.staff(local):
        handle = await study.start(local, study.batch(2))
        await until(handle, lambda _: study.at_once == 2)
        again = await holding.reset(local, study.name, step=0)
        await until(again, lambda _: len(study.cancelled) == 2 and study.at_once == 2)
        found = await replay_run(again, local.client.data_converter)
        study.is_holding = False
        await result_of(again)

    assert (True, "") == (found.ok, found.error)


async def _with_two_ended_and_two_held(local: WorkflowEnvironment, study: FakeStudy) -> Handle:
    """Start a batch of six, and return it when two have ended and two are in flight, which the study holds."""
    study.is_holding = True
    handle = await study.start(local, study.batch(6, terms=RunSettings(window=2)))
    await until(handle, lambda _: study.at_once == 2)
    await told(handle, "pause", PauseRequest())
    study.is_holding = False
    await until(handle, lambda state: state.tally.ended == 2)
    study.is_holding = True
    await told(handle, "resume", ResumeRequest())
    await until(handle, lambda _: study.at_once == 2)
    return handle


async def test_a_budget_that_is_reset_alone_starts_what_is_left(local: WorkflowEnvironment) -> None:
    """It receives all reports again; what has ended gets no permit, and no permit is taken for an earlier one."""
    study = FakeStudy()
    async with study.staff(local):
        handle = await _with_two_ended_and_two_held(local, study)
        await holding.reset(local, f"{study.name}/budget", step=0)
        study.is_holding = False
        result = BatchResult.model_validate(await result_of(handle))

    assert ("done", 6, 6) == (result.stop_reason, result.tally.completed, study.begun)


async def test_a_shard_that_is_reset_alone_counts_as_before(
    local: WorkflowEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What had ended runs again from the journal, what runs is waited for, and nothing waits twice; none is missing."""
    monkeypatch.setattr(child_start, "_PAUSES", (0.1, 0.5))  # shorter than what it finds takes
    study = FakeStudy()
    async with study.staff(local):
        handle = await _with_two_ended_and_two_held(local, study)
        await holding.reset(local, f"{study.name}/shard-0001", step=0)
        waiting = (await until(handle, lambda state: state.waiting > 2)).waiting
        await asyncio.sleep(2)
        study.is_holding = False
        result = BatchResult.model_validate(await result_of(handle))

    assert ("done", 6, 0) == (result.stop_reason, result.tally.completed, result.tally.missing)
    assert ([], True) == (study.lost, waiting <= 6)


async def test_the_window_is_changed(local: WorkflowEnvironment) -> None:
    """A larger window fills at once; a smaller one lets those in flight end."""
    study = FakeStudy()
    study.is_holding = True
    async with study.staff(local):
        handle = await study.start(local, study.batch(12, terms=RunSettings(window=2)))
        await until(handle, lambda _: study.at_once == 2)
        wider = await told(handle, "set_window", WindowChange(window=6))
        await until(handle, lambda _: study.at_once == 6)
        narrower = await told(handle, "set_window", WindowChange(window=1))
        await handle.cancel()
        await result_of(handle)

    assert (6, 1) == (wider.terms.window, narrower.terms.window)
    assert 6 == study.most_at_once


async def test_a_wrong_window_is_refused(local: WorkflowEnvironment) -> None:
    """What the values forbid never reaches the batch, and it continues."""
    study = FakeStudy()
    study.is_holding = True
    async with study.staff(local):
        handle = await study.start(local, study.batch(3))
        said = await refusal(handle, "set_window", {"window": 0})
        study.is_holding = False
        await result_of(handle)

    assert "the argument cannot be used: window is '0': write 1 or more" == said


async def test_a_message_without_its_argument_is_refused(local: WorkflowEnvironment) -> None:
    """An update says what its argument holds; a signal without its argument is dropped, and the batch continues."""
    study = FakeStudy()
    study.is_holding = True
    async with study.staff(local):
        handle = await study.start(local, study.batch(3))
        await until(handle, lambda state: state.in_flight == 3)
        said = [await refusal(handle, update) for update in ("set_window", "resume")]
        await handle.signal("budget_status")
        await handle.signal("budget_status", args=["one", "two"])
        study.is_holding = False
        result = await result_of(handle)

    takes = "takes one argument, a JSON object"
    assert [f"set_window {takes} with: window", f"resume {takes}"] == said
    assert 3 == result.tally.completed


async def test_a_signal_while_the_input_is_prepared_ends_no_batch(local: WorkflowEnvironment) -> None:
    """What the budget reported to a run comes again after a reset to its first step, before the input is complete."""
    study = FakeStudy()
    async with study.staff(local):
        handle = await local.client.start_workflow("Batch", {"study": "toy"}, id=study.name, task_queue=TASK_QUEUE)
        await handle.signal(
            "budget_status", BudgetStatus(batch_run="earlier", used=Amount(), reserved=Amount(), in_flight=0, waiting=0)
        )
        with pytest.raises(WorkflowQueryFailedError, match=IS_BEING_PREPARED):
            await handle.query("state")
        described = await handle.describe()
        await handle.terminate()

    assert WorkflowExecutionStatus.RUNNING == described.status


async def test_budgets_are_refused_where_they_state_nothing(local: WorkflowEnvironment) -> None:
    """A change that changes nothing, or that contradicts itself, is refused with the reason."""
    study = FakeStudy()
    study.is_holding = True
    async with study.staff(local):
        handle = await study.start(local, study.batch(3))
        nothing = await refusal(handle, "set_budget", BudgetChange())
        both = await refusal(handle, "set_budget", BudgetChange(usd=1, any_usd=True))
        study.is_holding = False
        await result_of(handle)

    assert "nothing is to be changed" in nothing
    assert "cannot be set and taken away" in both


async def test_a_budget_below_what_is_used_pauses(local: WorkflowEnvironment) -> None:
    """Nothing more begins; resuming is refused with the remedy, and a budget that is taken away continues."""
    study = FakeStudy()
    study.is_holding = True
    async with study.staff(local):
        handle = await study.start(local, study.batch(6, terms=RunSettings(window=2)))
        await until(handle, lambda _: study.at_once == 2)
        await told(handle, "pause", PauseRequest())
        study.is_holding = False
        await until(handle, lambda state: state.in_flight == 0)
        await told(handle, "resume", ResumeRequest())
        study.is_holding = True
        await until(handle, lambda _: study.at_once == 2)
        low = await told(handle, "set_budget", BudgetChange(usd=0.5))
        said = await refusal(handle, "resume", ResumeRequest())
        study.is_holding = False
        await told(handle, "set_budget", BudgetChange(any_usd=True))
        result = await result_of(handle)

    assert ("paused", "budget") == (low.phase, low.pause and low.pause.cause)
    assert "parley batch budget" in said
    assert 6 == result.tally.completed


async def test_a_batch_is_extended(local: WorkflowEnvironment) -> None:
    """More instances run by the same batch, said once or twice; fewer are refused, and more than the ledger has."""
    study = FakeStudy()
    study.is_holding = True
    async with study.staff(local):
        handle = await study.start(local, study.batch(4))
        await until(handle, lambda _: study.at_once == 4)
        extended = await told(handle, "extend", Extension(end=9))
        again = await told(handle, "extend", Extension(end=9))
        said = await refusal(handle, "extend", Extension(end=8))
        study.most = 9
        beyond = await refusal(handle, "extend", Extension(end=10))
        study.is_holding = False
        result = await result_of(handle)

    assert (9, 2, 9) == (extended.instances, extended.shards, result.tally.completed)
    assert extended.instances == again.instances
    assert {1} == set(study.calls.values())
    assert ("goes to instance 9 already" in said, "the ledger has no instance 9") == (True, beyond)


async def test_a_list_is_extended(local: WorkflowEnvironment) -> None:
    """A batch of listed instances runs the new ones behind its list, and none that the study had before."""
    study = FakeStudy()
    study.is_holding = True
    async with study.staff(local):
        handle = await study.start(local, study.batch(2, only=(4, 2), before=Counts(completed=3)))
        await until(handle, lambda _: study.at_once == 2)
        extended = await told(handle, "extend", Extension(end=8))
        await told(handle, "extend", Extension(end=8))
        study.is_holding = False
        result = await result_of(handle)

    assert (8, 8) == (extended.instances, result.tally.completed)
    assert {study.id_of(number): 1 for number in (2, 4, 5, 6, 7)} == study.calls


async def test_an_extension_of_a_batch_that_is_cancelled_meanwhile_is_refused(local: WorkflowEnvironment) -> None:
    """The ledger is asked for the last instance first, and the batch may have ended when it answers."""
    study = FakeStudy()
    study.is_holding = True
    async with study.staff(local):
        handle = await study.start(local, study.batch(2))
        await until(handle, lambda _: study.at_once == 2)
        study.holds_pages = True
        extension = asyncio.create_task(refusal(handle, "extend", Extension(end=5)))
        await until(handle, lambda _: study.waits_for_page)
        await handle.cancel()
        await until(handle, lambda state: state.phase == "cancelled")
        study.holds_pages = False
        said = await extension
        result = await result_of(handle)
        state = await handle.query("state", result_type=BatchState)

    assert "the batch is cancelled: nothing more starts" in said
    assert ("cancelled", 2, 2) == (result.stop_reason, state.instances, study.begun)


async def test_cancelling_ends_everything_in_flight(local: WorkflowEnvironment) -> None:
    """What is in flight is cancelled, recorded and no failure, what waits never begins, and the batch says so."""
    study = FakeStudy()
    study.is_holding = True
    async with study.staff(local):
        handle = await study.start(local, study.batch(60, terms=RunSettings(window=3)))
        await until(handle, lambda _: study.at_once == 3)
        await handle.cancel()
        result = await result_of(handle)
        state = await handle.query("state", result_type=BatchState)
        shown = (await handle.describe()).typed_search_attributes
        await replay(local, study.name, f"{study.name}/shard-0001", f"{study.name}/budget")

    tally = result.tally
    assert ("cancelled", 0, 0, 3) == (result.stop_reason, tally.completed, tally.failed, tally.cancelled)
    assert (3, set(study.calls)) == (study.begun, set(study.cancelled))
    assert ("cancelled", 0) == (state.phase, state.in_flight)
    assert "cancelled" == shown.get(search_attributes.STOP_REASON)


@pytest.mark.parametrize(
    ("error_type", "cause"),
    [("provider.payment_required", "credit"), ("provider.auth", "key"), ("config.missing_key", "config")],
)
async def test_trouble_pauses_and_the_same_rows_are_held_again(
    local: WorkflowEnvironment, error_type: str, cause: str
) -> None:
    """No credit, a refused key or wrong settings pause the batch; what they cost runs again and counted once."""
    is_mended = False

    def script(_: str, call: ModelCall) -> float | Exception:
        return 0.5 if is_mended or call.participant == "p1" else refused(error_type, 402)

    study = FakeStudy(script, seats=2)
    async with study.staff(local):
        handle = await study.start(local, study.batch(4, terms=RunSettings(window=2, cap=Budget(usd=4))))
        paused = await until(handle, lambda state: state.phase == "paused" and state.in_flight == 0)
        begun, is_mended = study.begun, True
        await told(handle, "resume", ResumeRequest())
        result = await result_of(handle)
        state = await handle.query("state", result_type=BatchState)

    assert (cause, 0) == (paused.pause and paused.pause.cause, paused.tally.ended)
    assert paused.pause is not None
    assert "parley batch resume" in paused.pause.reason
    assert 1 <= begun <= 3
    assert (4, 0, 0, 8) == (result.tally.completed, result.tally.failed, result.tally.degraded, result.tally.calls)
    assert (4.0, begun) == (state.used.usd, sum(count > 2 for count in study.calls.values()))
