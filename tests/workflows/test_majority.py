"""The schedule of a majority vote with scripted models (the baseline of Du et al. 2023)."""

from typing import Any

import pytest
from temporalio.client import WorkflowFailureError, WorkflowUpdateFailedError
from temporalio.exceptions import ApplicationError
from temporalio.testing import WorkflowEnvironment

from protocols.exchange import ModelId, ParticipantId
from protocols.majority.model import MajorityResult
from protocols.requests import ReplaceParticipant, StopRequest
from tests.fakes.baselines import LETTERS, concluding, majority_input
from tests.fakes.books import FakeBooks
from tests.fakes.models import Script, ScriptedModels, refused_by_provider
from tests.workflows import holding
from tests.workflows.conftest import staff
from workflows.majority import MajorityWorkflow

NEW = ModelId("openrouter:new/model")


async def hold(env: WorkflowEnvironment, script: Script, **changes: Any) -> tuple[MajorityResult, ScriptedModels]:
    """Hold a vote to its end."""
    return await holding.hold(env, MajorityWorkflow.run, majority_input(**changes), script)


async def fail(env: WorkflowEnvironment, script: Script, **changes: Any) -> ApplicationError:
    """Hold a vote that must fail."""
    error, _ = await holding.fail(env, MajorityWorkflow.run, majority_input(**changes), script)
    return error


async def test_every_participant_votes_once(env: WorkflowEnvironment) -> None:
    """Three participants, three calls with the same words, and the answer of the most."""
    result, models = await hold(env, concluding({"answer-p2": "C"}, usual="B"), answer_form=LETTERS)

    assert {"answer-p1", "answer-p2", "answer-p3"} == {call.call_id for call in models.calls}
    assert 1 == len({call.messages for call in models.calls})
    assert ("B", "plurality", ("p1", "p3")) == (result.answer, result.decided_by, result.tally.choices[0].voters)
    assert result.tally.agreement == pytest.approx(2 / 3)


async def test_a_tie_goes_to_the_earlier_seat(env: WorkflowEnvironment) -> None:
    """One vote each: the first seat's answer stands, and the tie is recorded."""
    result, _ = await hold(env, concluding({"answer-p1": "1", "answer-p2": "2", "answer-p3": "3"}))

    assert ("1", "earliest_of_tied") == (result.answer, result.decided_by)


async def test_one_answer_is_a_quorum(env: WorkflowEnvironment) -> None:
    """RESILIENT: with two of three lost the third decides, and how many were asked and answered is recorded."""
    script = concluding({"answer-p1": refused_by_provider(), "answer-p2": refused_by_provider()})
    result, _ = await hold(env, script)

    assert ("42", "only_reply", 3, 1) == (result.answer, result.decided_by, result.asked, result.tally.cast)
    assert ["p1", "p2"] == [call.participant for call in result.failed]


async def test_strict_fails_on_a_lost_participant(env: WorkflowEnvironment) -> None:
    """STRICT: one lost model of three ends it without a verdict."""
    error = await fail(env, concluding({"answer-p3": refused_by_provider()}), failure_mode="strict")

    assert "majority.participant_lost" == error.type
    assert MajorityResult.model_validate(error.details[0]).verdict is None


async def test_without_an_answer_it_fails(env: WorkflowEnvironment) -> None:
    """All participants lost: one clear message."""
    lost: dict[str, str | Exception] = {f"answer-p{n}": refused_by_provider() for n in (1, 2, 3)}
    error = await fail(env, concluding(lost))

    assert "majority.no_answers" == error.type


async def test_a_participant_is_replaced_while_it_writes(env: WorkflowEnvironment) -> None:
    """The call in flight is closed and asked of the new model; whoever has answered cannot be replaced."""
    models = ScriptedModels(concluding())
    models.hold = {"answer-p2"}
    async with staff(env, models):
        handle = await holding.start(env, MajorityWorkflow.run, majority_input())
        await holding.until_alone(handle, "answer-p2")
        for seat in ("p1", "chair"):
            request = ReplaceParticipant(participant=ParticipantId(seat), model=NEW)
            with pytest.raises(WorkflowUpdateFailedError) as refusal:
                await handle.execute_update("replace_participant", request)
            assert "has nothing left to do" in str(refusal.value.cause)
        request = ReplaceParticipant(participant=ParticipantId("p2"), model=NEW)
        await handle.execute_update("replace_participant", request)
        result: MajorityResult = await handle.result()
        await holding.replay(env, handle)

    assert [("p2", NEW)] == [(vote.voter, vote.model) for vote in result.votes if vote.voter == "p2"]
    assert "answer-p2-2" in {call.call_id for call in models.calls}


async def test_stopped_it_counts_what_there_is(env: WorkflowEnvironment) -> None:
    """A person stops it: nothing more is asked, and what was answered is counted."""
    models = ScriptedModels(concluding())
    models.hold = {"answer-p1"}
    async with staff(env, models):
        handle = await holding.start(env, MajorityWorkflow.run, majority_input())
        await holding.until_alone(handle, "answer-p1")
        await handle.execute_update("stop", StopRequest(reason="seen enough"))
        result: MajorityResult = await handle.result()
        await holding.replay(env, handle)

    assert ("stopped", "42", ("p2", "p3")) == (result.stop_reason, result.answer, result.tally.choices[0].voters)


async def test_cancelled_it_is_recorded_as_that(env: WorkflowEnvironment) -> None:
    """A cancelled vote stands in the ledger as cancelled."""
    models, books = ScriptedModels(concluding()), FakeBooks()
    models.hold = {"answer-p3"}
    async with staff(env, models, books):
        handle = await holding.start(env, MajorityWorkflow.run, majority_input())
        await holding.until_alone(handle, "answer-p3")
        await handle.cancel()
        with pytest.raises(WorkflowFailureError):
            await handle.result()
        await holding.replay(env, handle)

    assert [("majority", "cancelled")] == [(one.protocol, one.stop_reason) for one in books.entries]
