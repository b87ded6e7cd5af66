"""Who decides at the end of a debate whose debaters argue against each other."""

import json
from typing import Any

import pytest
from temporalio.testing import WorkflowEnvironment

from protocols.answers import AnswerForm
from protocols.debate.model.io import DebateResult
from protocols.debate.modes import MODES
from tests.fakes.debates import arguing, debate_of
from tests.fakes.models import Script, ScriptedModels, refused_by_provider
from tests.workflows import holding
from workflows.debate import DebateWorkflow

JUDGED = tuple(name for name, mode in MODES.items() if mode.is_judged)
UNREADABLE = "It was a good debate, and everybody spoke well."


async def hold(
    env: WorkflowEnvironment, script: Script, mode: str = "adversarial", **changes: Any
) -> tuple[DebateResult, ScriptedModels]:
    """Run a debate of one round to its end."""
    inp = debate_of(mode, max_rounds=1, **changes)
    result, models = await holding.hold(env, DebateWorkflow.run, inp, script)
    return result, models


def stages(models: ScriptedModels) -> list[str]:
    """The stages that were asked behind the rounds."""
    return [call.call_id for call in models.calls if call.stage in {"decision", "synthesis"}]


@pytest.mark.parametrize("mode", MODES)
async def test_the_contentious_modes_end_with_a_decision(env: WorkflowEnvironment, mode: str) -> None:
    """In adversarial, devil's advocate and red team / blue team the judge decides, beside the synthesis."""
    result, models = await hold(env, arguing(), mode)
    expected = ["decision-judge", "synthesis-synthesiser"] if mode in JUDGED else ["synthesis-synthesiser"]

    assert ("adversarial", "devils-advocate", "red-team-blue-team") == JUDGED
    assert expected == stages(models)
    assert (mode in JUDGED) == (result.decision is not None)
    if result.decision is not None:
        assert ("Close the centre to cars in steps.", 0.7, "judge") == (
            result.decision.decision,
            result.decision.confidence,
            result.decision.written_by,
        )


async def test_a_lost_judge_has_fallbacks(env: WorkflowEnvironment) -> None:
    """The fallbacks of the synthesiser decide where the judge is lost, and the result says who did."""
    result, models = await hold(env, arguing({"decision-judge": refused_by_provider()}))

    assert ["decision-judge", "decision-judge-2", "synthesis-synthesiser"] == stages(models)
    assert result.decision is not None
    assert ("fallback", "openrouter:lab/model-1") == (result.decision.written_by, result.decision.model)
    assert {"lost": 1, "fallback_chair": 1} == result.degraded.counts


async def test_no_decision_is_made_by_rule(env: WorkflowEnvironment) -> None:
    """A judge that cannot be read is asked once more, then its fallback; after that there is no decision, flawed."""
    script = arguing({f"decision-judge{n}{again}": UNREADABLE for n in ("", "-2") for again in ("", "-again")})
    result, models = await hold(env, script)

    assert ["decision-judge", "decision-judge-again", "decision-judge-2", "decision-judge-2-again"] == stages(models)[
        :4
    ]
    assert result.decision is None
    assert result.verdict
    assert {"unread": 2, "asked_again": 2} == result.degraded.counts


async def test_a_further_call_makes_a_decision_readable(env: WorkflowEnvironment) -> None:
    """A judge that wrote prose and then the object has decided, and is no loss."""
    decided = json.dumps({"decision": "No.", "reasons": ["C1"], "confidence": 0.6, "would_change": []})
    result, _ = await hold(env, arguing({"decision-judge": UNREADABLE, "decision-judge-again": decided}))

    assert result.decision is not None
    assert ("No.", {"asked_again": 1}) == (result.decision.decision, result.degraded.counts)


@pytest.mark.parametrize(
    ("again", "answer", "by", "counts"),
    [
        ({"answer": "B"}, "B", "judge", {"asked_again": 2, "unread": 1}),
        ({}, "A", "majority", {"asked_again": 2, "unread": 2}),
    ],
)
async def test_whoever_closes_is_asked_once_for_the_final_answer(
    env: WorkflowEnvironment, again: dict[str, str], answer: str, by: str, counts: dict[str, int]
) -> None:
    """One further call for it; whatever comes, the words count, no fallback is asked, and what lacks is a flaw."""
    decided = {"decision": "It is as p2 says.", "confidence": 0.6}
    changes = {"decision-judge": json.dumps(decided), "decision-judge-again": json.dumps(decided | again)}
    form = AnswerForm(kind="choice", choices=("A", "B"))
    result, models = await hold(env, arguing(changes, answer="A"), answer=form)

    asked = [f"{call}{again}" for call in ("decision-judge", "synthesis-synthesiser") for again in ("", "-again")]
    assert asked == stages(models)
    assert (answer, by, counts) == (result.answer, result.answered_by, result.degraded.counts)
    assert result.decision is not None
    assert ("It is as p2 says.", "judge") == (result.decision.decision, result.decision.written_by)
    assert result.synthesis is not None
    assert ("Close the centre in steps.", "synthesiser") == (result.verdict, result.synthesis.written_by)


async def test_strict_ends_with_a_lost_judge(env: WorkflowEnvironment) -> None:
    """In STRICT mode a judge that is lost ends the debate, and no synthesis is bought."""
    inp = debate_of("adversarial", max_rounds=1, failure_mode="strict")
    error, models = await holding.fail(env, DebateWorkflow.run, inp, arguing({"decision-judge": refused_by_provider()}))

    assert "STRICT mode, and a participant was lost: judge" in error.message
    assert ["decision-judge"] == stages(models)


async def test_a_vote_that_cannot_be_read_is_a_flaw(env: WorkflowEnvironment) -> None:
    """A turn whose vote is unread, also when it is asked for again, counts as unread: its debater has no part in it."""
    unread = {"vote": "perhaps"}
    result, _ = await hold(env, arguing({"r01-p1": unread, "r01-p1-again": unread}))

    assert {"unread": 1, "asked_again": 1} == result.degraded.counts
    assert ("turns", "p1", "no vote could be read") == next(
        (one.stage, one.participant, one.note) for one in result.degraded.flaws if one.kind == "unread"
    )
