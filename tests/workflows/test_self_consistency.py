"""The schedule of a self-consistency run with scripted models (Wang et al. 2022)."""

from typing import Any

import pytest
from temporalio.client import WorkflowFailureError
from temporalio.exceptions import ApplicationError
from temporalio.testing import WorkflowEnvironment

from protocols.answers import AnswerForm
from protocols.exchange import ModelId
from protocols.progress import Progress
from protocols.requests import StopRequest
from protocols.seeds import derived_seed
from protocols.self_consistency.model import SelfConsistencyResult
from tests.fakes.baselines import concluding, self_consistency_input
from tests.fakes.books import FakeBooks
from tests.fakes.models import Script, ScriptedModels, refused_by_provider
from tests.workflows import holding
from tests.workflows.conftest import staff
from workflows.self_consistency import SelfConsistencyWorkflow


async def hold(
    env: WorkflowEnvironment, script: Script, **changes: Any
) -> tuple[SelfConsistencyResult, ScriptedModels]:
    """Hold a run to its end."""
    return await holding.hold(env, SelfConsistencyWorkflow.run, self_consistency_input(**changes), script)


async def fail(env: WorkflowEnvironment, script: Script, **changes: Any) -> ApplicationError:
    """Hold a run that must fail."""
    error, _ = await holding.fail(env, SelfConsistencyWorkflow.run, self_consistency_input(**changes), script)
    return error


async def test_the_most_frequent_answer_is_taken(env: WorkflowEnvironment) -> None:
    """Two samples of three say 42: that is the answer, and the first of them is the verdict."""
    result, models = await hold(env, concluding({"sample-s01": "41"}))

    assert ("42", "plurality", "verdict", False) == (
        *(result.answer, result.decided_by, result.stop_reason),
        result.partial,
    )
    assert result.verdict is not None
    assert result.verdict.startswith("sample-s02")
    assert {"sample-s01", "sample-s02", "sample-s03"} == {call.call_id for call in models.calls}


async def test_samples_are_asked_at_once(env: WorkflowEnvironment) -> None:
    """No sample waits for another: all are being asked while none has answered, each with a bar of its own."""
    models = ScriptedModels(concluding())
    models.hold = {"sample-s01", "sample-s02", "sample-s03"}
    async with staff(env, models):
        handle = await holding.start(env, SelfConsistencyWorkflow.run, self_consistency_input())
        progress: Progress = await handle.query("state", result_type=Progress)
        while len(models.calls) < len(models.hold):
            progress = await handle.query("state", result_type=Progress)
        models.hold.clear()
        await handle.result()

    assert ["s01", "s02", "s03"] == [seat.participant for seat in progress.seats]
    assert 3 == progress.stages[0].of


async def test_every_sample_is_fresh(env: WorkflowEnvironment) -> None:
    """Samples are calls of their own with a temperature and, where a seed is set, with seeds of their own."""
    _, models = await hold(env, concluding(), sampling={"seed": 7})

    seeds = {derived_seed(7, f"sample-s0{number}") for number in (1, 2, 3)}
    assert {(0.7, seed) for seed in seeds} == {(c.sampling.temperature, c.sampling.seed) for c in models.calls}


async def test_one_sample_is_one_model_that_answers_alone(env: WorkflowEnvironment) -> None:
    """With one sample nothing is counted, and the temperature is left to the provider."""
    result, models = await hold(env, concluding(), samples=1)

    assert ("42", "only_reply", 1) == (result.answer, result.decided_by, result.asked)
    assert [None] == [call.sampling.temperature for call in models.calls]


async def test_sixty_four_samples_are_possible(env: WorkflowEnvironment) -> None:
    """There may be more samples than a panel has seats."""
    result, models = await hold(env, concluding(), samples=64)

    assert (64, 64) == (len(models.calls), result.tally.cast)


async def test_a_tie_goes_to_the_earliest_sample_and_is_recorded(env: WorkflowEnvironment) -> None:
    """Answers with equally many votes are told, and the earliest one wins."""
    result, _ = await hold(env, concluding({"sample-s01": "7", "sample-s02": "8", "sample-s03": "9"}))

    assert ("7", "earliest_of_tied", ("7", "8", "9")) == (result.answer, result.decided_by, result.tally.tied)


