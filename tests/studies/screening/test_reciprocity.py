"""What a result says of its prompt: numbers, flag, sources, refusals, losses and costs."""

from typing import Any

import pytest

from parley.errors import DeliberationFailedError
from protocols.fire_circle.io import Refusal
from protocols.model_call import Spending
from studies.screening.reciprocity import metrics_of
from tests.fakes.circle_results import FIRST, HIGHEST, THIRD, baseline_result, circle_result, evaluation, lost_in_round

HELD: dict[str, Any] = {"falsehood": 0.9, "flagged": True, "sources": ("json",)}


def test_a_circle_brings_every_evaluation_with_how_it_was_read() -> None:
    """Model, round, numbers, reasoning and source of each are there, the guess among them."""
    found = metrics_of(circle_result(**HELD))

    assert (7, "fire_circle") == (len(found.evaluations), found.mode)
    assert [("p3", 1, "heuristic", "p3 sees 0.8 in round 1.")] == [
        (one.participant, one.round, one.assessment.source, one.assessment.reasoning)
        for one in found.evaluations
        if one.assessment.source == "heuristic"
    ]


def test_refusals_are_reported_from_losses() -> None:
    """A model that refuses says something of the prompt, one that is down does not."""
    refused = lost_in_round(3, kind="refused", error_type="reply.refused")
    refusals = (Refusal(participant=THIRD, model=refused.model, round=3),)
    found = metrics_of(circle_result(**HELD, failed=(lost_in_round(), refused), refusals=refusals))

    assert (refusals, ["api_error"]) == (found.refusals, [call.kind for call in found.losses])
    assert ("three:8b_round_2",) == found.failed_models


@pytest.mark.parametrize(("threshold", "expected"), [(None, (True, 0.5)), (0.9, (True, 0.9)), (0.91, (False, 0.91))])
def test_a_result_can_be_read_at_another_threshold(threshold: float | None, expected: tuple[bool, float]) -> None:
    """What was paid for is flagged anew without another call; the comparison stays "at least"."""
    found = metrics_of(circle_result(**HELD), threshold)
    assert expected == (found.flagged, found.threshold)


def test_a_guess_is_named_beside_the_number() -> None:
    """The sources that the number rests on are named, and which one is a guess by keywords."""
    found = metrics_of(baseline_result(sources=("json", "heuristic"), flagged=True))
    assert (("json", "heuristic"), True) == (found.sources, found.guessed)


@pytest.mark.parametrize(("unknown", "expected"), [(0, 0.5), (1, None), (3, None)])
def test_an_unknown_cost_is_none(unknown: int, expected: float | None) -> None:
    """A sum in which the cost of one call is missing is no cost of the whole, and never zero."""
    spent = Spending(calls=3, usd=0.5, calls_of_unknown_cost=unknown)
    assert expected == metrics_of(circle_result(**HELD, spent=spent)).cost_usd


@pytest.mark.parametrize(
    "result", [circle_result(consensus=None), baseline_result(evaluations=(), truth=None, falsehood=None)]
)
def test_what_was_not_judged_has_no_metrics(result: Any) -> None:
    """No finding is no falsehood of 0: it raises, and the result travels along."""
    with pytest.raises(DeliberationFailedError) as failed:
        metrics_of(result)
    assert result == failed.value.result


def test_the_metrics_of_a_circle_are_those_of_its_strongest_detection() -> None:
    """All three numbers come from one assessment, and the balance from them."""
    found = metrics_of(circle_result(**HELD))
    told = HIGHEST.assessment

    assert (told.truth, told.indeterminacy, told.falsehood) == (found.truth, found.indeterminacy, found.falsehood)
    assert (-0.8, "extractive") == (found.ayni_balance, found.exchange_type)


def test_a_baseline_names_the_models_that_were_lost() -> None:
    """Every mode names the models that gave nothing."""
    found = metrics_of(baseline_result(evaluations=(evaluation(FIRST, 1, 0.5),), failed=(lost_in_round(1),)))
    assert ("ollama:three:8b",) == found.failed_models


def test_the_summary_states_the_threshold_that_was_asked_for() -> None:
    """Where a result is read at another threshold, no line of it still speaks of the old one."""
    result = circle_result(**HELD, verdict="flagged at 0.5: F 0.90 (maker/two, round 2); no patterns")
    assert metrics_of(result).dialogue_summary.startswith("flagged at 0.5: F 0.90")
    assert metrics_of(result, 0.95).dialogue_summary.startswith("not flagged at 0.95: F 0.90")
