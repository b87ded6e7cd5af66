"""The schedule of a vote of several models (majority, the baseline of Du et al. 2023)."""

from typing import Any

import pytest
from temporalio.client import WorkflowFailureError
from temporalio.exceptions import ApplicationError
from temporalio.testing import WorkflowEnvironment

from protocols.model_call import ModelCall, ModelId, ParticipantId, Sampling
from protocols.panel import Panel
from protocols.update_requests import ReplaceParticipant, StopRequest
from protocols.vote.model import VoteResult
from tests.fakes.baselines import LETTERS, concluding, final, vote_input
from tests.fakes.ledger import FakeLedger
from tests.fakes.models import CUT, Script, ScriptedModels, refused_by_provider
from tests.fakes.seed_panel import SEED_COUNCIL
from tests.workflows import holding
from tests.workflows.conftest import staff
from workflows.vote import VoteWorkflow

NEW = ModelId("openrouter:new/model")
PAID = {"usage": {"prompt_tokens": 50, "completion_tokens": 20}, "cost": {"usd": 0.5, "source": "provider"}}


async def hold(env: WorkflowEnvironment, script: Script, **changes: Any) -> tuple[VoteResult, ScriptedModels]:
    """Hold a vote to its end."""
    return await holding.hold(env, VoteWorkflow.run, vote_input(**changes), script)


async def fail(env: WorkflowEnvironment, script: Script, **changes: Any) -> ApplicationError:
    """Hold a vote that must fail."""
    error, _ = await holding.fail(env, VoteWorkflow.run, vote_input(**changes), script)
    return error


async def test_every_participant_votes_once(env: WorkflowEnvironment) -> None:
    """Three participants, three calls with the same words, and the answer of the most."""
    result, models = await hold(env, concluding({"answer-p2": "C"}, usual="B"), answer=LETTERS)

    assert {"answer-p1", "answer-p2", "answer-p3"} == {call.call_id for call in models.calls}
    assert 1 == len({call.messages for call in models.calls})
    assert ("B", "plurality", ("p1", "p3")) == (result.answer, result.decided_by, result.tally.choices[0].voters)
    assert result.tally.agreement == pytest.approx(2 / 3)


async def test_one_answer_is_a_quorum(env: WorkflowEnvironment) -> None:
    """RESILIENT: with two of three lost the third decides, and how many were asked and answered is recorded."""
    script = concluding({"answer-p1": refused_by_provider(), "answer-p2": refused_by_provider()})
    result, _ = await hold(env, script)

    assert ("42", "only_reply", 3, 1) == (result.answer, result.decided_by, result.asked, result.tally.cast)
    assert ["p1", "p2"] == [call.participant for call in result.failed]
    assert result.degraded.is_degraded


@pytest.mark.parametrize(("paid", "tokens", "usd"), [(PAID, 70, 0.5), (None, 0, 0.0), ({"usage": "much"}, 0, 0.0)])
async def test_what_a_lost_call_took_is_in_the_sums(
    env: WorkflowEnvironment, paid: object, tokens: int, usd: float
) -> None:
    """Attempts that were billed and brought no answer count; a worker of another version may say nothing of them."""
    usual, _ = await hold(env, concluding())
    details = {"attempt": 2} if paid is None else {"attempt": 2, "paid": paid}
    silent = ApplicationError("finished without a word", details, type="provider.empty", non_retryable=True)
    result, _ = await hold(env, concluding({"answer-p1": silent}))

    each = usual.spent.tokens // usual.spent.calls
    assert (3, 2 * each + tokens) == (result.spent.calls, result.spent.tokens)
    assert usual.spent.usd * 2 / 3 + usd == pytest.approx(result.spent.usd)


async def test_without_an_answer_it_fails(env: WorkflowEnvironment) -> None:
    """All participants lost: one clear message."""
    lost: dict[str, str | Exception] = {f"answer-p{n}": refused_by_provider() for n in (1, 2, 3)}
    error = await fail(env, concluding(lost))

    assert "vote.no_answers" == error.type
    assert error.message.startswith("no model answered")


async def test_stopped_it_counts_what_there_is(env: WorkflowEnvironment) -> None:
    """A user stops it: nothing more is asked, and what was answered is counted."""
    models = ScriptedModels(concluding())
    models.hold = {"answer-p1"}
    async with staff(env, models):
        handle = await holding.start(env, VoteWorkflow.run, vote_input())
        await holding.until_alone(handle, "answer-p1")
        await handle.execute_update("stop", StopRequest(reason="seen enough"))
        result: VoteResult = await handle.result()
        await holding.replay(env, handle)

    assert ("stopped", "42", ("p2", "p3")) == (result.stop_reason, result.answer, result.tally.choices[0].voters)
    assert result.partial


