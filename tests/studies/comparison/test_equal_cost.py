"""Cost ratios and quality at equal cost, computed once more as a linear program with scipy."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from scipy import optimize  # type: ignore[import-untyped]  # it has no annotations of its own

from studies.comparison.compare import compare_scored
from studies.comparison.model import StudyComparison
from studies.comparison.scoring import LabelRule, score_row
from studies.comparison.tables import comparison_tables, remarks
from tests.studies.comparison.deliberations import CHOICES, deliberation

ARMS = {"single": (0.5, 0.01), "samples": (0.6, 0.05), "council": (0.7, 0.04), "debate": (0.65, 0.20)}
"""Arm to its accuracy and the dollars of a deliberation."""
ROWS = 20


def compared(arms: Mapping[str, tuple[float, float | None]], **changes: Any) -> StudyComparison:
    """The arms with exactly these accuracies and costs."""
    rows = [
        deliberation(
            row_id=f"q{row:02}",
            arm=arm,
            expected="A",
            verdict=f"FINAL ANSWER: {'A' if row < round(ROWS * accuracy) else 'B'}",
            cost_usd=usd,
            tokens=round(1000 * (usd or 1)),
            **changes,
        )
        for arm, (accuracy, usd) in arms.items()
        for row in range(ROWS)
    ]
    marks = [score_row(row, LabelRule.of(CHOICES)) for row in rows]
    return compare_scored("s", marks, CHOICES, baseline=next(iter(arms)))


def by_linear_program(others: Sequence[tuple[float, float]], cost: float) -> float | None:
    """The best accuracy of shares that cost no more on average."""
    quality, costs = np.array(others).T
    ones = np.ones((1, len(others)))
    found = optimize.linprog(-quality, A_ub=[costs], b_ub=[cost + 1e-12], A_eq=ones, b_eq=[1.0])
    return -float(found.fun) if found.success else None


@pytest.mark.parametrize("seed", range(12))
def test_the_mixture_is_that_of_a_linear_program(seed: int) -> None:
    """Whatever the accuracies and costs, no mixture of the others is better at the same cost."""
    rng = np.random.default_rng(seed)
    arms = {name: (float(rng.integers(0, ROWS + 1)) / ROWS, float(rng.integers(1, 50)) / 100) for name in "abcde"}
    found = {one.arm: one for one in compared(arms).equal_costs}

    for name, (accuracy, usd) in arms.items():
        expected = by_linear_program([told for arm, told in arms.items() if arm != name], usd)
        one = found[name]
        assert one.unit == "usd"
        assert one.accuracy == pytest.approx(accuracy)
        assert one.others == (None if expected is None else pytest.approx(expected, abs=1e-9))
        if expected is not None:
            assert sum(one.shares.values()) == pytest.approx(1)
            assert sum(share * arms[arm][1] for arm, share in one.shares.items()) <= usd + 1e-9


def test_the_screen_has_the_ratio_and_the_line() -> None:
    """The cost of a pair is a multiple of the baseline's, and the line names the shares."""
    found = compared(ARMS)
    names = {arm: arm for arm in ARMS}
    (table,) = (one for one in comparison_tables(found) if one.title.startswith("accuracy beside"))
    lines = list(remarks(found, names))

    assert {one.arm: one.usd_ratio for one in found.pairs} == pytest.approx({"samples": 5, "council": 4, "debate": 20})
    assert [row[-1].text for row in table.rows] == ["4.0x", "20x", "5.0x"]
    assert "at the cost of samples: 0.600; 100% council: 0.700" in lines
    assert "at the cost of council: 0.700; 25% single and 75% samples: 0.575" in lines
    assert not any("at the cost of single" in line for line in lines)


def test_without_a_known_price_tokens_are_compared() -> None:
    """A dollar that is not known makes no ratio of dollars and no mixture by them."""
    arms = {arm: (accuracy, None) for arm, (accuracy, _) in ARMS.items()}
    found = compared(arms, calls_of_unknown_cost=1)

    assert {one.usd_ratio for one in found.pairs} == {None}
    assert {one.token_ratio for one in found.pairs} == {1.0}
    assert {one.unit for one in found.equal_costs} == {"tokens"}
    assert any(line.startswith("at the tokens of council: 0.700; ") for line in remarks(found, {a: a for a in arms}))


def test_a_small_ratio_is_not_rounded_to_nothing() -> None:
    """Beside a dear baseline a cheap arm costs a part of it, and not 0.0 times as much."""
    found = compared({"dear": (0.5, 1.0), "fair": (0.5, 0.25), "cheap": (0.5, 0.03)})
    (table,) = (one for one in comparison_tables(found) if one.title.startswith("accuracy beside"))

    assert {"0.03x", "0.2x"} == {row[-1].text for row in table.rows}