async def test_no_readable_answer(env: WorkflowEnvironment) -> None:
    """Samples without a readable answer abstain; when all do, the first one's text stands without an answer."""
    result, _ = await hold(env, concluding(usual=""))

    assert (None, "none_readable", 3) == (result.answer, result.decided_by, result.tally.abstained)
    assert result.verdict == "sample-s01, and I cannot say."


async def test_a_lost_sample_leaves_the_others(env: WorkflowEnvironment) -> None:
    """RESILIENT: the answered samples are counted, and the result is degraded."""
    result, _ = await hold(env, concluding({"sample-s02": refused_by_provider()}))

    assert ("42", True, ["s02"]) == (
        result.answer,
        result.degraded.is_degraded,
        [call.participant for call in result.failed],
    )
    assert 2 == result.tally.cast


async def test_strict_fails_on_a_lost_sample(env: WorkflowEnvironment) -> None:
    """STRICT: one lost sample ends the run without a verdict, and what was answered is kept."""
    script = concluding({"sample-s02": refused_by_provider()})
    error = await fail(env, script, failure_mode="strict")
    result = SelfConsistencyResult.model_validate(error.details[0])

    assert "self_consistency.participant_lost" == error.type
    assert (None, None, 2) == (result.verdict, result.answer, len(result.transcript.turns))


async def test_without_a_sample_it_fails(env: WorkflowEnvironment) -> None:
    """All samples lost: one clear message."""
    lost: dict[str, str | Exception] = {f"sample-s0{n}": refused_by_provider() for n in (1, 2, 3)}
    error = await fail(env, concluding(lost))

    assert "self_consistency.no_answers" == error.type
    assert error.message.startswith("no sample was answered")


async def test_stopped_it_ends_with_what_there_is(env: WorkflowEnvironment) -> None:
    """A person stops it while one sample is still written: the others are counted."""
    models = ScriptedModels(concluding({"sample-s01": "41"}))
    models.hold = {"sample-s03"}
    async with staff(env, models):
        handle = await holding.start(env, SelfConsistencyWorkflow.run, self_consistency_input())
        await holding.until_alone(handle, "sample-s03")
        await handle.execute_update("stop", StopRequest(reason="seen enough"))
        result: SelfConsistencyResult = await handle.result()
        await holding.replay(env, handle)

    assert ("stopped", "41", True) == (result.stop_reason, result.answer, result.partial)


async def test_cancelled_it_is_recorded_as_that(env: WorkflowEnvironment) -> None:
    """A cancelled run stands in the ledger as cancelled."""
    models, books = ScriptedModels(concluding()), FakeBooks()
    models.hold = {"sample-s03"}
    async with staff(env, models, books):
        handle = await holding.start(env, SelfConsistencyWorkflow.run, self_consistency_input())
        await holding.until_alone(handle, "sample-s03")
        await handle.cancel()
        with pytest.raises(WorkflowFailureError):
            await handle.result()
        await holding.replay(env, handle)

    assert [("self_consistency", "cancelled")] == [(one.protocol, one.stop_reason) for one in books.entries]


async def test_the_ledger_names_the_one_model(env: WorkflowEnvironment) -> None:
    """However many samples there are, one model takes part, and every call counts once."""
    models, books = ScriptedModels(concluding()), FakeBooks()
    async with staff(env, models, books):
        handle = await holding.start(env, SelfConsistencyWorkflow.run, self_consistency_input())
        await handle.result()

    (entry,) = books.entries
    assert ((ModelId("openrouter:anthropic/claude-opus-4.6"),), 3) == (entry.models, entry.spent.calls)


async def test_one_sample_of_an_open_question_has_nothing_to_read(env: WorkflowEnvironment) -> None:
    """The whole text is the answer: it is not asked for once more, and the result is not degraded."""
    inp = self_consistency_input(samples=1, answer=AnswerForm())
    result, models = await holding.hold(env, SelfConsistencyWorkflow.run, inp, lambda _: "It scatters blue light.")

    assert (1, "It scatters blue light.", False) == (len(models.calls), result.verdict, result.degraded.is_degraded)
