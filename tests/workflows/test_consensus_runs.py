"""A consensus that continues in another run: the real server suggests it early, and no one notices."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from temporalio.client import WorkflowExecution, WorkflowFailureError, WorkflowHandle, WorkflowQueryFailedError
from temporalio.exceptions import CancelledError
from temporalio.testing import WorkflowEnvironment

from protocols.consensus.model import SPEAKERS, ConsensusResult, SyncEvent
from protocols.model_call import Failed, ModelCall, Sampling
from protocols.spending_cap import SpendingCap
from protocols.task_queues import TASK_QUEUE
from tests.fakes.consensuses import consensus_input, converging, shown_draft
from tests.fakes.ledger import FakeLedger
from tests.fakes.models import CUT, ScriptedModels, refused_by_provider
from tests.fakes.server import local_server
from tests.workflows import holding
from tests.workflows.conftest import staff
from workflows.consensus import ConsensusWorkflow
from workflows.short_start import INLINE

Handle = WorkflowHandle[ConsensusWorkflow, ConsensusResult]

EVENTS = 60
"""So short a history that a run has a round or two."""


@pytest.fixture(scope="module")
async def short() -> AsyncIterator[WorkflowEnvironment]:
    """A real server that suggests to continue as new after very few events."""
    async with local_server(events=EVENTS) as env:
        yield env


async def runs(env: WorkflowEnvironment, handle: Handle) -> list[WorkflowExecution]:
    """Every run of a workflow id, the first one first."""
    found = [run async for run in env.client.list_workflows(f"WorkflowId = '{handle.id}'")]
    return sorted(found, key=lambda run: run.start_time)


async def test_the_whole_conversation_comes_out(short: WorkflowEnvironment) -> None:
    """Over several runs: the same id, every message in order, all tokens and cost, one entry in the ledger."""
    models, ledger = ScriptedModels(converging(5)), FakeLedger()
    async with staff(short, models, ledger):
        handle = await holding.start(short, ConsensusWorkflow.run, consensus_input())
        result = await handle.result()
        held = await runs(short, handle)
        for run in held:
            await holding.replay(short, short.client.get_workflow_handle(handle.id, run_id=run.run_id))
    (entry,) = ledger.entries

    assert len(held) > 2
    assert [(name, n) for n in range(1, 6) for name in SPEAKERS] == [
        (message.speaker, message.round) for message in result.conversation.messages
    ]
    assert (31, 465, 31) == (
        result.spent.calls,
        result.conversation.total_tokens,
        len({c.call_id for c in models.calls}),
    )
    assert ("consensus", 5, 15) == (result.stop_reason, len(result.rounds), len(result.checks))
    assert (entry.id, entry.started_at) == (handle.id, held[0].start_time)


async def test_a_reset_to_the_end_of_the_first_run_keeps_what_that_run_said(short: WorkflowEnvironment) -> None:
    """What the first run saved before the point of the reset is found by the runs that follow the reset."""
    async with staff(short, ScriptedModels(converging(3))):
        handle = await holding.start(short, ConsensusWorkflow.run, consensus_input())
        before = await handle.result()
        first = (await runs(short, handle))[0]
        again = await holding.reset(short, handle.id, first.run_id)
        after = ConsensusResult.model_validate(await again.result())

    assert before.conversation.messages == after.conversation.messages
    assert before.checks == after.checks


async def test_a_run_whose_turns_cannot_be_saved_continues_in_the_same_run(short: WorkflowEnvironment) -> None:
    """Where the ledger refuses them for good no other run begins without them, and the verdict comes all the same."""
    ledger = FakeLedger()
    ledger.refuses_chapters = True
    async with staff(short, ScriptedModels(converging(3)), ledger):
        handle = await holding.start(short, ConsensusWorkflow.run, consensus_input())
        result = await handle.result()
        held = await runs(short, handle)

    assert ("consensus", 3, 1) == (result.stop_reason, len(result.rounds), len(held))


async def test_a_run_that_is_cancelled_while_its_turns_are_saved_ends(short: WorkflowEnvironment) -> None:
    """A cancellation is no refusal of the ledger: no further round begins, and the ledger has it as cancelled."""
    models, ledger = ScriptedModels(converging(3)), FakeLedger()
    ledger.holds_chapters = True
    async with staff(short, models, ledger):
        handle = await holding.start(short, ConsensusWorkflow.run, consensus_input())
        while not ledger.has_held_chapter:  # noqa: ASYNC110 - an activity sets no event of this loop
            await asyncio.sleep(0.02)
        asked = len(models.calls)
        await handle.cancel()
        with pytest.raises(WorkflowFailureError) as failure:
            await handle.result()
        ledger.holds_chapters = False

    assert isinstance(failure.value.cause, CancelledError)
    assert (["cancelled"], asked) == ([entry.stop_reason for entry in ledger.entries], len(models.calls))


@asynccontextmanager
async def second_run_loads(short: WorkflowEnvironment) -> AsyncIterator[tuple[Handle, FakeLedger, ScriptedModels]]:
    """A consensus in its second run, the ledger that lets it wait for the turns of the first, and its models."""
    models, ledger = ScriptedModels(converging(3)), FakeLedger()
    ledger.recalls_nothing = True
    async with staff(short, models, ledger):
        handle = await holding.start(short, ConsensusWorkflow.run, consensus_input())
        while len(await runs(short, handle)) < 2:  # noqa: ASYNC110 - no event reports it
            await asyncio.sleep(0.02)
        yield handle, ledger, models


async def test_a_run_that_is_cancelled_while_it_loads_has_what_was_said_before(short: WorkflowEnvironment) -> None:
    """Its record waits for the ledger anyway, and has the turns of the runs before it."""
    async with second_run_loads(short) as (handle, ledger, models):
        await handle.query("state")  # the second run is there
        await handle.cancel()
        await handle.query("state")
        ledger.recalls_nothing = False
        with pytest.raises(WorkflowFailureError):
            await handle.result()
        await holding.replay(short, handle)

    (entry,) = ledger.entries
    result = ConsensusResult.model_validate(entry.result)
    said = len(result.conversation.messages) + len(result.checks)
    assert ("cancelled", len(models.calls)) == (entry.stop_reason, said)


async def test_a_cap_counts_the_calls_of_all_runs(short: WorkflowEnvironment) -> None:
    """Each reply counts as the most that it may use, whichever run made it; what would exceed the cap is not asked."""
    models, cap = ScriptedModels(converging(6)), SpendingCap(tokens=30_000)
    models.reports_usage = False
    async with staff(short, models):
        inp = consensus_input(cap=cap, sampling=Sampling(max_tokens=1000))
        handle = await holding.start(short, ConsensusWorkflow.run, inp)
        result = await handle.result()
        held = await runs(short, handle)
    used = sum(cap.most(call).tokens for call in models.calls)

    assert len(held) > 2
    assert ("budget", True, len(models.calls)) == (result.stop_reason, result.partial, result.spent.calls)
    assert result.budget is not None
    assert used == result.budget.used_tokens <= 30_000 < used + 3 * max(cap.most(call).tokens for call in models.calls)


async def test_a_short_start_has_a_readable_result_in_its_last_run(short: WorkflowEnvironment) -> None:
    """The client that started it with a short object reads the result, in whichever run it comes out."""
    given = {"question": "Why?", "rehearse": True}
    async with staff(short, ScriptedModels(converging(5))):
        handle: Handle = await short.client.start_workflow(
            "Consensus", given, id="short-consensus", task_queue=TASK_QUEUE
        )
        await handle.result()
        held = await runs(short, handle)
        last = await short.client.get_workflow_handle(handle.id, run_id=held[-1].run_id).fetch_history()
    (result,) = last.events[-1].workflow_execution_completed_event_attributes.result.payloads

    assert len(held) > 2
    assert INLINE in result.metadata


async def test_the_draft_goes_on(short: WorkflowEnvironment) -> None:
    """The generator of the first round in a new run gets the validator's draft of the last round in the old one."""
    models = ScriptedModels(converging(3))
    async with staff(short, models):
        handle = await holding.start(short, ConsensusWorkflow.run, consensus_input())
        await handle.result()
    generators = {call.round: shown_draft(call) for call in models.calls if call.stage == "generator"}

    assert {n: f"Draft of round {n - 1} by validator." for n in range(2, 4)} == {
        n: draft for n, draft in generators.items() if n > 1
    }


