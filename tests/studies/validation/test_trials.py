"""Trials: what is read from one deliberation of the validation study."""

from typing import Any

import pytest

from ledger.studies.results import ResultRow
from protocols.fire_circle.io import FireCircleBaselineResult, FireCircleResult
from studies.validation.cases import Named, trial_of
from tests.fakes.circle_results import baseline_result, circle_result


def row(result: FireCircleResult | FireCircleBaselineResult, arm: str, **scores: float) -> ResultRow:
    """The row of a deliberation about the case ``one`` that ended with ``result``."""
    spent = result.spent
    whole: dict[str, Any] = {
        **dict.fromkeys(("protocol_version", "prompts", "title", "failure_mode", "question"), ""),
        "study": "validation",
        "number": 0,
        "deliberation_id": f"validation/one.{arm}",
        "row_id": "one",
        "arm": arm,
        "repeat": 1,
        "degraded": False,
        "models": (),
        "served_models": (),
        "upstreams": (),
        "protocol": result.protocol,
        "verdict": result.verdict,
        "stop_reason": result.stop_reason,
        "partial": result.partial,
        "scores": scores,
        "calls": spent.calls,
        "prompt_tokens": spent.prompt_tokens,
        "completion_tokens": spent.completion_tokens,
        "cost_usd": spent.usd,
        "calls_of_unknown_cost": spent.calls_of_unknown_cost,
        "cost_source": "provider",
        "rehearsal": result.rehearsal,
        "result": result.model_dump(mode="json"),
    }
    return ResultRow.model_validate(whole)


def test_a_circle_is_read_by_its_highest_falsehood() -> None:
    """The highest falsehood, the chair's influence, and how many models named each pattern."""
    trial = trial_of(row(circle_result(), "fire-circle", falsehood=0.9))
    assert (0.9, 0.9, 0.5) == (trial.falsehood, trial.highest, trial.influence)
    assert (Named(type="temporal_inconsistency", models=2),) == trial.patterns
    assert (True, 8) == (trial.partial, trial.spent.calls)


def test_a_baseline_is_read_by_its_mean_and_its_highest() -> None:
    """The mean is what it ends with; only a circle has an influence."""
    trial = trial_of(row(baseline_result(), "parallel", falsehood=0.5, highest=0.8))
    assert (0.5, 0.8, None) == (trial.falsehood, trial.highest, trial.influence)


@pytest.mark.parametrize("result", [circle_result(verdict=None), baseline_result(verdict=None)])
def test_a_result_without_a_verdict_judged_nothing(result: FireCircleResult | FireCircleBaselineResult) -> None:
    """What was stopped before it had a verdict is an error with its stop reason, and its money is counted."""
    trial = trial_of(row(result, "single"))
    assert (None, f"ended without a verdict ({result.stop_reason})") == (trial.falsehood, trial.error)
    assert result.spent.calls == trial.spent.calls
