"""Tables of results on a page: as drawings and as plain tables, by their protocols."""

import random
from dataclasses import replace
from typing import Any

import pytest

from parley.results import parse_result, view_of
from protocols.deliberation import DeliberationResult
from protocols.spending_cap import CapReport
from protocols.tables import Cell, Note, Table, columns, notes, rows
from report.deliberation_page import single_page
from report.read_results import read_result
from report.tables import render, section
from report.transcripts import open_deliberation
from tests.fakes import reported
from tests.fakes.circle_results import baseline_result, circle_result
from tests.fakes.consensus_results import consensus_result
from tests.fakes.council_results import council_result
from tests.fakes.debate_results import debate_result
from tests.fakes.equal_cost_results import mixed, sampled
from tests.fakes.reported import collect

REAL: dict[str, DeliberationResult] = {
    "council": council_result(),
    "consensus": consensus_result(),
    "fire-circle": circle_result(
        round_metrics=({"round_number": 1, "f_score_mean": 0.4, "empty_chair_influence": 0.0},)
    ),
    "fire-circle-baseline": baseline_result(),
    "debate": debate_result(),
    "vote": sampled(),
    "mixture": mixed(),
}

SHOWN = {
    "council": ("Rank of each answer by reviewer", "Final order"),
    "consensus": ("Rounds",),
    "fire-circle": ("Falsehood by round", "The circle by round", "Patterns by model", "Patterns", "examples"),
    "fire-circle-baseline": ("Assessments",),
    "debate": ("Positions", "Rounds", "Claims", "Confidence by round", "Votes by round", "Evidence", "Key evidence"),
    "vote": ("Votes",),
    "mixture": ("Layers", "Votes in layer 1", "Votes in layer 2"),
}


def page(result: DeliberationResult) -> str:
    """Return the tables of ``result`` as a page shows them."""
    return "".join(render(view_of(result).tables))


def debate(**changes: Any) -> dict[str, Any]:
    """Return a debate with ``changes`` as the ledger holds it."""
    return {**debate_result().model_dump(mode="json", by_alias=True), **changes}


@pytest.mark.parametrize("protocol", REAL)
def test_a_result_shows_its_tables_and_its_transcript(protocol: str) -> None:
    """The page of a result has every table of its protocol, and each of its utterances."""
    shown = page(REAL[protocol])
    assert [title for title in SHOWN[protocol] if title not in shown] == []
    assert view_of(REAL[protocol]).utterances


def test_a_circle_shows_the_whole_prompt_of_its_first_round() -> None:
    """A reader of the page sees every layer that the models were shown, below the one that is judged."""
    result = REAL["fire-circle"].model_dump(mode="json", by_alias=True)
    shown = single_page(reported.row(protocol="fire-circle", result=result))

    assert "The whole prompt of round 1" in shown
    assert "Does this prompt layer contain a reciprocity violation?" in shown
    assert "The whole prompt" not in single_page(reported.row(protocol="council", result=None))


def test_a_result_names_its_budget_and_what_was_left_out() -> None:
    """A reader of the page sees why a review or a verdict is missing."""
    budget = CapReport(usd=0.05, used_usd=0.04, left_out="review (3 calls) may cost up to $0.0200")
    result = REAL["council"].model_copy(update={"budget": budget}).model_dump(mode="json", by_alias=True)

    shown = single_page(reported.row(protocol="council", result=result))

    assert "Budget: $0.0400 of $0.05; not asked: review (3 calls) may cost up to $0.0200." in shown
    assert "Budget: " not in single_page(reported.row(protocol="council", result=None))


@pytest.mark.parametrize("protocol", REAL)
@pytest.mark.parametrize("wrong", [None, [], "text", 7, [{"x": 1}], {"x": [None]}])
def test_a_result_of_another_version_is_shown_without_its_tables(protocol: str, wrong: Any) -> None:
    """A page never fails: of a result that this version cannot read, the columns of the ledger are shown."""
    whole = REAL[protocol].model_dump(mode="json", by_alias=True)
    for name in whole:
        row = reported.row(protocol=whole["protocol"], result={**whole, name: wrong})
        read = read_result(row)
        assert ("cannot read it" in single_page(row)) == (read.result is None)
        open_deliberation(read)
    assert read_result(reported.row(result={"protocol": "parliament"})).result is None
    assert read_result(reported.row(result=None)).view.tables == ()


def test_a_reviewer_s_own_answer_is_framed() -> None:
    """The matrix of ranks has one row per ballot, places by answer, and a frame where reviewers rank themselves."""
    shown = page(REAL["council"])
    assert shown.count('class="cell own"') == 2
    assert "p1 one: 1, 2; p2 two: 1, 2" in shown


