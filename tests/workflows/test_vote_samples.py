"""The schedule of a vote with several samples of a model (self-consistency, Wang et al. 2022)."""

import pytest
from temporalio.client import WorkflowUpdateFailedError
from temporalio.testing import WorkflowEnvironment

from protocols.answers import AnswerForm
from protocols.model_call import ModelId, ParticipantId
from protocols.panel import Panel
from protocols.progress import Progress
from protocols.seeds import derived_seed
from protocols.update_requests import ReplaceParticipant
from protocols.vote.model import VoteResult
from tests.fakes.baselines import concluding, sampled_input
from tests.fakes.ledger import FakeLedger
from tests.fakes.models import ScriptedModels, refused_by_provider
from tests.workflows import holding
from tests.workflows.conftest import staff
from tests.workflows.test_vote import NEW, fail, hold
from workflows.vote import VoteWorkflow

ONE = {"panel": sampled_input().panel, "samples": 3}
"""One model and three samples."""


async def test_the_most_frequent_answer_is_taken(env: WorkflowEnvironment) -> None:
    """Two samples of three say 42: that is the answer, and the first of them is the verdict."""
    result, models = await hold(env, concluding({"answer-p1-s01": "41"}), **ONE)

    assert ("42", "plurality", "verdict", False) == (
        *(result.answer, result.decided_by, result.stop_reason),
        result.partial,
    )
    assert result.verdict is not None
    assert result.verdict.startswith("answer-p1-s02")
    assert {"answer-p1-s01", "answer-p1-s02", "answer-p1-s03"} == {call.call_id for call in models.calls}


async def test_models_and_samples_are_multiplied(env: WorkflowEnvironment) -> None:
    """Two models with two samples each cast four votes; a tie goes to the first model."""
    both = Panel.of(("m/a", "m/b"), "m/a")
    script = concluding({"answer-p1-s01": "1", "answer-p1-s02": "1"}, usual="2")
    result, models = await hold(env, script, panel=both, samples=2)

    assert ["p1-s01", "p1-s02", "p2-s01", "p2-s02"] == [vote.voter for vote in result.votes]
    assert ("1", "earliest_of_tied", 2, 2, 4) == (
        *(result.answer, result.decided_by),
        *(result.models, result.samples, result.asked),
    )
    assert 4 == len({call.call_id for call in models.calls})


async def test_samples_are_asked_at_once(env: WorkflowEnvironment) -> None:
    """No sample waits for another: all are being asked while none has answered, each with a bar of its own."""
    models = ScriptedModels(concluding())
    models.hold = {"answer-p1-s01", "answer-p1-s02", "answer-p1-s03"}
    async with staff(env, models):
        handle = await holding.start(env, VoteWorkflow.run, sampled_input())
        progress: Progress = await handle.query("state", result_type=Progress)
        while len(models.calls) < len(models.hold):
            progress = await handle.query("state", result_type=Progress)
        models.hold.clear()
        await handle.result()

    assert ["p1-s01", "p1-s02", "p1-s03"] == [seat.participant for seat in progress.seats]
    assert 3 == progress.stages[0].of


async def test_every_sample_is_fresh(env: WorkflowEnvironment) -> None:
    """Samples are calls of their own with a temperature and, where a seed is set, with seeds of their own."""
    _, models = await hold(env, concluding(), **ONE, sampling={"seed": 7})

    seeds = {derived_seed(7, f"answer-p1-s0{number}") for number in (1, 2, 3)}
    assert {(0.7, seed) for seed in seeds} == {(c.sampling.temperature, c.sampling.seed) for c in models.calls}


async def test_one_sample_is_one_model_that_answers_alone(env: WorkflowEnvironment) -> None:
    """With one sample nothing is counted, and the temperature is left to the provider."""
    result, models = await hold(env, concluding(), panel=ONE["panel"])

    assert ("42", "only_reply", 1) == (result.answer, result.decided_by, result.asked)
    assert [None] == [call.sampling.temperature for call in models.calls]


async def test_sixty_four_samples_are_possible(env: WorkflowEnvironment) -> None:
    """There may be more samples than a panel has seats."""
    result, models = await hold(env, concluding(), panel=ONE["panel"], samples=64)

    assert (64, 64) == (len(models.calls), result.tally.cast)


async def test_no_readable_answer(env: WorkflowEnvironment) -> None:
    """Samples without a readable answer abstain; when all do, the first one's text is without an answer."""
    result, _ = await hold(env, concluding(usual=""), **ONE)

    assert (None, "none_readable", 3) == (result.answer, result.decided_by, result.tally.abstained)
    assert result.verdict == "answer-p1-s01, and I cannot say."


async def test_strict_fails_on_a_lost_sample(env: WorkflowEnvironment) -> None:
    """STRICT: one lost sample ends the run without a verdict, and what was answered is kept."""
    script = concluding({"answer-p1-s02": refused_by_provider()})
    error = await fail(env, script, **ONE, failure_mode="strict")
    result = VoteResult.model_validate(error.details[0])

    assert "vote.participant_lost" == error.type
    assert (None, None, 2) == (result.verdict, result.answer, len(result.transcript.turns))


async def test_a_sample_is_replaced_by_its_seat(env: WorkflowEnvironment) -> None:
    """Each sample has a seat that can be replaced while it is asked; the model's own seat is not asked."""
    models = ScriptedModels(concluding())
    models.hold = {"answer-p1-s02"}
    async with staff(env, models):
        handle = await holding.start(env, VoteWorkflow.run, sampled_input())
        await holding.until_alone(handle, "answer-p1-s02")
        for seat in ("p1", "p1-s01"):
            request = ReplaceParticipant(participant=ParticipantId(seat), model=NEW)
            with pytest.raises(WorkflowUpdateFailedError) as refusal:
                await handle.execute_update("replace_participant", request)
            assert "has nothing left to do" in str(refusal.value.cause)
        request = ReplaceParticipant(participant=ParticipantId("p1-s02"), model=NEW)
        await handle.execute_update("replace_participant", request)
        result: VoteResult = await handle.result()
        await holding.replay(env, handle)

    assert [NEW] == [vote.model for vote in result.votes if vote.voter == "p1-s02"]


async def test_the_ledger_names_the_one_model(env: WorkflowEnvironment) -> None:
    """However many samples there are, one model takes part, and every call counts once."""
    models, ledger = ScriptedModels(concluding()), FakeLedger()
    async with staff(env, models, ledger):
        handle = await holding.start(env, VoteWorkflow.run, sampled_input())
        await handle.result()

    (entry,) = ledger.entries
    assert ((ModelId("openrouter:anthropic/claude-opus-4.6"),), 3) == (entry.models, entry.spent.calls)


async def test_one_sample_of_an_open_question_has_nothing_to_read(env: WorkflowEnvironment) -> None:
    """The whole text is the answer: it is not asked for once more, and the result is not degraded."""
    inp = sampled_input(samples=1, answer=AnswerForm())
    result, models = await holding.hold(env, VoteWorkflow.run, inp, lambda _: "It scatters blue light.")

    assert (1, "It scatters blue light.", False) == (len(models.calls), result.verdict, result.degraded.is_degraded)
