"""Scores on the page of a study: drawings, disagreements and reliability, computed once more with other libraries."""

import random
import re
from html import unescape

import numpy as np
import pytest

from ledger.studies.scores import Score
from report.scores_section import scores_section
from report.table import deliberations, differences, disagreements_section
from report.transcripts import pack
from studies.comparison.scoring import LabelRule, score_row
from studies.scores.calibration import calibration, calibrations
from studies.scores.summary import ScoreReport, summarise
from tests.fakes import reported
from tests.fakes.reported import collect
from tests.studies.comparison.deliberations import YES_NO, answered, replace
from tests.studies.scores.judged import judged, judgements

_ARMS = {"council": 0.8, "mixture": 0.0, "single": -0.8}


@pytest.fixture(scope="module")
def report() -> ScoreReport:
    """The figures of a judge of three arms."""
    return summarise("study", *judgements(judged(_ARMS, 60)))


def test_the_matrix_has_both_sides_of_every_pair(report: ScoreReport) -> None:
    """The cell of an arm and another is one less that of the other and the arm, its interval turned round."""
    page = str(scores_section(report, (), sorted(_ARMS)))
    numbers = page.partition('id="wins-judge"')[2].partition("</figure>")[0]
    rows = [re.findall(r"<t[hd][^>]*>([^<]*)", one) for one in re.findall(r"<tr>(.*?)</tr>", numbers)]
    cells = {
        (row[0], column): [
            float(f"0{part}" if part.startswith(".") else part) for part in re.split(r"[ (–)]+", cell)[:3]
        ]
        for row in rows[1:]
        for column, cell in zip(rows[0][1:], row[1:], strict=True)
        if cell
    }
    assert len(cells) == 6
    for (arm, other), (value, low, high) in cells.items():
        turned = cells[other, arm]
        assert (value + turned[0], low + turned[2], high + turned[1]) == pytest.approx((1, 1, 1), abs=0.011)
    preferences = report.scorers[0].preferences
    assert preferences is not None
    for one in preferences.rates:
        assert cells[one.arm, one.other][0] == pytest.approx(one.rate.value, abs=0.005)


def test_strengths_are_drawn_with_their_intervals(report: ScoreReport) -> None:
    """The numbers below the drawing are those of the fit."""
    page = unescape(str(scores_section(report, (), sorted(_ARMS))))
    preferences = report.scorers[0].preferences
    assert preferences is not None
    assert preferences.strengths is not None
    for one in preferences.strengths.arms:
        assert f"{one.low:+.3f} to {one.high:+.3f}" in page


def test_without_scores_and_confidences_there_is_no_section() -> None:
    """Nothing is drawn of nothing."""
    assert scores_section(None, (), ()) is None
    assert scores_section(ScoreReport(study="study", scorers=()), (), ()) is None


def test_rows_are_sorted_by_how_much_their_arms_differ() -> None:
    """The spread of the arms' means is that of pandas; rows of one arm or one value are left out."""
    pd = pytest.importorskip("pandas")
    rng = random.Random(4)
    values = [
        (f"q{row}", arm, float(rng.randint(1, 10))) for row in range(30) for arm in ("a", "b", "c") for _ in range(2)
    ]
    found = differences([*values, ("alone", "a", 3.0), ("same", "a", 5.0), ("same", "b", 5.0)])
    means = pd.DataFrame(values, columns=["row", "arm", "value"]).groupby(["row", "arm"]).value.mean().unstack()
    spread = means.max(axis=1) - means.min(axis=1)
    assert {one.row_id: one.spread for one in found} == pytest.approx(spread[spread > 0].to_dict())
    assert [one.spread for one in found] == sorted((one.spread for one in found), reverse=True)


def test_a_difference_leads_to_its_deliberations() -> None:
    """Every value is a link to the line of the table that has its transcript."""
    rows = [reported.row(n, arm=arm, deliberation_id=f"d-{arm}", row_id="q<1>") for n, arm in enumerate(("a", "b"))]
    kept = {"outcome": "scored", "kind": "graded", "fingerprint": "0" * 64, "version": "1"}
    said = (("a", 2.0), ("b", 9.0))
    scores = [
        Score.model_validate({"scorer": "grade", "deliberation_id": f"d-{arm}", "value": value, **kept})
        for arm, value in said
    ]
    page = str(disagreements_section(collect(rows), scores))
    assert "By grade: 1 row in which they differ" in page
    assert ('href="#d-0">2</a>' in page, 'href="#d-1">9</a>' in page) == (True, True)
    assert "q&lt;1&gt;" in page
    assert disagreements_section(collect(rows), ()) is None


