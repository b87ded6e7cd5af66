"""What a baseline of equal cost looks like when it has ended."""

import io
from typing import Any, get_args

import pytest
from rich.console import Console

from parley.results import parse_result
from protocols.deliberation import DeliberationResult
from protocols.votes import DecidedBy
from starter.handlers.show_result import document
from starter.views import verdict
from tests.fakes.equal_cost_results import mixed, sampled, voted


def text_of(result: DeliberationResult, **how: Any) -> str:
    """What a wide screen without colours shows."""
    out = io.StringIO()
    Console(file=out, width=160, markup=False, highlight=False).print(verdict.render(result, **how))
    return out.getvalue()


def rows_of(text: str) -> list[list[str]]:
    """The words of every line."""
    return [line.split() for line in text.splitlines()]


def test_samples_are_counted_by_answer() -> None:
    """Each answer has a row with its votes and voters; abstentions are counted."""
    text = text_of(sampled())
    assert ["391", "3", "75%", "s1", "m1,", "s3", "m3,", "s5", "m5"] in rows_of(text)
    assert ["390", "1", "25%", "s2", "m2"] in rows_of(text)
    assert "agreement 0.75 (share of the winner, 1 is unanimous); 5 of 5 answered, 1 without a final answer" in text
    assert "final answer: 391; the first text with the most frequent answer" in text


def test_tie_is_marked_and_said_how_it_was_broken() -> None:
    """Both answers that tie are marked, and the earliest wins."""
    text = text_of(voted())
    assert [["391", "1=", "50%", "p1", "m1"], ["390", "1=", "50%", "p2", "m2"]] == [
        row for row in rows_of(text) if row[1:2] == ["1="]
    ]
    assert "the earliest of the answers that tie" in text


def test_result_without_a_readable_answer_states_so() -> None:
    """Where all abstain the first text is the verdict, and no table of votes is there."""
    text = text_of(sampled((None, None), answer=None))
    assert "no final answer could be read: this is the first text received" in text
    assert "agreement unknown; 2 of 2 answered, 2 without a final answer" in text
    assert "Votes" not in text


@pytest.mark.parametrize("decided_by", get_args(DecidedBy))
def test_every_way_to_decide_is_said(decided_by: DecidedBy) -> None:
    """However an answer became the verdict, there are words for it."""
    assert "final answer: 391; " in text_of(sampled(decided_by=decided_by, answer="391"))


def test_layers_of_a_mixture_have_a_row_each() -> None:
    """How many answered, what most of them said, who was lost, and who wrote the verdict."""
    text = text_of(mixed())
    assert ["1", "3", "2", "391", "1", "0.50"] in rows_of(text)
    assert ["2", "3", "2", "391", "2", "1.00"] in rows_of(text)
    assert "asked no more after two losses in a row: p3" in text
    assert "m3 is down" in text
    assert "final answer: 391; written by the aggregator: maker/m1" in text


def test_mixture_without_an_aggregator_names_the_fallback() -> None:
    """A proposer's own answer is marked as its own when it is there."""
    text = text_of(mixed(decided_by="fallback", aggregator="maker/m2"))
    assert "no aggregator answered: this is a proposer's own last answer: maker/m2" in text


@pytest.mark.parametrize(
    ("result", "turn"),
    [(sampled(), "answer · s1"), (voted(), "answer · p1"), (mixed(), "layer-1 · p1")],
)
def test_transcript_shows_every_turn(result: DeliberationResult, turn: str) -> None:
    """Each turn under its stage, its seat and its model."""
    text = text_of(result, transcript=True)
    assert f"{turn} · maker/m1" in text
    assert "I say 391." in text


@pytest.mark.parametrize("result", [sampled(), voted(), mixed()])
def test_result_is_found_again_by_its_protocol(result: DeliberationResult) -> None:
    """A result written as JSON is read as the same kind of result."""
    assert result == parse_result(result.model_dump(mode="json"))
    assert document(result.deliberation_id, result, None)["protocol"] == result.protocol


def test_what_a_model_wrote_cannot_draw_on_the_screen() -> None:
    """Control characters in an answer are not sent to the terminal."""
    text = text_of(sampled(("\x1b[31mred", "\x1b[31mred"), answer="\x1b[31mred"))
    assert "\x1b" not in text
