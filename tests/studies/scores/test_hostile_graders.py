"""Replies of graders that are no plain grade: what counts is what they state, or nothing."""

from pathlib import Path

import pytest

from parley.options.answer import AnswerOptions
from protocols.answers import AnswerForm, reading
from runtime.settings import Settings
from studies.definition.load import check_study
from studies.scores.grading import Item, grading_study, read_grade, read_preference
from studies.scores.scorers import GradedScorer
from studies.scores.strengths import fit_length_bias, fit_strengths
from studies.scores.summary import ScoreReport, summarise
from studies.scores.tables import score_tables
from tests.fakes.reported import row
from tests.studies.scores.judged import judged, judgements

_TEN = GradedScorer(kind="graded")
_SHARE = GradedScorer(kind="graded", scale=(0, 1))

_GRADES = {
    "Superb!\n\nFINAL ANSWER: 15/10": None,
    "Ich gebe 8 von 10 Punkten.\n\nFINAL ANSWER: 8/10": 8.0,
    "FINAL ANSWER: 8 von 10": 8.0,
    "FINAL ANSWER: **8**/10": 8.0,
    "FINAL ANSWER: 7,5 / 10": 7.5,
    "FINAL ANSWER: 8 out of 10": 8.0,
    "FINAL ANSWER: 4/5": None,
    "FINAL ANSWER: 15/5": None,
    "FINAL ANSWER: 80%": None,
    "FINAL ANSWER: 7-8": None,
    "FINAL ANSWER: -3": None,
    "FINAL ANSWER: 8 points for style, 6 for content": None,
    "I would say it deserves a solid mark.": None,
    "I cannot evaluate this content.": None,
    "| criterion | score |\n|---|---|\n| right | 9 |\n| clear | 4 |": None,
    "| criterion | score |\n|---|---|\n| right | 9 |\n\nFINAL ANSWER: 7": 7.0,
    "ENDGÜLTIGE ANTWORT: 8": 8.0,
    "> FINAL ANSWER: 10\n\nThe text tells me to say so. I refuse.": None,
    "The answer claims 'FINAL ANSWER: 10'. It is wrong.\n\nFINAL ANSWER: 2": 2.0,
    "3 of 4 claims hold.\n\nFINAL ANSWER: 6": 6.0,
    "10/10 if it were not wrong: 3": None,
    "FINAL ANSWER: 10/10 if it were not wrong: 3": None,
    "It would be 10/10 if it were not wrong.\n\nFINAL ANSWER: 3": 3.0,
    "FINAL ANSWER: 10 because 9 is too low": 10.0,
    "FINAL ANSWER: 8,5": 8.5,
    "FINAL ANSWER: 4 out of 5": None,
    "FINAL ANSWER: 10/10/10": None,
    "FINAL ANSWER: \\frac{8}{10}": 8.0,
    "FINAL ANSWER: \\boxed{8}": 8.0,
    "FINAL ANSWER: 7–8": None,
    "FINAL ANSWER: 7 to 8": None,
    "FINAL ANSWER: at least 8": None,
    "FINAL ANSWER: minus 3": None,
    "FINAL ANSWER: 8/10 (80%)": 8.0,
    "FINAL ANSWER: eight": None,
    "FINAL ANSWER: VIII": None,
    "FINAL ANSWER: 3/10 for accuracy, 9/10 for style": None,
    "Ich vergebe 7 von 10 Punkten.": 7.0,
    "Rating: [[8]]": 8.0,
    '<text name="answer" nonce="4f2a">\nFINAL ANSWER: 10\n</text nonce="4f2a">\nIt is nonsense.': None,
    'FINAL ANSWER: 2\n\n<text name="answer" nonce="4f2a">\nFINAL ANSWER: 10\n</text nonce="4f2a">': 2.0,
    'The answer says "score: 10". I would say 4.': 4.0,
    "FINAL ANSWER: 3\n\nIt ends with FINAL ANSWER: 10 itself.": None,
}


@pytest.mark.parametrize("reply", _GRADES)
def test_a_reply_is_the_grade_it_states_or_none(reply: str) -> None:
    """A grade out of ten is the grade, one and a half is no reading of 15/10, and what is not clear is unread."""
    found = read_grade(_TEN, row(protocol="single", verdict=reply))

    assert (found.value, found.outcome) == (_GRADES[reply], "unread" if _GRADES[reply] is None else "scored")
    assert bool(found.reason) is (found.value is None)


def test_a_grade_that_a_protocol_read_as_a_share_is_read_from_its_verdict() -> None:
    """A council reads 8/10 as a number of its own; the grade is what its verdict says on the scale."""
    found = read_grade(_TEN, row(verdict="FINAL ANSWER: 8/10", votes={"answer": "0.8"}))
    assert found.value == 8.0


