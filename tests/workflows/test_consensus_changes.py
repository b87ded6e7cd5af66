"""What a user may change while a consensus runs, and what is refused with a reason."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from pydantic import BaseModel
from temporalio.api.enums.v1 import EventType
from temporalio.client import WorkflowFailureError, WorkflowHandle, WorkflowUpdateFailedError
from temporalio.exceptions import CancelledError
from temporalio.testing import WorkflowEnvironment

from protocols.consensus.model import ConsensusResult
from protocols.model_call import Failed, ModelCall, ModelId, ParticipantId
from protocols.update_requests import AcceptDraft, AddRounds, ReplaceParticipant, StopAfterRound, StopRequest
from tests.fakes.consensuses import accepting, consensus_input, converging
from tests.fakes.ledger import FakeLedger
from tests.fakes.models import Script, ScriptedModels, refused_by_provider
from tests.workflows import holding
from tests.workflows.conftest import staff
from workflows.consensus import ConsensusWorkflow

Handle = WorkflowHandle[ConsensusWorkflow, ConsensusResult]

NEW = ModelId("openrouter:new/model")

CANCEL_REQUESTED = EventType.EVENT_TYPE_ACTIVITY_TASK_CANCEL_REQUESTED


async def kinds_of_events(handle: Handle) -> set[int]:
    """What the history has by now."""
    return {event.event_type for event in (await handle.fetch_history()).events}


@asynccontextmanager
async def held(
    env: WorkflowEnvironment, script: Script, call_id: str, *, ledger: FakeLedger | None = None, **changes: Any
) -> AsyncIterator[tuple[Handle, ScriptedModels]]:
    """A consensus in which one call is never answered and nothing else moves; its history is replayed at the end."""
    models = ScriptedModels(script)
    models.hold = {call_id}
    async with staff(env, models, ledger):
        handle = await holding.start(env, ConsensusWorkflow.run, consensus_input(**changes))
        await holding.until_alone(handle, call_id)
        await holding.until_asked(models, call_id)
        yield handle, models
        models.hold.clear()
        await asyncio.gather(handle.result(), return_exceptions=True)
        await holding.replay(env, handle)


def replacement(seat: str, model: ModelId = NEW) -> ReplaceParticipant:
    """A request to put ``model`` behind ``seat``."""
    return ReplaceParticipant(participant=ParticipantId(seat), model=model)


async def refused(handle: Handle, update: Any, request: BaseModel) -> str:
    """Send an update that must be refused; the reason."""
    with pytest.raises(WorkflowUpdateFailedError) as refusal:
        await handle.execute_update(update, request)
    return str(refusal.value.cause)


class TestStopAfterRound:
    """Let this round end and begin no other."""

    async def test_the_round_is_finished_and_no_other_started(self, env: WorkflowEnvironment) -> None:
        """The round's calls are all made; the draft it ends with is the verdict, without consensus."""
        async with held(env, converging(99), "r02-refiner") as (handle, models):
            await handle.execute_update(ConsensusWorkflow.stop_after_round, StopAfterRound(reason="seen enough"))
            models.hold.clear()
            result = await handle.result()

        assert ("stopped", "seen enough", 12) == (result.stop_reason, result.remark, len(models.calls))
        assert ("Draft of round 2 by validator.", False) == (result.verdict, result.consensus_achieved)

    async def test_a_consensus_in_that_round_is_a_consensus(self, env: WorkflowEnvironment) -> None:
        """When all accept in the round that was to be the last, the curator comes as always."""
        async with held(env, converging(1), "r01-refiner") as (handle, models):
            await handle.execute_update(ConsensusWorkflow.stop_after_round, StopAfterRound())
            models.hold.clear()
            result = await handle.result()

        assert ("consensus", "curator", "") == (result.stop_reason, result.written_by, result.remark)

    async def test_it_is_said_once(self, env: WorkflowEnvironment) -> None:
        """A second request is refused: this round is the last already."""
        async with held(env, converging(99), "r01-refiner", max_rounds=2) as (handle, _):
            await handle.execute_update(ConsensusWorkflow.stop_after_round, StopAfterRound())
            reason = await refused(handle, ConsensusWorkflow.stop_after_round, StopAfterRound())

        assert "this round is the last already" in reason