async def test_a_cut_draft_goes_on_with_its_mark(short: WorkflowEnvironment) -> None:
    """A first answer that was cut twice and that all accept runs later leaves a partial consensus with its flaw."""

    def script(call: ModelCall) -> str | Exception | Failed:
        if call.call_id in {"r01-generator", "r01-generator-longer"}:
            return f"The sky scatters blue light and{CUT}"
        return "I cannot accept this: the last sentence is wrong." if call.stage == "consensus_check" else "ACCEPT"

    async with staff(short, ScriptedModels(script)):
        inp = consensus_input(max_rounds=3, deadlock_after=None)
        handle = await holding.start(short, ConsensusWorkflow.run, inp)
        result = await handle.result()
        held = await runs(short, handle)

    assert len(held) > 1
    assert ("The sky scatters blue light and", True) == (result.verdict, result.partial)
    assert {"cut": 1, "asked_again": 1} == result.degraded.counts


async def test_the_events_are_numbered_over_all_runs(short: WorkflowEnvironment) -> None:
    """The last run still has the latest moments of the one before; a query without a number returns all that it has."""
    async with staff(short, ScriptedModels(converging(3))):
        handle = await holding.start(short, ConsensusWorkflow.run, consensus_input())
        await handle.result()
        told: tuple[SyncEvent, ...] = await handle.query("events", result_type=tuple[SyncEvent, ...])
        first = short.client.get_workflow_handle(handle.id, run_id=(await runs(short, handle))[0].run_id)
        begun: list[tuple[SyncEvent, ...]] = [
            await first.query("events", *after, result_type=tuple[SyncEvent, ...]) for after in ((), (0,))
        ]
        state = await handle.query(ConsensusWorkflow.visual_state)
        transcript = await handle.query(ConsensusWorkflow.transcript)

    assert begun[0] == begun[1]
    assert (1, 8 * 3 + 3) == (begun[0][0].number, told[-1].number)
    assert list(range(told[0].number, told[-1].number + 1)) == [event.number for event in told]
    assert (3, 285, 19) == (state.current_round, state.total_tokens, len(transcript.turns))


