"""What a fire circle and a baseline look like when they are over."""

import io
from typing import Any

import pytest
from rich.console import Console

from parley.errors import FAILED, VERDICT
from parley.results import no_verdict
from protocols.deliberation import DeliberationResult
from starter.handlers.show_result import print_result
from starter.views import verdict
from tests.fakes.circle_results import (
    FIRST,
    PATTERN,
    ROUNDS,
    SECOND,
    THIRD,
    baseline_result,
    circle_result,
    evaluation,
    held,
    lost_in_round,
    moved,
)


def text_of(result: DeliberationResult, **how: Any) -> str:
    """What a wide screen without colours shows."""
    out = io.StringIO()
    Console(file=out, width=180, markup=False, highlight=False).print(verdict.render(result, **how))
    return out.getvalue()


def row_of(text: str, first: str) -> list[str]:
    """The words of the row that begins with ``first``."""
    return next(words for words in (line.split() for line in text.splitlines()) if words[:1] == [first])


def test_every_model_has_a_row_of_falsehoods_with_the_chair_marked() -> None:
    """Every falsehood has its model and round, and the speaker of the empty chair is marked in its round."""
    text = text_of(circle_result())
    assert ["p1", "maker/one", "0.20", "0.20", "as", "before", "0.10", "chair"] == row_of(text, "p1")
    assert ["p2", "maker/two", "0.30", "0.90", "chair", "0.40"] == row_of(text, "p2")


def test_a_number_that_was_not_given_states_how_it_was_come_by() -> None:
    """What keywords made of a reply is not passed off as what the model said, and what was not said has no number."""
    assert ["p3", "three:8b", "0.80", "by", "keywords", "lost", "–", "zombie"] == row_of(text_of(circle_result()), "p3")


def test_who_was_lost_in_round_1_is_excluded_and_no_zombie() -> None:
    """A model that never assessed anything is distinguished from one that fell silent later (section 5.2)."""
    rounds = (held(1, evaluation(FIRST, 1, 0.2), evaluation(SECOND, 1, 0.3)),)
    row = (moved(FIRST, 0.2), moved(SECOND, 0.3), moved(THIRD, None, is_active=False))
    text = text_of(circle_result(dialogue_history=rounds, movements=row))
    assert ["p3", "three:8b", "–", "excluded"] == row_of(text, "p3")


def test_patterns_stand_with_agreement_round_and_who_named_them() -> None:
    """A pattern has a row: its type, how many agree, since when, who named it, and the words."""
    row = row_of(text_of(circle_result()), "temporal_inconsistency")
    assert ["temporal_inconsistency", "1.00", "2", "p1,", "p2", "Claims", "an", "earlier", "discussion."] == row


def test_a_circle_without_patterns_has_no_table_of_them() -> None:
    """Where nothing was named by enough models there is no empty table."""
    assert "Patterns" not in text_of(circle_result(patterns=()))


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({}, "empty chair's influence 0.50 of the pattern types\n"),
        ({"empty_chair_influence": 0.05, "is_performative": True}, "influence 0.05 of the pattern types: performative"),
        ({"dialogue_history": ROUNDS[:1]}, "no round had an empty chair"),
    ],
    ids=["substantive", "performative", "no chair"],
)
def test_the_chairs_influence_is_reported(changes: dict[str, Any], told: str) -> None:
    """The screen shows what the chair brought in, or that it was performative or unoccupied (section 4.3)."""
    text = "\n".join(line.rstrip() for line in text_of(circle_result(**changes)).splitlines())
    assert told in text


def test_the_finding_names_whose_detection_it_is() -> None:
    """The finding is there as the highest falsehood of all rounds, though the last round saw less."""
    text = text_of(circle_result())
    assert "F 0.90 (maker/two, round 2); 1 pattern: temporal_inconsistency 1.00" in text
    assert "the highest falsehood of any active model in any round, seen by maker/two" in text


def test_the_last_round_and_its_dissent_are_reported() -> None:
    """Beside the highest are mean and spread of the last round and who is apart."""
    text = text_of(circle_result())
    assert "last round: mean 0.25, spread 0.15" in text
    assert "dissent: p1" in text


def test_lost_models_are_reported_and_the_result_is_partial() -> None:
    """A lost call is named with its round and the reason, and the foot says that the result is partial."""
    text = text_of(circle_result())
    assert "lost: three:8b_round_2" in text
    assert "api_error (provider.unavailable)" in text
    assert "fire-circle-rules-000001: round_limit, partial, prompts 1@abcdef012345" in text


def test_a_circle_without_a_finding_states_why_and_shows_what_there_is() -> None:
    """A circle that became too small has no verdict; its rounds are shown all the same, and the exit code is 1."""
    result = circle_result(verdict=None, consensus=None, stop_reason="circle_too_small")
    text = text_of(result)
    assert "stopped because: circle_too_small" in text
    assert ["p2", "maker/two", "0.30", "0.90", "chair", "0.40"] == row_of(text, "p2")
    assert FAILED == print_result("c", result, no_verdict(result), json=True)


def test_a_baseline_shows_every_assessment_and_what_it_is_the_mean_of() -> None:
    """Every model has a row with T, I, F and how they were read; the finding is the mean."""
    result = baseline_result()
    text = text_of(result)
    assert ["p2", "maker/two", "0.20", "0.20", "0.80", "heuristic"] == row_of(text, "p2")
    assert "the mean of 2 assessments, made without a dialogue" in text
    assert VERDICT == print_result("c", result, no_verdict(result), json=True)


def test_a_single_evaluation_is_no_mean() -> None:
    """A single assessment is marked as one model's."""
    assert "one model's assessment" in text_of(baseline_result(evaluations=(evaluation(FIRST, 1, 0.5),)))


def test_transcript_shows_every_reasoning_round_by_round() -> None:
    """With the transcript the reasoning is under its model and round, the empty chair's marked."""
    text = text_of(circle_result(), transcript=True)
    headings = ["round 1 · p1 · maker/one", "round 2 · p2 · maker/two · empty chair", "round 3 · p2 · maker/two"]
    places = [text.index(heading) for heading in headings]
    assert sorted(places) == places
    assert "p2 sees 0.9 in round 2." in text


def test_transcript_of_a_baseline_shows_every_reasoning() -> None:
    """The reasoning of every model is under its name."""
    assert "p1 · maker/one" in text_of(baseline_result(), transcript=True)


def test_model_text_cannot_steer_the_terminal_or_the_layout() -> None:
    """Escape sequences and markup in a pattern, a finding, the prompt and a message are text or not shown."""
    hostile = "\x1b]0;owned\x07[red]plain[/red]\x9b2J :smile:"
    changes = {
        "verdict": hostile,
        "question": hostile,
        "patterns": (PATTERN.model_copy(update={"description": hostile}),),
        "failed": (lost_in_round(message=hostile),),
        "failed_models": (hostile,),
    }
    text = text_of(circle_result(**changes))
    assert "\x1b" not in text
    assert 5 == text.count("[red]plain[/red] :smile:")
