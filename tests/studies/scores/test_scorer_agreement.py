"""Agreement of two scorers, computed once more by other libraries."""

import random
from typing import Any

import numpy as np
import pytest
from pydantic import JsonValue

from ledger.studies.scores import Score
from studies.scores.scorer_agreement import agreement


def _score(scorer: str, number: int, **fields: Any) -> Score:
    given = {"outcome": "scored", "kind": "graded", "fingerprint": "0" * 64, "version": "1", **fields}
    return Score.model_validate({"scorer": scorer, "deliberation_id": f"d{number}", **given})


def _graded(seed: int, n: int = 60) -> tuple[list[Score], list[Score]]:
    rng = random.Random(seed)
    pairs = [(rng.randint(1, 10), rng.choice((-1, 0, 0, 1))) for _ in range(n)]
    ours = [_score("ours", number, value=value) for number, (value, _) in enumerate(pairs)]
    theirs = [_score("theirs", number, value=min(10, max(1, v + by))) for number, (v, by) in enumerate(pairs)]
    return ours, theirs


def test_grades_agree_as_other_libraries_state() -> None:
    """Kappa is statsmodels', the correlation pandas', alpha that of its definition."""
    pd, inter_rater = pytest.importorskip("pandas"), pytest.importorskip("statsmodels.stats.inter_rater")
    ours, theirs = _graded(3)
    found = agreement(ours, theirs)
    assert found is not None
    frame = pd.DataFrame({"a": [one.value for one in ours], "b": [one.value for one in theirs]})
    table = pd.crosstab(frame.a, frame.b).reindex(index=range(1, 11), columns=range(1, 11), fill_value=0)
    assert found.kappa == pytest.approx(inter_rater.cohens_kappa(table.to_numpy()).kappa)
    assert found.rank_correlation == pytest.approx(frame.a.corr(frame.b, method="spearman"))
    assert found.mean_difference == pytest.approx((frame.b - frame.a).mean())
    assert found.same == pytest.approx((frame.a == frame.b).mean())
    values = frame.to_numpy().ravel()
    observed = ((frame.a - frame.b) ** 2).mean()
    expected = np.sum((values[:, None] - values[None, :]) ** 2) / (len(values) * (len(values) - 1))
    assert found.alpha == pytest.approx(1 - observed / expected)
    assert sum(cell.n for cell in found.table) == found.n == 60


def test_classes_are_compared_as_classes() -> None:
    """Right and wrong, and labels, have kappa and no correlation."""
    ours = [_score("ours", n, value=float(n % 2), correct=bool(n % 2)) for n in range(8)]
    theirs = [_score("theirs", n, label="right" if n in {1, 3, 5} else "wrong") for n in range(8)]
    found = agreement(ours, theirs)
    assert found is not None
    assert (found.same, found.kappa, found.rank_correlation) == (0.875, 0.75, None)


def test_classes_are_the_same_in_capitals_or_not() -> None:
    """Two coders agree as answers and labels do: capitals and marks at the ends say nothing, and signs are kept."""
    ours = [_score("ours", n, label=("Include", "exclude", "?")[n % 3]) for n in range(9)]
    theirs = [_score("theirs", n, label=("include", "Exclude.", "?")[n % 3]) for n in range(9)]
    found = agreement(ours, theirs)
    assert found is not None
    assert (found.same, found.kappa, found.alpha) == (1.0, 1.0, 1.0)
    assert {cell.first: cell.n for cell in found.table} == {"include": 3, "exclude": 3, "?": 3}


def test_a_threshold_of_one_grader_changes_no_agreement() -> None:
    """Grades beside grades are compared as numbers, also where one of the two says from which on they are right."""
    ours, theirs = _graded(5)
    plain = agreement(ours, theirs)
    moved = agreement(
        [one.model_copy(update={"correct": one.value is not None and one.value > 6}) for one in ours], theirs
    )
    assert plain is not None
    assert plain == moved
    assert plain.kappa is not None
    assert plain.kappa > 0.2


def test_numbers_of_two_scales_are_compared_by_rank_alone() -> None:
    """Right or wrong beside a grade, and a count of words beside one, have an order in common and no unit."""
    grades = [_score("grade", n, value=float(n), correct=None) for n in range(2, 10)]
    for other in (
        [_score("right", n, value=float(n > 5), correct=n > 5) for n in range(2, 10)],
        [_score("words", n, value=50.0 + n) for n in range(2, 10)],
    ):
        found = agreement(grades, other)
        assert found is not None
        assert (found.same, found.kappa, found.alpha, found.mean_difference, found.table) == (None,) * 4 + ((),)
        assert found.rank_correlation is not None
        assert found.rank_correlation > 0.8


@pytest.mark.parametrize(
    ("first", "second", "by_value"),
    [([1, 10], [1, 10], True), ([1, 10], [1, 5], False), ([1, 10], None, False), (None, None, True)],
)
def test_a_named_scale_is_compared_by_value_with_itself_alone(
    first: list[JsonValue] | None, second: list[JsonValue] | None, by_value: bool
) -> None:
    """Grades from 1 to 10 and marks from 1 to 5 overlap, and a 5 of one is no 5 of the other."""
    grades, marks = (
        [_score(name, n, value=float(n), details={} if scale is None else {"scale": scale}) for n in range(1, 6)]
        for name, scale in (("grade", first), ("mark", second))
    )

    found = agreement(grades, marks)

    assert found is not None
    assert (found.same, found.kappa, found.mean_difference) == ((1.0, 1.0, 0.0) if by_value else (None, None, None))
    assert found.rank_correlation == pytest.approx(1.0)


def test_nothing_in_common_is_no_agreement() -> None:
    """Scores without a value, and of other deliberations, are not compared."""
    assert agreement([_score("ours", 1, value=1.0)], [_score("theirs", 2, value=1.0)]) is None
    assert agreement([_score("ours", 1, outcome="unread")], [_score("theirs", 1, value=1.0)]) is None


def test_scorers_that_always_state_the_same_have_no_kappa() -> None:
    """Chance agreement is certain there, so that the coefficient is undefined."""
    ours, theirs = ([_score(name, n, value=5.0) for n in range(4)] for name in ("ours", "theirs"))
    found = agreement(ours, theirs)
    assert found is not None
    assert (found.same, found.kappa, found.alpha, found.rank_correlation) == (1.0, None, None, None)


def test_classes_beside_numbers_or_right_and_wrong_are_no_disagreement() -> None:
    """A tone says nothing of whether an answer is right: no word of one could be a word of the other."""
    tones = [_score("tone", n, label="kind" if n % 2 else "harsh") for n in range(8)]
    for other in (
        [_score("right", n, value=float(n > 3), correct=n > 3) for n in range(8)],
        [_score("grade", n, value=float(n)) for n in range(8)],
    ):
        found = agreement(tones, other)
        assert found is not None
        assert (found.same, found.kappa, found.alpha, found.table) == (None, None, None, ())
    other = [_score("mood", n, label="calm") for n in range(8)]
    found = agreement(tones, other)
    assert found is not None
    assert found.same == 0.0


def test_numbers_that_differ_in_their_seventh_digit_are_two_classes() -> None:
    """What is not the same is in another cell of the table, and counts in kappa."""
    ours = [_score("ours", number, value=1_000_000 + number % 2) for number in range(8)]
    theirs = [_score("theirs", number, value=1_000_000 + number // 4) for number in range(8)]
    found = agreement(ours, theirs)
    assert found is not None
    assert found.same == sum(cell.n for cell in found.table if cell.first == cell.second) / 8
    assert found.kappa == pytest.approx(0)