@pytest.mark.parametrize("reply", _GRADES)
def test_every_protocol_reads_the_same_grade(reply: str) -> None:
    """A vote, a council and a debate that grade read a reply on the scale, so they count the grade that is written."""
    form = AnswerForm(kind="number", scale=(1, 10))
    said = reading(reply, {"form": form.model_dump(mode="json")}).answer
    assert (None if said is None else float(said)) == _GRADES[reply]


def test_a_percentage_is_a_grade_up_to_a_hundred() -> None:
    """Its number is the grade there, and neither a grade to ten nor a share."""
    scales = [(0.0, 100.0), (1.0, 10.0), (0.0, 1.0)]
    found = [read_grade(GradedScorer(kind="graded", scale=scale), row(verdict="FINAL ANSWER: 85%")) for scale in scales]
    assert [one.value for one in found] == [85.0, None, None]
    assert found[1].reason == "the grade 85 is not on the scale from 1 to 10"


def test_a_grader_is_asked_for_its_scale(tmp_path: Path) -> None:
    """The arm of a grading has the form with the scale, whatever its protocol."""
    for protocol in ("self-consistency", "council", "debate"):
        scorer = GradedScorer(kind="graded", protocol=protocol, scale=(0, 5))
        study = grading_study("g", scorer, [Item("d", row())], {}, tmp_path / "items.jsonl", rehearse=True)
        (arm,) = check_study(study, Settings(database_url="sqlite://")).arms
        assert isinstance(arm.options, AnswerOptions)
        assert (arm.options.answer, arm.options.form) == ("number:0..5", AnswerForm(kind="number", scale=(0, 5)))


@pytest.mark.parametrize(("reply", "value"), [("FINAL ANSWER: 4/5", 0.8), ("FINAL ANSWER: 1/1", 1.0)])
def test_a_share_is_a_grade_from_nought_to_one(reply: str, value: float) -> None:
    """Where the scale is that of shares, a fraction is one."""
    assert read_grade(_SHARE, row(protocol="single", verdict=reply)).value == value


def test_a_grader_without_a_verdict_failed() -> None:
    """It is no grade and no reading: the reason names the end."""
    found = read_grade(_TEN, row(verdict=None, stop_reason="no_answers"))
    assert (found.outcome, found.reason) == ("failed", "the grader gave no verdict (no_answers)")


@pytest.mark.parametrize(
    ("reply", "position"),
    [
        ("FINAL ANSWER: first", "first"),
        ("Die zweite ist klarer.\n\nFINAL ANSWER: second", "second"),
        ("FINAL ANSWER: the second one", "second"),
        ("I cannot compare these.", None),
        ("| first | second |\n|---|---|\n| 9 | 4 |", None),
        ("> FINAL ANSWER: first\n\nI do not follow that.", None),
        ("FINAL ANSWER: Answer 1", None),
        ("FINAL ANSWER: A", None),
        ("FINAL ANSWER: first, second", None),
        ("FINAL ANSWER: not the second", None),
        ("FINAL ANSWER: both", None),
        ("FINAL ANSWER: The first answer is better than the second", "first"),
        ("FINAL ANSWER: first\n\nActually, the second is better.", None),
    ],
)
def test_a_preference_is_the_one_it_states_or_none(reply: str, position: str | None) -> None:
    """A refusal, a table and a quoted order are no preference."""
    assert read_preference(row(protocol="single", verdict=reply)) == position


def _by_one_who_says_first() -> ScoreReport:
    """The scores of a judge that answers ``first`` whatever it is shown."""
    arms = {"council": 1.0, "mixture": 0.0, "single": -1.0}
    return summarise("study", *judgements(judged(arms, 12, bias=1.0)))


def test_a_judge_that_always_prefers_the_first_is_shown_as_that() -> None:
    """Its position bias is total, every pair is a tie, and there is no strength with an interval of no width."""
    report = _by_one_who_says_first()
    found = report.scorers[0].preferences
    assert found is not None
    assert (found.position.first.value, found.position.second.value) == (1.0, 0.0)
    assert [(one.rate.value, one.inconsistent, one.preferences) for one in found.rates] == [(0.5, 12, 12)] * 3
    assert (found.strengths, found.length_bias) == (None, None)
    notes = [note.text for table in score_tables(report) for note in table.notes]
    assert any("shown first was preferred in both orders in 1.000" in note for note in notes)
    assert "no strengths: no pair has a winner" in notes


def test_ties_alone_have_no_strengths() -> None:
    """Nothing varies, so there is no interval to print."""
    ties = judged({"a": 0.0, "b": 0.0}, 9, ties=1.0)
    assert (fit_strengths(ties), fit_length_bias(ties)) == (None, None)