class TestAcceptDraft:
    """A user ends it with the current draft, and it is recorded as such."""

    @pytest.mark.parametrize("call_id", ["r01-validator", "r01-check-refiner", "r02-generator"])
    async def test_the_draft_is_the_verdict(self, env: WorkflowEnvironment, call_id: str) -> None:
        """The call in flight is closed, nothing more is asked, and the result names the person's word."""
        ledger = FakeLedger()
        script = converging(99)
        async with held(env, script, call_id, ledger=ledger) as (handle, models):
            draft = (await handle.query(ConsensusWorkflow.transcript)).turns
            asked = len(models.calls)
            await handle.execute_update(ConsensusWorkflow.accept_draft, AcceptDraft(reason="good enough"))
            result = await handle.result()

        latest = [turn.text for turn in draft if turn.stage != "consensus_check"][-1]
        assert (latest, "draft", asked) == (result.verdict, result.written_by, len(models.calls))
        assert ("accepted", "good enough", False) == (result.stop_reason, result.remark, result.consensus_achieved)
        assert ["accepted"] == [entry.stop_reason for entry in ledger.entries]

    async def test_while_the_curator_writes(self, env: WorkflowEnvironment) -> None:
        """After a consensus a user may take the draft without waiting for its polish; the consensus is."""
        async with held(env, accepting, "curator") as (handle, _):
            await handle.execute_update(ConsensusWorkflow.accept_draft, AcceptDraft())
            result = await handle.result()

        assert ("The first draft.", "accepted", True) == (
            result.verdict,
            result.stop_reason,
            result.consensus_achieved,
        )

    async def test_without_a_draft_there_is_nothing_to_accept(self, env: WorkflowEnvironment) -> None:
        """While the first answer is being written it is refused, and the deliberation continues."""
        async with held(env, converging(1), "r01-generator") as (handle, models):
            reason = await refused(handle, ConsensusWorkflow.accept_draft, AcceptDraft())
            models.hold.clear()
            result = await handle.result()

        assert "there is no draft yet" in reason
        assert "consensus" == result.stop_reason


class TestAddRounds:
    """Allow more rounds."""

    async def test_more_rounds_are_held(self, env: WorkflowEnvironment) -> None:
        """With one round more than 2 a third round is run."""
        async with held(env, converging(99), "r02-refiner", max_rounds=2) as (handle, models):
            progress = await handle.execute_update(ConsensusWorkflow.add_rounds, AddRounds(rounds=1))
            models.hold.clear()
            result = await handle.result()

        assert (3, 3, "round_limit") == (progress.rounds, len(result.rounds), result.stop_reason)

    @pytest.mark.parametrize(
        ("request_", "reason"),
        [
            (AddRounds(rounds=48), "there are at most 50 rounds, and 3 are allowed already; ask for 47 or fewer"),
            (AddRounds(rounds=1, focus="What of shops?"), "a consensus has no focus questions"),
        ],
    )
    async def test_rounds_it_cannot_have_are_refused(
        self, env: WorkflowEnvironment, request_: AddRounds, reason: str
    ) -> None:
        """Above fifty, or with a question of their own: refused with the reason, and nothing changes."""
        async with held(env, converging(99), "r02-refiner", max_rounds=3) as (handle, models):
            said = await refused(handle, ConsensusWorkflow.add_rounds, request_)
            models.hold.clear()
            result = await handle.result()

        assert reason in said
        assert 3 == len(result.rounds)


