"""Pairs of arms, over the deliberations that both have.

A repeat of a row that one of the two lacks is left out of both, else rows would weigh differently on the two sides.
"""

from collections.abc import Mapping, Sequence
from math import fsum

import numpy as np

from studies.comparison.metrics import METRICS, Metric, sums
from studies.comparison.model import Pair, TestName
from studies.comparison.resampling import (
    RatioSums,
    TestResult,
    difference_interval,
    holm,
    mcnemar,
    permutation,
    weighted,
)
from studies.comparison.scoring import ScoredRow


def compare_pairs(
    by_arm: Mapping[str, Sequence[ScoredRow]], beside: Mapping[str, str], of: Metric, seed: int
) -> tuple[Pair, ...]:
    """Return the pair of each arm in ``beside`` and the arm it names, p corrected by Holm over all of them."""
    pairs = [_pair(by_arm, arm, other, of, seed) for arm, other in beside.items()]
    corrected = holm([one.p for one in pairs])
    return tuple(one.model_copy(update={"p_holm": p}) for one, p in zip(pairs, corrected, strict=True))


def _pair(by_arm: Mapping[str, Sequence[ScoredRow]], arm: str, baseline: str, of: Metric, seed: int) -> Pair:
    both = units(by_arm[arm], of) & units(by_arm[baseline], of)
    rows = sorted({row for row, _ in both})
    sides = [[one for one in by_arm[name] if unit(one) in both] for name in (arm, baseline)]
    first, second = (sums(side, of, rows) for side in sides)
    tested, test = _tested(first, second, of, seed)
    return Pair(
        arm=arm,
        baseline=baseline,
        rows=len(rows),
        deliberations=len(both),
        arm_value=first.ratio,
        baseline_value=second.ratio,
        difference=weighted((first, second), (1.0, -1.0)),
        interval=difference_interval(first, second, seed),
        p=tested.p,
        p_holm=None,
        test=test,
        usd_ratio=_ratio(sides, METRICS["usd"]),
        token_ratio=_ratio(sides, METRICS["tokens"]),
        only_arm=tested.only_first,
        only_baseline=tested.only_second,
    )


def _ratio(sides: Sequence[Sequence[ScoredRow]], of: Metric) -> float | None:
    """Return the cost of the first side over that of the second."""
    is_known = not of.is_money or all(one.has_known_cost for side in sides for one in side)
    first, second = (fsum(parts[0] for one in side if (parts := of.parts(one))) for side in sides)
    return first / second if is_known and second else None


def units(entries: Sequence[ScoredRow], of: Metric) -> set[tuple[str, int]]:
    """Return row and repeat of each deliberation that takes part; unknown costs cannot be compared."""
    taking = (entry for entry in entries if entry.has_known_cost or not of.is_money)
    return {unit(entry) for entry in taking if of.parts(entry) is not None}


def unit(entry: ScoredRow) -> tuple[str, int]:
    """Return row and repeat."""
    return entry.row_id, entry.repeat


def _tested(first: RatioSums, second: RatioSums, of: Metric, seed: int) -> tuple[TestResult, TestName]:
    if first.ratio is None or second.ratio is None:
        return TestResult(None), "none"
    if of.name == "accuracy" and all(map(_is_right_or_wrong, (first, second))):
        return mcnemar(first.numerators, second.numerators), "mcnemar"
    return permutation(first, second, seed), "permutation"


def _is_right_or_wrong(side: RatioSums) -> bool:
    """Return whether every row has one value, 1 or 0."""
    return bool((side.denominators == 1).all() and np.isin(side.numerators, (0, 1)).all())
