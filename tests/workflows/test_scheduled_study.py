"""One firing of a schedule: a copy of its study, and a batch that holds it."""

import asyncio
import re
import uuid
from contextlib import suppress
from typing import Any

import pytest
from temporalio.client import WorkflowExecutionStatus, WorkflowFailureError, WorkflowHandle
from temporalio.exceptions import ActivityError, ApplicationError, CancelledError, ChildWorkflowError
from temporalio.service import RPCError
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import Replayer

from protocols.study.model import BatchInput, BatchResult, Counts
from protocols.study.scheduled import LONGEST_NAME, ScheduledInput
from tests.fakes.firings import TERMS, USED, FakeBatch, FakeCopies
from tests.fakes.sandbox import prepared_once
from tests.fakes.server import local_server
from tests.workflows import holding
from workflows import search_attributes
from workflows.scheduled_study import ScheduledStudyWorkflow

SECONDS = 30


async def fired(
    env: WorkflowEnvironment, queue: str, pattern: str = "nightly", **told: Any
) -> WorkflowHandle[Any, Any]:
    """A firing under an id of its own."""
    inp = ScheduledInput(pattern=pattern, **{"title": "A study", **told})
    handle: WorkflowHandle[Any, Any] = await env.client.start_workflow(
        ScheduledStudyWorkflow.run, inp, id=f"{pattern}/firing-{uuid.uuid4().hex[:8]}", task_queue=queue
    )
    return handle


async def begun(env: WorkflowEnvironment, copies: FakeCopies) -> WorkflowHandle[Any, Any]:
    """The batch of the only firing, as soon as the server knows it."""
    while True:
        with suppress(RPCError, IndexError):
            batch: WorkflowHandle[Any, Any] = env.client.get_workflow_handle(copies.asked[0].name)
            await batch.describe()
            return batch
        await asyncio.sleep(0.05)


@pytest.fixture
def queue() -> str:
    """A queue of the test's own."""
    return f"firings-{uuid.uuid4().hex[:8]}"


async def test_a_firing_holds_a_copy_under_its_moment(env: WorkflowEnvironment, queue: str) -> None:
    """The copy is called by the firing's date and time, its batch has that id and holds all of it on its terms."""
    copies = FakeCopies()
    async with asyncio.timeout(SECONDS), copies.staff(env, queue):
        handle = await fired(env, queue)
        result = await handle.result()
        (asked,) = copies.asked
        batch = await env.client.get_workflow_handle(asked.name).describe()
    began = (await handle.describe()).start_time
    assert (asked.pattern, asked.name) == ("nightly", f"nightly-{began:%Y%m%d-%H%M%S}")
    assert result == BatchResult(study=asked.name, stop_reason="done", tally=Counts(completed=4), terms=TERMS)
    assert batch.status is WorkflowExecutionStatus.COMPLETED
    assert batch.typed_search_attributes.get(search_attributes.BATCH_ID) == asked.name


async def test_a_firing_that_is_reset_runs_its_batch_again(queue: str) -> None:
    """Its deliberations have verdicts: they run again, with their answers of before, and what these took counts."""
    async with asyncio.timeout(SECONDS), local_server() as env, FakeCopies().staff(env, queue):
        handle = await fired(env, queue)
        study = (await handle.result()).study
        first = await _input_of(env, study)
        await (await holding.reset(env, handle.id, step=0)).result()
        assert (first.model_copy(update={"again": True}), USED) == (await _input_of(env, study), first.used_before)


async def _input_of(env: WorkflowEnvironment, study: str) -> BatchInput:
    """The argument of the newest batch of ``study``."""
    history = await env.client.get_workflow_handle(study).fetch_history()
    payloads = history.events[0].workflow_execution_started_event_attributes.input.payloads
    inp: BatchInput = (await env.client.data_converter.decode(payloads, [BatchInput]))[0]
    return inp