@pytest.mark.parametrize(
    ("protocol", "values"),
    [("consensus", (1 / 3, 1.0)), ("fire-circle", (0.3, 0.9, 0.4)), ("debate", (0.8, 0.85)), ("council", ())],
)
def test_the_measure_of_each_round_is_drawn(protocol: str, values: tuple[float, ...]) -> None:
    """The share that accepts, the highest falsehood of a model that stayed and the mean confidence, round by round."""
    curve = view_of(REAL[protocol]).figures.curve
    assert tuple(curve.values if curve else ()) == values


@pytest.mark.parametrize(("achieved", "rounds"), [(True, [2]), (False, [])])
def test_only_a_consensus_has_a_number_of_rounds(achieved: bool, rounds: list[int]) -> None:
    """Rounds are counted to a consensus; without one there is none to count to."""
    result = consensus_result(consensus_achieved=achieved).model_dump(mode="json")
    seen = collect([reported.row(protocol="consensus", arm="c", result=result)])
    assert seen.rounds["c"] == rounds


def test_notes_are_beside_drafts_and_turns() -> None:
    """Where a reply was cut off or asked for once more, the transcript says so beside the round."""
    draws = random.Random(1)
    consensus, debated = reported.consensus(draws, 40), reported.debate(draws, 40)
    consensus["message_notes"] = ["", "cut off by its length"]
    debated["rounds"][0]["turns"][1]["note"] = "the answer to being asked again"

    drafts = [one.place for one in view_of(parse_result(consensus)).utterances]
    turns = [one.place for one in view_of(parse_result(debated)).utterances]

    assert ["round 1", "round 1 · cut off by its length", "round 1"] == drafts[:3]
    assert [False, True, False] == [one.endswith(" · the answer to being asked again") for one in turns[:3]]


DECIDED = debate(
    accepted_motion={"round": 2, "text": "Close the centre in steps.", "by": "p2"},
    decision={
        "decision": "Close it now.",
        "reasons": ["The air is bad."],
        "confidence": 0.8,
        "would_change": ["A cheap filter."],
        "written_by": "judge",
        "model": "openrouter:lab/judge",
    },
    answer="yes",
    answered_by="judge",
)


def test_a_debate_concludes_with_its_motion_its_decision_and_its_answer() -> None:
    """Motion, decision with reasons, confidence and what would change it, and final answer come in this order."""
    motion, decision, answer = view_of(parse_result(DECIDED)).conclusions
    assert motion[:3] == ("Accepted motion", "the position of p2", "Close the centre in steps.")
    assert decision.place == "by the judge, lab/judge · confidence 80%"
    lines = ("Close it now.", "", "Reasons:", "- The air is bad.", "", "What would change it:", "- A cheap filter.")
    assert decision.text.splitlines() == list(lines)
    assert answer[:3] == ("Final answer", "of the judge", "yes")
    assert view_of(debate_result()).conclusions == ()


def test_an_opened_debate_of_a_study_shows_its_decision_above_the_synthesis() -> None:
    """In the page of a study the verdict that is opened begins with the motion and the decision."""
    shown = open_deliberation(read_result(reported.row(protocol="debate", verdict="In short.", result=DECIDED))).verdict
    headings = ("**Accepted motion**", "**Decision**", "**Final answer**", "**Synthesis**")
    places = [shown.index(text) for text in headings]
    assert places == sorted(places)
    assert shown.endswith("In short.")
    assert open_deliberation(read_result(reported.row(verdict="In short."))).verdict == "In short."


def test_a_plain_table_has_its_title_and_notes() -> None:
    """A table without a chart is a section; an empty one is left out, and notes alone are shown."""
    table = Table("A <b>", columns("x"), rows([["1 < 2"]]), notes("below"))
    shown = str(section(table))
    assert all(part in shown for part in ("A &lt;b&gt;", "1 &lt; 2", "<p>below</p>", "<table>"))
    assert section(Table("nothing")) is None
    assert "<table>" not in str(section(Table(notes=(Note("alone"),))))


def test_a_column_without_a_heading_is_no_round_of_a_chart() -> None:
    """A column after the rounds, such as who left, adds no round to the axis and to the numbers."""
    table = Table(
        "F", columns("", "round 1", "round 2", ""), rows([["p1", Cell("", "", 0.1), Cell("", "", 0.2), "zombie"]])
    )
    (shown,) = map(str, render([replace(table, chart="curves")]))

    assert "round 2" in shown
    assert "round 3" not in shown


def test_a_chart_without_values_is_a_plain_table() -> None:
    """Where no cell has a value there is nothing to draw, and the table is shown instead."""
    table = Table("By round", columns("seat", "round 1"), rows([["p1", Cell("–")]]), chart="curves")
    (shown,) = render([table])
    assert "<figure" not in shown
    assert "<table>" in shown