class TestReplaceParticipant:
    """Put another model behind a seat."""

    async def test_a_replaced_zombie_is_asked_again(self, env: WorkflowEnvironment) -> None:
        """A new model failed nothing: it takes turns and has a vote again."""

        def script(call: ModelCall) -> str | Exception | Failed:
            if call.participant == "refiner" and call.model != NEW:
                return refused_by_provider()
            return converging(4)(call)

        async with held(env, script, "r03-validator") as (handle, models):
            await handle.execute_update(ConsensusWorkflow.replace_participant, replacement("refiner"))
            models.hold.clear()
            result = await handle.result()

        assert ("consensus", ()) == (result.stop_reason, result.zombies)
        assert {"refiner": "NO"}.items() <= result.rounds[-1].opinions.items()

    async def test_a_call_that_fails_before_it_is_cancelled_is_put_to_the_new_model(
        self, env: WorkflowEnvironment
    ) -> None:
        """The seat is not lost with its old model: a call learns of its cancellation with its next heartbeat only."""

        def script(call: ModelCall) -> str | Exception | Failed:
            is_old = call.participant == "refiner" and call.model != NEW
            return refused_by_provider() if is_old else converging(1)(call)

        async with held(env, script, "r01-refiner") as (handle, models):
            models.is_silent = True
            await handle.execute_update(ConsensusWorkflow.replace_participant, replacement("refiner"))
            models.hold.clear()
            result = await handle.result()

        assert ["r01-refiner", "r01-refiner-2"] == [c.call_id for c in models.calls if c.stage == "refiner"]
        assert ("consensus", (), {}) == (result.stop_reason, result.zombies, result.degraded.counts)

    async def test_a_speaker_is_not_replaced_while_the_curator_writes(self, env: WorkflowEnvironment) -> None:
        """After a consensus only the curator is still to be asked."""
        async with held(env, accepting, "curator") as (handle, _):
            said = await refused(handle, ConsensusWorkflow.replace_participant, replacement("refiner"))

        assert "'refiner' has nothing left to do" in said


class TestTheEnd:
    """Stopping now, cancelling, and what is refused afterwards."""

    @pytest.mark.parametrize("is_lost", [False, True], ids=["answered", "lost"])
    async def test_a_call_that_ends_before_it_is_cancelled_does_not_undo_the_cancellation(
        self, env: WorkflowEnvironment, *, is_lost: bool
    ) -> None:
        """A call learns of a cancellation with its next heartbeat only; whatever it returns, nothing more is asked."""

        def script(call: ModelCall) -> str | Exception | Failed:
            return refused_by_provider() if is_lost and call.stage == "refiner" else converging(99)(call)

        ledger = FakeLedger()
        async with held(env, script, "r01-refiner", ledger=ledger) as (handle, models):
            models.is_silent = True
            await handle.cancel()
            # The time-skipping server refuses the request to cancel a call that has ended.
            while CANCEL_REQUESTED not in await kinds_of_events(handle):  # noqa: ASYNC110 - a history has no event
                await asyncio.sleep(0.02)
            models.hold.clear()
            with pytest.raises(WorkflowFailureError) as failure:
                await handle.result()

        assert isinstance(failure.value.cause, CancelledError)
        assert ["r01-generator", "r01-refiner"] == [call.call_id for call in models.calls]
        assert ["cancelled"] == [entry.stop_reason for entry in ledger.entries]

    async def test_stop_ends_with_the_draft(self, env: WorkflowEnvironment) -> None:
        """The call in flight is closed and the draft unchanged is what exists."""
        async with held(env, converging(99), "r01-validator") as (handle, _):
            await handle.execute_update(ConsensusWorkflow.stop, StopRequest(reason="too dear"))
            result = await handle.result()

        assert ("stopped", "too dear", True) == (result.stop_reason, result.remark, result.partial)
        assert "Draft of round 1 by refiner." == result.verdict

    @pytest.mark.parametrize(
        ("update", "request_"),
        [
            (ConsensusWorkflow.stop, StopRequest()),
            (ConsensusWorkflow.stop_after_round, StopAfterRound()),
            (ConsensusWorkflow.accept_draft, AcceptDraft()),
            (ConsensusWorkflow.add_rounds, AddRounds(rounds=1)),
            (ConsensusWorkflow.replace_participant, replacement("refiner")),
        ],
        ids=lambda given: getattr(given, "__name__", ""),
    )
    async def test_nothing_is_changed_after_the_end(
        self, env: WorkflowEnvironment, update: Any, request_: BaseModel
    ) -> None:
        """While the ended deliberation is being recorded every change is refused: it has ended already."""
        ledger = FakeLedger()
        ledger.is_closed = True
        async with staff(env, ScriptedModels(accepting), ledger):
            handle = await holding.start(env, ConsensusWorkflow.run, consensus_input(max_rounds=3))
            await holding.until_refused_twice(ledger)
            said = await refused(handle, update, request_)
            ledger.is_closed = False
            result = await handle.result()

        assert "ended" in said
        assert "consensus" == result.stop_reason