async def test_the_longest_name_of_a_schedule_makes_names_of_studies(env: WorkflowEnvironment, queue: str) -> None:
    """Whatever a schedule may be called, what its firings are called is a study's name too."""
    name = "n" * LONGEST_NAME
    copies = FakeCopies()
    async with asyncio.timeout(SECONDS), copies.staff(env, queue):
        with pytest.raises(WorkflowFailureError):
            await (await fired(env, queue, name)).result()
    assert re.fullmatch(r"n{44}-\d{8}-\d{6}", copies.asked[0].name)


async def test_a_busy_ledger_is_waited_for(env: WorkflowEnvironment, queue: str) -> None:
    """A copy that cannot be written now is written later; the firing is not lost."""
    copies = FakeCopies(busy=3)
    async with asyncio.timeout(SECONDS), copies.staff(env, queue):
        result = await (await fired(env, queue)).result()
    assert (result.tally.completed, len(copies.asked), len({one.name for one in copies.asked})) == (4, 4, 1)


async def test_a_firing_of_a_study_that_is_gone_fails_with_the_reason(env: WorkflowEnvironment, queue: str) -> None:
    """It fails at once and says why; no batch begins."""
    copies = FakeCopies()
    async with asyncio.timeout(SECONDS), copies.staff(env, queue):
        with pytest.raises(WorkflowFailureError) as failed:
            await (await fired(env, queue, "gone")).result()
    cause = failed.value.cause
    assert isinstance(cause, ActivityError)
    assert isinstance(cause.cause, ApplicationError)
    assert (cause.cause.type, len(copies.asked)) == ("study.missing", 1)


async def test_a_batch_that_fails_fails_its_firing(env: WorkflowEnvironment, queue: str) -> None:
    """What went wrong is seen where the schedule lists its firings."""
    async with asyncio.timeout(SECONDS), FakeCopies().staff(env, queue):
        with pytest.raises(WorkflowFailureError) as failed:
            await (await fired(env, queue, title="fails")).result()
    assert isinstance(failed.value.cause, ChildWorkflowError)
    assert "ended too early" in str(failed.value.cause.cause)


async def test_a_firing_that_is_cancelled_cancels_its_batch(env: WorkflowEnvironment, queue: str) -> None:
    """A cancellation of the firing reaches the batch that it started.

    The server holds its clock for a call or a child that starts, but not for a cancellation on its way to a child.
    """
    copies = FakeCopies()
    async with asyncio.timeout(SECONDS), copies.staff(env, queue):
        handle = await fired(env, queue, title="waits")
        batch = await begun(env, copies)
        await handle.cancel()
        with env.auto_time_skipping_disabled(), pytest.raises(WorkflowFailureError):
            await handle.result()
        with pytest.raises(WorkflowFailureError) as ended:
            await batch.result()
    assert isinstance(ended.value.cause, CancelledError)


async def test_a_firing_shows_what_it_holds(env: WorkflowEnvironment, queue: str) -> None:
    """The Web UI names the study, by which everything else is found, and how much there is to hold."""
    copies = FakeCopies()
    async with asyncio.timeout(SECONDS), copies.staff(env, queue):
        handle = await fired(env, queue, rehearsal=True)
        await handle.result()
        told: Any = await handle.query("__temporal_workflow_metadata")
    assert f"Holds the study {copies.asked[0].name}" in str(told)
    assert "4 deliberations" in str(told)


async def test_a_firing_replays(env: WorkflowEnvironment, queue: str) -> None:
    """Its history leads to the same commands again."""
    async with asyncio.timeout(SECONDS), FakeCopies().staff(env, queue):
        handle = await fired(env, queue)
        await handle.result()
        history = await handle.fetch_history()
    replayer = Replayer(
        workflows=[ScheduledStudyWorkflow, FakeBatch],
        data_converter=env.client.data_converter,
        workflow_runner=prepared_once("tests"),
    )
    await replayer.replay_workflow(history)