async def test_losses_and_zombies_go_on(short: WorkflowEnvironment) -> None:
    """A zombie of an earlier run is not asked by a later one, and its losses are in the result and the ledger."""

    def script(call: ModelCall) -> str | Exception | Failed:
        return refused_by_provider() if call.participant == "refiner" else converging(3)(call)

    models, ledger = ScriptedModels(script), FakeLedger()
    async with staff(short, models, ledger):
        handle = await holding.start(short, ConsensusWorkflow.run, consensus_input())
        result = await handle.result()
        held = await runs(short, handle)
    told = [lost for chapter in ledger.chapters for lost in chapter.lost] + list(ledger.entries[0].lost)

    assert len(held) > 1
    assert (("refiner",), ["r01-refiner", "r02-refiner"]) == (
        result.zombies,
        sorted({lost.identity.call_id for lost in told}),
    )
    assert [1, 2] == [call.round for call in result.failed]


async def test_a_run_hands_on_little(short: WorkflowEnvironment) -> None:
    """What a new run starts with holds the draft and no other turn."""
    async with staff(short, ScriptedModels(converging(3))):
        handle = await holding.start(short, ConsensusWorkflow.run, consensus_input())
        await handle.result()
        last = (await runs(short, handle))[-1]
        history = await short.client.get_workflow_handle(handle.id, run_id=last.run_id).fetch_history()
    given = history.events[0].workflow_execution_started_event_attributes.input.payloads[0].data.decode()

    assert 1 == given.count("Draft of round")
    assert "A correction" not in given


async def test_a_run_that_has_just_started_shows_where_the_run_before_left_off(short: WorkflowEnvironment) -> None:
    """While it still recalls the turns, its round, opinions and totals are there, and no half transcript."""
    async with second_run_loads(short) as (handle, ledger, _):
        state = await handle.query(ConsensusWorkflow.state)
        visual = await handle.query(ConsensusWorkflow.visual_state)
        with pytest.raises(WorkflowQueryFailedError, match="being loaded"):
            await handle.query(ConsensusWorkflow.transcript)
        ledger.recalls_nothing = False
        await handle.result()
    begun = ledger.chapters[0].turns[-1].round + 1

    assert (begun, begun, 50) == (state.round, visual.current_round, state.rounds)
    assert {"YES"} == set(visual.consensus_opinions.values())
    assert 0 < state.spent.calls == visual.total_tokens // 15
