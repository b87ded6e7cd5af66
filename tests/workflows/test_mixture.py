"""The schedule of a mixture of agents with scripted models (Wang et al. 2024)."""

from typing import Any

import pytest
from temporalio.client import WorkflowUpdateFailedError
from temporalio.exceptions import ApplicationError
from temporalio.testing import WorkflowEnvironment

from protocols.answers import AnswerForm
from protocols.mixture.model import MixtureResult
from protocols.model_call import Failed, ModelCall, ModelId, ParticipantId
from protocols.panel import Panel
from protocols.update_requests import ReplaceParticipant, StopRequest
from tests.fakes.baselines import QUESTION, concluding, final, mixture_input, shown_answers
from tests.fakes.models import CUT, Script, ScriptedModels, refused_by_provider
from tests.fakes.seed_panel import SEED_COUNCIL
from tests.workflows import holding
from tests.workflows.conftest import staff
from workflows.mixture import MixtureWorkflow

NEW = ModelId("openrouter:new/model")


async def hold(env: WorkflowEnvironment, script: Script, **changes: Any) -> tuple[MixtureResult, ScriptedModels]:
    """Hold a mixture to its end."""
    return await holding.hold(env, MixtureWorkflow.run, mixture_input(**changes), script)


async def fail(env: WorkflowEnvironment, script: Script, **changes: Any) -> ApplicationError:
    """Hold a mixture that must fail."""
    error, _ = await holding.fail(env, MixtureWorkflow.run, mixture_input(**changes), script)
    return error


def losing(*call_ids: str) -> Script:
    """A script in which these calls are lost."""
    return concluding({call_id: refused_by_provider() for call_id in call_ids})


async def test_layers_then_the_aggregator(env: WorkflowEnvironment) -> None:
    """Three proposers in two layers, then the aggregator: seven calls, and its text is the verdict."""
    result, models = await hold(env, concluding({"aggregation-aggregator": "43"}))

    assert ["layer-1"] * 3 + ["layer-2"] * 3 + ["aggregation"] == [call.stage for call in models.calls]
    assert ("43", "aggregator", "verdict", False) == (
        *(result.answer, result.decided_by, result.stop_reason),
        result.partial,
    )
    assert "zai-glm-4.7" == result.aggregator
    assert [(1, 3, 3), (2, 3, 3)] == [(layer.number, layer.asked, layer.answered) for layer in result.layers]


@pytest.mark.parametrize(
    ("more", "answer", "found"),
    [("\n\nFor", "43", {"cut": 1, "asked_again": 1}), ("", None, {"cut": 1, "unread": 1, "asked_again": 1})],
)
async def test_a_verdict_that_is_cut_is_partial(
    env: WorkflowEnvironment, more: str, answer: str | None, found: dict[str, int]
) -> None:
    """An aggregator that is cut off twice has the verdict all the same, and its answer where that line is whole."""

    def script(call: ModelCall) -> str | Exception | Failed:
        return f"{final('43')}{more}{CUT}" if call.stage == "aggregation" else final("42")

    result, _ = await hold(env, script)

    assert (answer, True, found) == (result.answer, result.partial, result.degraded.counts)


async def test_each_layer_sees_the_whole_layer_before(env: WorkflowEnvironment) -> None:
    """The first layer sees nothing; each later one, and the aggregator, all answers before it in the assigned order."""
    result, models = await hold(env, concluding())
    shown = {call.call_id: shown_answers(call) for call in models.calls}

    assert {} == shown["layer-1-p1"]
    assert ["Answer 1", "Answer 2", "Answer 3"] == list(shown["layer-2-p1"])
    assert shown["layer-2-p1"] == shown["layer-2-p2"] == shown["layer-2-p3"]
    assert [f"layer-1-{seat}" for seat in result.shown_order] == [
        text.partition(".")[0] for text in shown["layer-2-p1"].values()
    ]
    assert all(text.startswith("layer-2") for text in shown["aggregation-aggregator"].values())


async def test_an_open_question_is_asked_as_it_is(env: WorkflowEnvironment) -> None:
    """Without a form of answer the first layer gets the bare question, and no one is asked for a last line."""
    result, models = await hold(env, lambda _: "Forty-two, I should think.", answer={"kind": "free"}, layers=1)

    assert {QUESTION} == set(models.prompts("layer-1").values())
    assert "FINAL ANSWER" not in models.prompts("aggregation")["aggregator"]
    assert ("Forty-two, I should think.", None) == (result.verdict, result.answer)


async def test_a_lost_proposer_is_asked_again(env: WorkflowEnvironment) -> None:
    """RESILIENT: lost in one layer, back in the next; the result is degraded."""
    result, models = await hold(env, losing("layer-1-p2"))

    assert ["Answer 1", "Answer 2"] == list(shown_answers(models.calls[-2]))
    assert [(3, 2), (3, 3)] == [(layer.asked, layer.answered) for layer in result.layers]
    assert ({"lost": 1}, ()) == (result.degraded.counts, result.zombies)