def test_of_equal_differences_those_that_are_listed_come_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """They lead to their deliberations; every row has its question, also one whose deliberations are not listed."""
    monkeypatch.setattr("report.collect.MOST_LISTED", 2)
    rows = [
        reported.row(n, row_id=row_id, arm=arm, deliberation_id=f"{row_id}-{arm}", question=f"What is {row_id}?")
        for n, (row_id, arm) in enumerate((row_id, arm) for row_id in ("q2", "q1", "q3") for arm in ("a", "b"))
    ]
    kept = {"scorer": "grade", "outcome": "scored", "kind": "graded", "fingerprint": "0" * 64, "version": "1"}
    values = [
        Score.model_validate({**kept, "deliberation_id": one.deliberation_id, "value": {"a": 2.0}.get(one.arm, 9.0)})
        for one in rows
    ]
    page = str(disagreements_section(collect(rows), values))
    assert re.findall(r"What is (q\d)\?", page) == ["q2", "q1", "q3"]
    assert page.count("href=") == 2


def test_brier_score_and_calibration_error_are_those_of_their_definitions() -> None:
    """Numpy bins the same confidences and takes the same means."""
    rng = random.Random(9)
    pairs = [(confidence := rng.random(), rng.random() < confidence**2) for _ in range(500)] + [(1.0, True)]
    found = calibration("vote", "winner_share", pairs, len(pairs))
    said, true = np.array([one for one, _ in pairs]), np.array([float(one) for _, one in pairs])
    assert found.brier == pytest.approx(float(np.mean((said - true) ** 2)))
    places = np.clip(np.digitize(said, np.linspace(0, 1, 11)) - 1, 0, 9)
    error = sum(abs(said[places == at].mean() - true[places == at].mean()) * (places == at).sum() for at in range(10))
    assert found.error == pytest.approx(error / len(pairs))
    assert sum(one.n for one in found.bins) == found.n == 501


@pytest.mark.parametrize(("cast", "measures"), [(1, []), (2, ["winner_share"])])
def test_a_single_vote_is_no_confidence(cast: int, measures: list[str]) -> None:
    """It is unanimous, and the calibration of a model that was asked once would be one less its accuracy."""
    rows = [replace(one, scores={"winner_share": 1.0, "cast": cast}) for one in answered("vote", ["yes"], ["yes"])]

    assert measures == [one.measure for one in calibrations(score_row(row, LabelRule.of(YES_NO)) for row in rows)]


def test_the_labelled_deliberations_of_an_arm_are_its_own() -> None:
    """How many of an arm have a label says nothing of another arm."""
    rows = [
        replace(one, scores={"falsehood": 0.9})
        for arm, count in (("circle", 3), ("single", 1))
        for one in answered(arm, ["yes"] * count, ["yes"] * count)
    ]
    found = calibrations(score_row(row, LabelRule.of(YES_NO)) for row in rows)

    assert [("circle", 3), ("single", 1)] == [(one.arm, one.labelled) for one in found]


def test_confidences_are_drawn_beside_what_came_true() -> None:
    """A share of votes is beside right and wrong, a falsehood beside the label; those without either are counted."""
    rows = [
        replace(one, scores={"winner_share": 0.75, "falsehood": 0.9})
        for one in answered("vote", ["yes", "no", "yes", "no"], ["yes", "yes", "yes", None])
    ]
    lost = answered("vote", [None, None], ["yes", "no"])
    rows += [replace(lost[0], row_id="q8"), replace(lost[1], row_id="q9", stop_reason="open")]
    found = {one.measure: one for one in calibrations(score_row(row, LabelRule.of(YES_NO)) for row in rows)}
    assert {name: (one.n, one.bins[0].share) for name, one in found.items()} == {
        "winner_share": (3, pytest.approx(2 / 3)),
        "falsehood": (3, 1.0),
    }
    page = str(scores_section(None, tuple(found.values()), ["vote"]))
    assert "Reliability of winner_share" in page
    figures = f"Brier {found['winner_share'].brier:.3f}, calibration error {found['winner_share'].error:.3f}"
    assert f"{figures}, over 3 of 4 with a label." in page


def test_a_deliberation_that_has_not_ended_is_not_wrong() -> None:
    """It is in no mean of its arm, and neither right nor wrong in the table."""
    rule = LabelRule(read="choice", choices=("A", "B"))
    rows = [
        reported.row(n, row_id="q", arm=arm, repeat=repeat, expected="A", verdict="FINAL ANSWER: A", result=None)
        for n, (arm, repeat) in enumerate([("a", 1), ("b", 1), ("b", 2)])
    ]
    rows[2] = replace(rows[2], verdict=None, stop_reason="open")
    seen = collect(rows, rule)
    assert disagreements_section(seen, ()) is None
    page = str(deliberations(seen, "study", pack(seen.opened, 10_000)))
    assert [">yes<" in one or ">no<" in one for one in page.split("<tr ")[1:]] == [True, True, False]
