"""Intervals and tests, against figures worked out by hand and the libraries' own."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats  # type: ignore[import-untyped]  # it has no annotations of its own

from studies.comparison.resampling import RatioSums, holm, interval, mcnemar, permutation, weighted_interval

SEED = 11


def marks(*values: float) -> RatioSums:
    """One deliberation per row."""
    return RatioSums(np.array(values, dtype=float), np.ones(len(values)))


def test_an_interval_is_scipys_for_a_mean() -> None:
    """With one deliberation per row a ratio of sums is a mean, and its BCa interval is the mean's."""
    values = np.array([1, 0, 1, 1, 0, 1, 1, 0, 1, 1] * 4, dtype=float)
    wanted = stats.bootstrap(
        (values,), np.mean, n_resamples=9_999, method="BCa", rng=np.random.default_rng(SEED)
    ).confidence_interval
    found = interval(marks(*values), SEED, is_share=True)
    assert found is not None
    assert found.method == "bca"
    assert pytest.approx(tuple(wanted)) == (found.low, found.high)


@pytest.mark.parametrize(("value", "ends"), [(1.0, (0.6915, 1.0)), (0.0, (0.0, 0.3085))])
def test_a_share_of_all_or_none_has_the_exact_interval(value: float, ends: tuple[float, float]) -> None:
    """Ten of ten right is no certainty: Clopper and Pearson's interval of 10 in 10 begins at 0.025 ** 0.1."""
    found = interval(marks(*[value] * 10), SEED, is_share=True)
    assert found is not None
    assert found.method == "exact"
    assert pytest.approx(ends, abs=5e-5) == (found.low, found.high)


def test_what_does_not_vary_has_no_interval() -> None:
    """A bootstrap of equal costs would feign certainty."""
    assert interval(marks(3, 3, 3), SEED) is None


@pytest.mark.parametrize("of", [RatioSums(np.array([1.0]), np.array([2.0])), RatioSums(np.zeros(3), np.zeros(3))])
def test_one_row_or_nothing_to_divide_by_has_no_interval(of: RatioSums) -> None:
    """One row cannot be drawn in two ways."""
    assert interval(of, SEED) is None


def test_a_ratio_that_is_often_undefined_has_no_interval() -> None:
    """With one right answer in five rows, a third of all draws have none to divide by."""
    assert interval(RatioSums(np.array([1.0, 2, 3, 4, 5]), np.array([0.0, 0, 1, 0, 0])), SEED) is None


def test_repeats_of_a_row_are_no_independent_rows() -> None:
    """Twenty rows asked ten times over are as uncertain as twenty rows when the repeats always agree."""
    once = marks(*[1, 0] * 10)
    often = RatioSums(once.numerators * 10, once.denominators * 10)
    assert interval(once, SEED) == interval(often, SEED)


def test_mcnemar_is_the_exact_test_of_the_discordant_rows() -> None:
    """Eight rows right in the first alone, two in the second alone: twice (1 + 10 + 45) of 1024."""
    first = np.array([1] * 8 + [0] * 2 + [1] * 5, dtype=float)
    second = np.array([0] * 8 + [1] * 2 + [1] * 5, dtype=float)
    assert pytest.approx((112 / 1024, 8, 2)) == mcnemar(first, second)


def test_a_permutation_of_few_rows_is_exact() -> None:
    """Five rows, all in favour of one: of 32 ways to swap them two are as extreme."""
    tested = permutation(marks(5, 6, 7, 8, 9), marks(1, 2, 3, 4, 5), SEED)
    assert pytest.approx(2 / 32) == tested.p


def test_rows_without_a_difference_leave_a_permutation_exact() -> None:
    """However many rows are alike, the ten that differ are swapped in all 1,024 ways; one that differs says nothing."""
    alike, ten = [1.0, 0.0] * 30, [1.0] * 10
    tested = permutation(marks(*alike, *ten), marks(*alike, *np.zeros(10)), SEED)
    assert pytest.approx(2 / 1024) == tested.p
    assert [1.0, 1.0] == [permutation(marks(*alike, *one), marks(*alike, 0), SEED).p for one in ([1.0], [0.0])]


def test_swaps_that_are_equal_count_as_equal() -> None:
    """Thirds are rounded otherwise in another order: without a difference every swap is as extreme, and p is 1."""
    first, second = (marks(*(one / 3 for one in of)) for of in ((1, 3, 1, 2), (2, 2, 2, 1)))
    assert permutation(first, second, SEED).p == 1.0


