"""The figures of ``parley score`` are those of ``parley compare --score``, however repeats are aggregated."""

import random

import pytest

from ledger.studies.results import ResultRow
from ledger.studies.scores import Score
from studies.comparison.compare import compare_scored
from studies.comparison.metrics import OverRepeats
from studies.comparison.scoring import apply_scores, label_of, score_row
from studies.scores.answer_scorers import Finding
from studies.scores.computed import Scored, score_of
from studies.scores.summary import summarise
from studies.scores.tables import score_tables
from tests.fakes.reported import row

_ARMS = ("council", "single")


def _scored(way: str | None, *, is_right: bool, repeats: int = 3) -> tuple[list[ResultRow], list[Score]]:
    """Two arms over twelve rows, with grades from 1 to 10 that may say right or wrong; some have none."""
    rng, rows, scores = random.Random(4), list[ResultRow](), list[Score]()
    for number in range(12):
        for arm in _ARMS:
            for repeat in range(1, repeats + 1):
                id_ = f"study/{number}.{arm}.r{repeat}"
                rows.append(row(deliberation_id=id_, row_id=f"q{number:02}", arm=arm, repeat=repeat))
                grade = float(rng.randint(1, 10))
                found = Finding("scored", grade, correct=grade >= 6 if is_right else None)
                if rng.random() < 0.1:
                    found = Finding("unanswered", correct=False if is_right else None)
                scores.append(score_of(Scored("grade", "graded", "a" * 64, way), found, deliberation_id=id_))
    return rows, scores


@pytest.mark.parametrize(
    ("way", "is_right"),
    [*((way, is_right) for way in (None, "mean", "mode", "max") for is_right in (True, False)), ("pass@2", True)],
)
def test_every_figure_is_that_of_the_comparison(way: str | None, *, is_right: bool) -> None:
    """Mean, accuracy and their intervals are the same numbers under the same seed."""
    rows, scores = _scored(way, is_right=is_right)
    (ours,) = summarise("study", rows, scores, seed=9).scorers
    marks = apply_scores([score_row(one, None) for one in rows], scores, "grade")
    compared = compare_scored(
        "study",
        marks,
        {"seed": 9, "label": label_of(marks)},
        of=None if is_right else "scores.grade",
        over_repeats=OverRepeats.of(way) if way else None,
    )
    assert [(one.arm, one.mean, one.share_right) for one in ours.arms] == [
        (one.arm, one.scores["grade"], one.accuracy) for one in compared.arms
    ]
    table = next(one for one in score_tables(summarise("study", rows, scores)) if one.title == "Scores by grade")
    name = "accuracy" if is_right else "mean"
    assert (f"{name} ({way})" if way else name) in [column.heading for column in table.columns]


def test_the_values_of_a_scorer_are_not_mixed_with_a_measure_of_its_name() -> None:
    """Where it gave no value there is none, though the protocol measured something that is called the same."""
    rows, scores = _scored(None, is_right=False)
    measured = [one.model_copy(update={"scores": {"grade": 1000.0}}) for one in rows]
    assert summarise("study", measured, scores).scorers == summarise("study", rows, scores).scorers


def test_a_way_that_does_not_fit_is_said_and_nothing_is_printed() -> None:
    """A row with too few repeats for pass@K leaves no figure, and the sentence of the comparison says why."""
    (ours,) = summarise("study", *_scored("pass@3", is_right=True, repeats=2)).scorers
    assert ours.arms == ()
    assert "pass@3 needs 3 repeats of a row" in ours.notes[0]
