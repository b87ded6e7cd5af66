"""Differences between arms, their changes over the firings of a schedule, and their quality at equal cost.

Arms and firings are compared over the deliberations that all of them have: a repeat of a row that one of them lacks is
left out of all, else rows would weigh differently on the sides.

Asking one arm for a share of the rows and another arm for the rest costs, and is right, as often as the shares say. So
for arms with the costs ``c`` and the accuracies ``q`` per deliberation, the others reach at the cost of an arm ``a``::

    max  Σ w_i q_i   over shares  w_i >= 0,  Σ w_i = 1,  Σ w_i c_i <= c_a,  i != a

The maximum has at most two arms. An arm that costs less than all others has none.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from itertools import combinations
from math import fsum
from typing import Literal, NamedTuple

import numpy as np

from studies.comparison.metrics import METRICS, Metric, by_row, sums
from studies.comparison.model import ArmFigures, EqualCost, Pair, TestName, Trend
from studies.comparison.resampling import RatioSums, TestResult, holm, mcnemar, permutation, weighted, weighted_interval
from studies.comparison.scoring import ScoredRow, grouped

_FEWEST_FIRINGS = 3
_DAY = timedelta(days=1)
_DECIMALS = 12
_DIFFERENCE = (1.0, -1.0)
"""The weights of an arm and of the one beside it."""


def compare_pairs(
    by_arm: Mapping[str, Sequence[ScoredRow]], beside: Mapping[str, str] | str, of: Metric, seed: int
) -> tuple[Pair, ...]:
    """Return the pair of each arm and the one ``beside`` it, or one for all, p corrected by Holm over all of them."""
    if isinstance(beside, str):
        beside = {arm: beside for arm in by_arm if arm != beside}
    pairs = [_pair(by_arm, arm, other, of, seed) for arm, other in beside.items()]
    corrected = holm([one.p for one in pairs])
    return tuple(one.model_copy(update={"p_holm": p}) for one, p in zip(pairs, corrected, strict=True))


def _pair(by_arm: Mapping[str, Sequence[ScoredRow]], arm: str, baseline: str, of: Metric, seed: int) -> Pair:
    sides, rows = _shared([by_arm[arm], by_arm[baseline]], of)
    both = first, second = [sums(side, of, rows) for side in sides]
    tested, test = _tested(first, second, of, seed)
    return Pair(
        arm=arm,
        baseline=baseline,
        rows=len(rows),
        deliberations=len(sides[0]),
        arm_value=first.ratio,
        baseline_value=second.ratio,
        difference=weighted(both, _DIFFERENCE),
        interval=weighted_interval(both, _DIFFERENCE, seed),
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
    is_known = all(of.is_known(one) for side in sides for one in side)
    first, second = (fsum(parts[0] for one in side if (parts := of.parts(one))) for side in sides)
    return first / second if is_known and second else None


def _shared(sides: Sequence[Sequence[ScoredRow]], of: Metric) -> tuple[list[list[ScoredRow]], list[str]]:
    """Return the deliberations of a row and repeat that take part on all sides, and these rows.

    Unknown costs cannot be compared, nor rows of which the sides share too few repeats.
    """
    taking = [{(one.row_id, one.repeat): one for one in side if of.is_known(one)} for side in sides]
    parts = [{unit for unit, one in side.items() if of.parts(one) is not None} for side in taking]
    units = set.intersection(*parts)
    shared = [[one for unit, one in side.items() if unit in units] for side in taking]
    rows = set.intersection(*(set(by_row(side, of)) for side in shared))
    return [[one for one in side if one.row_id in rows] for side in shared], sorted(rows)


def _tested(first: RatioSums, second: RatioSums, of: Metric, seed: int) -> tuple[TestResult, TestName]:
    if first.ratio is None or second.ratio is None:
        return TestResult(None), "none"
    if of.name == "accuracy" and all(map(_is_right_or_wrong, (first, second))):
        return mcnemar(first.numerators, second.numerators), "mcnemar"
    return permutation(first, second, seed), "permutation"


def _is_right_or_wrong(side: RatioSums) -> bool:
    """Return whether every row has one value, 1 or 0."""
    return bool((side.denominators == 1).all() and np.isin(side.numerators, (0, 1)).all())


def trends(rows: Sequence[ScoredRow], firings: Mapping[str, datetime], of: Metric, seed: int) -> tuple[Trend, ...]:
    """Return the trend of every arm of three firings or more, over the deliberations that all of them have.

    Args:
        rows: The deliberations, their arms as ``FIRING/ARM``.
        firings: Firing to its time.
        of: What changes.
        seed: Of the intervals.
    """
    ended = grouped((one for one in rows if one.status != "open"), lambda one: one.arm.partition("/")[2])
    by_arm = {arm: grouped(of_arm, lambda one: one.arm.partition("/")[0]) for arm, of_arm in ended.items()}
    return tuple(
        _trend(arm, of_arm, firings, of, seed) for arm, of_arm in by_arm.items() if len(of_arm) >= _FEWEST_FIRINGS
    )


def _trend(
    arm: str, of_arm: Mapping[str, Sequence[ScoredRow]], firings: Mapping[str, datetime], of: Metric, seed: int
) -> Trend:
    names = sorted(of_arm, key=lambda name: firings[name])
    kept, rows = _shared([of_arm[name] for name in names], of)
    sides = [sums(side, of, rows) for side in kept]
    days = [(firings[name] - firings[names[0]]) / _DAY for name in names]
    mean = fsum(days) / len(days)
    spread = fsum((day - mean) ** 2 for day in days)
    slope = [(day - mean) / spread for day in days]
    return Trend(
        arm=arm,
        firings=len(names),
        days=days[-1],
        rows=len(rows),
        per_day=weighted(sides, slope),
        interval=weighted_interval(sides, slope, seed),
    )


class _Point(NamedTuple):
    arm: str
    cost: float
    quality: float


def equal_costs(arms: Sequence[ArmFigures]) -> tuple[EqualCost, ...]:
    """Return every arm beside the best mixture of the others; by tokens where a cost is unknown or zero.

    An arm whose tokens are not known is then left out.
    """
    is_priced = all(one.usd_each and not one.is_lower_bound for one in arms)
    points = [
        _Point(one.arm, cost, one.accuracy.value)
        for one in arms
        if one.accuracy.value is not None and (cost := one.usd_each if is_priced else one.known_tokens_each) is not None
    ]
    unit: Literal["usd", "tokens"] = "usd" if is_priced else "tokens"
    best = (_best(one.cost, [*points[:at], *points[at + 1 :]]) for at, one in enumerate(points))
    return tuple(
        EqualCost(arm=one.arm, cost=one.cost, unit=unit, accuracy=one.quality, others=others, shares=shares)
        for one, (others, shares) in zip(points, best, strict=True)
    )


def _best(cost: float, others: Sequence[_Point]) -> tuple[float | None, dict[str, float]]:
    """Return accuracy and shares of the best mixture of ``others`` at this cost; of equal ones the cheapest."""
    mixtures = [(one.quality, one.cost, {one.arm: 1.0}) for one in others if one.cost <= cost]
    for cheap, dear in combinations(sorted(others, key=lambda one: one.cost), 2):
        if cheap.cost <= cost < dear.cost:
            share = (cost - cheap.cost) / (dear.cost - cheap.cost)
            quality = (1 - share) * cheap.quality + share * dear.quality
            mixtures.append((quality, cost, {cheap.arm: 1 - share, dear.arm: share}))
    if not mixtures:
        return None, {}
    quality, _, shares = max(mixtures, key=lambda one: (round(one[0], _DECIMALS), -len(one[2]), -one[1]))
    return quality, shares
