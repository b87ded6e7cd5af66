"""Agreement, against the documented examples of the libraries and the definition."""

import itertools
import time

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from studies.comparison.agreement import alpha, kendall_w

CODERS = (
    "*****34121133*3",
    "1*213343*******",
    "**21344*2113 3*4".replace(" ", ""),
)
"""The example of Wikipedia and of the package krippendorff: three coders, fifteen units; a star says nothing."""

CODED = [[value for value in unit if value != "*"] for unit in zip(*CODERS, strict=True)]


@pytest.mark.parametrize(("raters", "objects"), [(2, 3), (3, 3), (2, 4)])
def test_orders_at_random_give_one_over_their_number(raters: int, objects: int) -> None:
    """The mean of W over all orders that raters can give is what the note of a comparison calls chance, and not 0."""
    every = itertools.product(itertools.permutations(range(objects)), repeat=raters)

    assert np.mean([kendall_w(ratings) for ratings in every]) == pytest.approx(1 / raters)


def test_alpha_is_the_documented_example() -> None:
    """0.691358, as the package documents for these three coders."""
    assert pytest.approx(0.691358, abs=5e-7) == alpha(CODED)


def test_alpha_of_perfect_agreement_is_one() -> None:
    """Everyone says the same of every unit, and not of all units the same."""
    assert pytest.approx(1.0) == alpha([["a", "a"], ["b", "b"]])


@pytest.mark.parametrize("units", [[], [["a"], ["b"]], [["a", "a"], ["a", "a"]]])
def test_alpha_needs_two_answers_to_a_unit_and_two_different_ones(units: list[list[str]]) -> None:
    """Where disagreement is impossible there is no agreement to measure."""
    assert alpha(units) is None


@given(st.lists(st.lists(st.sampled_from("abcd"), min_size=2, max_size=5), min_size=1, max_size=12))
def test_alpha_is_the_packages(units: list[list[str]]) -> None:
    """For any answers alpha is that of the package krippendorff."""
    values = sorted(set(itertools.chain(*units)))
    if len(values) < 2:
        return
    table = [[unit.count(value) for value in values] for unit in units]
    assert krippendorff.alpha(value_counts=table, level_of_measurement="nominal") == pytest.approx(
        alpha(units), abs=1e-9
    )


def test_many_different_answers_need_no_large_table() -> None:
    """Thousands of units with as many numbers for answers are counted, which the package could not hold."""
    units = [[f"{unit}", f"{unit}", f"{unit + 1}"] for unit in range(3_000)]
    assert pytest.approx(1 / 3, abs=0.001) == alpha(units)


def test_the_time_grows_with_the_answers_and_not_with_their_square() -> None:
    """Twenty thousand units with as many numbers for answers take a tenth of a second, and not minutes."""
    units = [[f"{unit}", f"{unit}", f"{unit + 1}"] for unit in range(20_000)]
    began = time.process_time()
    assert pytest.approx(1 / 3, abs=0.001) == alpha(units)
    assert time.process_time() - began < 5


def test_w_of_one_order_is_one_and_of_opposite_orders_zero() -> None:
    """Two raters who put three objects in one order, or in opposite ones."""
    assert pytest.approx(1.0) == kendall_w([[1, 2, 3], [10, 20, 30]])
    assert pytest.approx(0.0) == kendall_w([[1, 2, 3], [3, 2, 1]])


def test_w_is_the_definitions() -> None:
    """Ranks 1234, 2143 and 1324: rank sums 4, 6, 9, 11, S = 29, W = 12 * 29 / (9 * 60) = 29/45."""
    assert pytest.approx(29 / 45) == kendall_w([[1, 2, 3, 4], [2, 1, 4, 3], [1, 3, 2, 4]])


def test_w_counts_ties() -> None:
    """Ranks 1, 2.5, 2.5 and 1, 2, 3: sums 2, 4.5, 5.5, S = 6.5; W = 12 * 6.5 / (4 * 24 - 2 * 6) = 78/84."""
    assert pytest.approx(78 / 84) == kendall_w([[0.1, 0.5, 0.5], [1, 2, 3]])


@pytest.mark.parametrize("constant", [0, 1, 9])
def test_a_rater_without_an_order_takes_nothing_from_w(constant: int) -> None:
    """A single vote is unanimous in every row: beside arms that put the rows in one order it is no disagreement."""
    assert pytest.approx(1.0) == kendall_w([[1, 2, 3, 4], [10, 20, 30, 40], *[[1, 1, 1, 1]] * constant])


@pytest.mark.parametrize(
    "ratings",
    [
        [],
        [[1, 2, 3]],
        [[1, 2], [1, 2]],
        [[1, 1, 1], [2, 2, 2]],
        [[1, 1, 1], [1, 2, 3]],
        [[1, 1, 1], [3, 1, 2], [2, 2, 2]],
    ],
)
def test_w_needs_three_objects_and_two_raters_with_an_order(ratings: list[list[float]]) -> None:
    """With less there is nothing that could agree."""
    assert kendall_w(ratings) is None