async def test_a_layer_without_an_answer_ends_the_proposing(env: WorkflowEnvironment) -> None:
    """RESILIENT: when all of layer 2 is lost the aggregator concludes from layer 1."""
    result, models = await hold(env, losing("layer-2-p1", "layer-2-p2", "layer-2-p3"), layers=3)

    assert ("aggregator", {"lost": 3}, 2) == (result.decided_by, result.degraded.counts, len(result.layers))
    assert all(text.startswith("layer-1") for text in shown_answers(models.calls[-1]).values())


async def test_without_an_answer_in_the_first_layer_it_fails(env: WorkflowEnvironment) -> None:
    """No one proposes: one clear message, and neither a second layer nor the aggregator is asked."""
    script = losing("layer-1-p1", "layer-1-p2", "layer-1-p3")
    error, models = await holding.fail(env, MixtureWorkflow.run, mixture_input(), script)

    assert "mixture.no_answers" == error.type
    assert {"layer-1"} == {call.stage for call in models.calls}


async def test_strict_fails_without_the_aggregator(env: WorkflowEnvironment) -> None:
    """STRICT: a lost aggregator ends the mixture without a verdict."""
    error = await fail(env, losing("aggregation-aggregator"), failure_mode="strict")

    assert "mixture.aggregator_lost" == error.type
    assert MixtureResult.model_validate(error.details[0]).verdict is None


async def test_a_proposer_stands_in_for_a_lost_aggregator(env: WorkflowEnvironment) -> None:
    """RESILIENT: without an aggregation a proposer's own last answer is the verdict, marked as that."""
    result, _ = await hold(env, losing("aggregation-aggregator"))

    assert ("fallback", "42", True) == (result.decided_by, result.answer, result.degraded.is_degraded)
    assert result.verdict is not None
    assert result.verdict.startswith("layer-2-p1")
    assert SEED_COUNCIL[0] == result.aggregator


async def test_a_named_fallback_aggregates(env: WorkflowEnvironment) -> None:
    """Fallbacks that are named are asked in their order before a proposer's own answer is."""
    models = SEED_COUNCIL
    panel = Panel.of(models[:2], models[3], fallbacks=models[2:3], chair_seat="aggregator")
    result, asked = await hold(env, losing("aggregation-aggregator"), panel=panel)

    assert ("fallback_aggregator", models[2]) == (result.decided_by, result.aggregator)
    assert "aggregation-aggregator-2" == asked.calls[-1].call_id


async def test_whoever_has_something_to_do_can_be_replaced(env: WorkflowEnvironment) -> None:
    """A proposer at work and the aggregator can be replaced; a proposer that is done in the last layer cannot."""
    models = ScriptedModels(concluding())
    models.hold = {"layer-2-p2"}
    async with staff(env, models):
        handle = await holding.start(env, MixtureWorkflow.run, mixture_input())
        await holding.until_alone(handle, "layer-2-p2")
        with pytest.raises(WorkflowUpdateFailedError) as refusal:
            await handle.execute_update(
                "replace_participant", ReplaceParticipant(participant=ParticipantId("p1"), model=NEW)
            )
        for seat in ("aggregator", "p2"):
            model = ModelId(f"{NEW}-{seat}")
            await handle.execute_update(
                "replace_participant", ReplaceParticipant(participant=ParticipantId(seat), model=model)
            )
        result: MixtureResult = await handle.result()
        await holding.replay(env, handle)

    assert "has nothing left to do" in str(refusal.value.cause)
    assert "new/model-aggregator" == result.aggregator
    assert f"{NEW}-p2" in {turn.model for turn in result.transcript.turns if turn.stage == "layer-2"}


async def test_stopped_it_ends_without_a_verdict(env: WorkflowEnvironment) -> None:
    """A user stops it before the aggregation: what was proposed is kept, and no one is taken for lost."""
    models = ScriptedModels(concluding())
    models.hold = {"layer-2-p2"}
    async with staff(env, models):
        handle = await holding.start(env, MixtureWorkflow.run, mixture_input())
        await holding.until_alone(handle, "layer-2-p2")
        await handle.execute_update("stop", StopRequest(reason="seen enough"))
        result: MixtureResult = await handle.result()
        await holding.replay(env, handle)

    assert ("stopped", None, 5) == (result.stop_reason, result.verdict, len(result.transcript.turns))
    assert ((), (), "none") == (result.zombies, result.failed, result.decided_by)


async def test_an_open_question_is_answered_by_the_whole_text(env: WorkflowEnvironment) -> None:
    """No last line is asked for, so none is missed: no one is asked again and the result is not degraded."""
    inp = mixture_input(answer=AnswerForm())
    result, models = await holding.hold(env, MixtureWorkflow.run, inp, lambda _: "It scatters blue light.")

    assert (7, False) == (len(models.calls), result.degraded.is_degraded)