def test_one_row_shows_no_difference() -> None:
    """With one row there is nothing to swap it against, so there is no p, and no error either."""
    assert permutation(marks(1), marks(0), SEED).p is None


def test_a_permutation_is_scipys_for_means() -> None:
    """Swapping rows by their place is swapping their values: the same draws give the same p."""
    draw = np.random.default_rng(3)
    first, second = draw.normal(size=40), draw.normal(0.3, size=40)
    wanted = stats.permutation_test(
        (first, second),
        lambda one, other, axis: one.mean(axis=axis) - other.mean(axis=axis),
        permutation_type="samples",
        vectorized=True,
        rng=np.random.default_rng(SEED),
    )
    assert pytest.approx(wanted.pvalue) == permutation(marks(*first), marks(*second), SEED).p


def test_a_permutation_that_may_divide_by_nothing_has_no_p() -> None:
    """A cost per right answer with no right answer in some swap cannot be ranked."""
    none, one = RatioSums(np.array([1.0, 1]), np.array([1.0, 0])), RatioSums(np.array([1.0, 1]), np.array([0.0, 1]))
    assert permutation(none, one, SEED).p is None


def test_a_difference_that_is_the_same_in_every_row_has_no_interval() -> None:
    """Nothing varies that could be drawn."""
    assert weighted_interval((marks(1, 1, 1), marks(0, 0, 0)), (1.0, -1.0), SEED) is None


def test_a_difference_is_drawn_with_its_rows_together() -> None:
    """Arms that differ by one or two in every row differ by one to two, however the rows differ among themselves."""
    base = np.arange(20, dtype=float) * 100
    found = weighted_interval((marks(*(base + [1, 2] * 10)), marks(*base)), (1.0, -1.0), SEED)
    assert found is not None
    assert 1 < found.low < 1.5 < found.high < 2


@pytest.mark.parametrize("rows", [24, 30, 49])
def test_a_difference_of_shares_has_the_interval_of_its_rows(rows: int) -> None:
    """Draws with the same counts are equal, as BCa counts them, though quotients are rounded: so whole numbers say."""
    rng = np.random.default_rng(rows)
    first, second = (rng.integers(0, 3, rows).astype(float) for _ in range(2))
    wanted = stats.bootstrap(
        (first - second,), np.sum, n_resamples=9_999, method="BCa", rng=np.random.default_rng(SEED)
    ).confidence_interval
    twice = np.full(rows, 2.0)
    found = weighted_interval((RatioSums(first, twice), RatioSums(second, twice)), (1.0, -1.0), SEED)
    assert found is not None
    assert found.method == "bca"
    assert pytest.approx((wanted.low / (2 * rows), wanted.high / (2 * rows)), abs=1e-9) == (found.low, found.high)


def test_holm_is_the_textbooks() -> None:
    """0.01, 0.04, 0.03, 0.005 become 0.03, 0.06, 0.06, 0.02 (the example of R's p.adjust); what is undefined stays."""
    assert pytest.approx((0.03, 0.06, 0.06, 0.02, None)) == holm((0.01, 0.04, 0.03, 0.005, None))


@given(st.lists(st.floats(0, 1), max_size=8))
def test_holm_never_lowers_a_p_and_keeps_their_order(ps: list[float]) -> None:
    """Corrected values are at most 1, at least what they were, and ordered as before."""
    found = [p for p in holm(ps) if p is not None]
    assert all(p <= corrected <= 1 for p, corrected in zip(ps, found, strict=True))
    ranked = [found[at] for at in sorted(range(len(ps)), key=lambda at: ps[at])]
    assert sorted(ranked) == ranked


@given(st.lists(st.integers(0, 1), min_size=2, max_size=40))
def test_an_interval_holds_its_figure(values: list[int]) -> None:
    """For any marks the interval is within 0 and 1 and holds the accuracy."""
    of = marks(*values)
    found = interval(of, SEED, is_share=True)
    assert found is None or 0 <= found.low <= (of.ratio or 0.0) <= found.high <= 1


def test_many_rows_are_drawn_within_bounds() -> None:
    """A hundred thousand rows give an interval as narrow as theory says, by plain percentiles, in seconds."""
    draw = np.random.default_rng(1)
    found = interval(marks(*(draw.random(100_000) < 0.5)), SEED, is_share=True)
    assert found is not None
    assert found.method == "percentile"
    assert pytest.approx(2 * 1.96 * 0.5 / 100_000**0.5, rel=0.1) == found.high - found.low