class TestFurtherCalls:
    """A turn has one further call at most, in the same conversation and under an id of its own."""

    async def test_an_unreadable_answer_is_asked_for_once_more(self, env: WorkflowEnvironment) -> None:
        """The line that comes back is the vote, and the reply that lacked it stays visible."""
        script = concluding({"answer-p1": "", "answer-p1-again": "42"}, usual="41")
        result, models = await hold(env, script, panel=Panel.of(SEED_COUNCIL[:1], SEED_COUNCIL[0]))
        again = models.calls[-1]

        assert ["answer-p1", "answer-p1-again"] == [call.call_id for call in models.calls]
        assert ["user", "assistant", "user"] == [message.role for message in again.messages]
        assert ("42", 2, {"asked_again": 1}) == (result.answer, result.spent.calls, result.degraded.counts)
        assert [False, True] == [turn.counts for turn in result.transcript.turns]
        assert "asked again: No final answer can be read." in result.transcript.turns[0].note
        assert result.verdict == "\n\n".join(turn.text for turn in result.transcript.turns)

    async def test_without_clarifying_every_turn_is_one_call(self, env: WorkflowEnvironment) -> None:
        """Neither an unreadable reply nor one that was cut is asked for once more."""

        def script(call: ModelCall) -> str:
            return f"It is for{CUT}" if call.participant == "p1" else "Perhaps."

        result, models = await hold(env, script, clarify=False)

        assert ["answer-p1", "answer-p2", "answer-p3"] == sorted(call.call_id for call in models.calls)
        assert ("cut off by its length", 3) == (result.transcript.turns[0].note, result.tally.abstained)

    async def test_a_cut_reply_is_asked_for_with_twice_the_length(self, env: WorkflowEnvironment) -> None:
        """The longer reply counts; if it is cut as well, it counts with the mark, and half a sentence is no answer."""

        def script(call: ModelCall) -> str:
            return f"It is 42, I th{CUT}" if call.participant == "p1" else final("42")

        result, models = await hold(env, script, sampling=Sampling(max_tokens=100))
        limits = {call.call_id: call.sampling.max_tokens for call in models.calls if call.participant == "p1"}

        assert {"answer-p1": 100, "answer-p1-longer": 200} == limits
        assert {"cut": 1, "unread": 1, "asked_again": 1} == result.degraded.counts
        assert (2, "42") == (result.tally.cast, result.answer)

    async def test_thinking_alone_is_asked_for_its_answer(self, env: WorkflowEnvironment) -> None:
        """A tag that is never closed is no answer; when none comes, the turn is lost."""

        def script(call: ModelCall) -> str:
            thinks = call.call_id.startswith(("answer-p1", "answer-p2")) and call.call_id != "answer-p2-again"
            return "<think>SECRET thought" if thinks else final("42")

        result, models = await hold(env, script)

        assert [("p1", "unparseable")] == [(one.participant, one.kind) for one in result.failed]
        assert (2, "42") == (result.tally.cast, result.answer)
        assert not any("SECRET" in message.content for call in models.calls for message in call.messages)
        assert "SECRET" not in result.model_dump_json()

    async def test_a_refusal_is_not_asked_again(self, env: WorkflowEnvironment) -> None:
        """It is a lost turn of its own kind, and no answer."""

        def script(call: ModelCall) -> str:
            return "I'm sorry, but I can't help with that." if call.participant == "p1" else final("42")

        result, models = await hold(env, script)

        assert 3 == len(models.calls)
        assert (["refused"], {"refused": 1}) == ([one.kind for one in result.failed], result.degraded.counts)

    async def test_a_model_that_is_replaced_while_it_is_asked_again_loses_its_turn(
        self, env: WorkflowEnvironment
    ) -> None:
        """The new model is asked the question itself, and what the first one wrote is not its own."""
        models = ScriptedModels(concluding({"answer-p2": ""}))
        models.hold = {"answer-p2-again"}
        async with staff(env, models):
            handle = await holding.start(env, VoteWorkflow.run, vote_input())
            await holding.until_alone(handle, "answer-p2-again")
            request = ReplaceParticipant(participant=ParticipantId("p2"), model=NEW)
            await handle.execute_update("replace_participant", request)
            result: VoteResult = await handle.result()
            await holding.replay(env, handle)

        asked = {call.call_id: call for call in models.calls}
        assert asked["answer-p1"].messages == asked["answer-p2-2"].messages
        assert ("42", 3) == (result.answer, result.tally.cast)

    async def test_stopped_while_it_is_asked_again_the_first_reply_stands(self, env: WorkflowEnvironment) -> None:
        """The samples from before the stop count as they were."""
        models = ScriptedModels(concluding({"answer-p1": ""}))
        models.hold = {"answer-p1-again"}
        async with staff(env, models):
            handle = await holding.start(env, VoteWorkflow.run, vote_input())
            await holding.until_alone(handle, "answer-p1-again")
            await handle.execute_update("stop", StopRequest(reason="seen enough"))
            result: VoteResult = await handle.result()
            await holding.replay(env, handle)

        assert ("stopped", 1, 2) == (result.stop_reason, result.tally.abstained, result.tally.cast)

    async def test_cancelled_while_it_is_asked_again_it_ends(self, env: WorkflowEnvironment) -> None:
        """A cancellation closes the further call like every other one."""
        models, ledger = ScriptedModels(concluding({"answer-p1": ""})), FakeLedger()
        models.hold = {"answer-p1-again"}
        async with staff(env, models, ledger):
            handle = await holding.start(env, VoteWorkflow.run, vote_input())
            await holding.until_alone(handle, "answer-p1-again")
            await handle.cancel()
            with pytest.raises(WorkflowFailureError):
                await handle.result()

        assert ["cancelled"] == [one.stop_reason for one in ledger.entries]

    async def test_a_worker_that_dies_between_the_two_calls_costs_nothing(self, env: WorkflowEnvironment) -> None:
        """Another worker takes up the run from its history and asks the further call alone."""
        models = ScriptedModels(concluding({"answer-p1": ""}))
        models.hold = {"answer-p1-again"}
        async with staff(env, models, cached=0):
            handle = await holding.start(env, VoteWorkflow.run, vote_input())
            await holding.until_alone(handle, "answer-p1-again")
        models.hold = set()
        async with staff(env, models, cached=0):
            result: VoteResult = await handle.result()

        assert 1 == sum(call.call_id == "answer-p1" for call in models.calls)
        assert ("42", 3) == (result.answer, result.tally.cast)
