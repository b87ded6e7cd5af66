"""Quality at equal cost: each arm beside the best mixture of the others that costs no more.

Asking one arm for a share of the rows and another arm for the rest costs, and is right, as often as the shares say. So
for arms with the costs ``c`` and the accuracies ``q`` per deliberation, the others reach at the cost of an arm ``a``::

    max  Σ w_i q_i   over shares  w_i >= 0,  Σ w_i = 1,  Σ w_i c_i <= c_a,  i != a

The maximum has at most two arms. An arm that costs less than all others has none.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import Literal, NamedTuple

from studies.comparison.model import ArmFigures, EqualCost

_DECIMALS = 12


class _Point(NamedTuple):
    arm: str
    cost: float
    quality: float


def equal_costs(arms: Sequence[ArmFigures]) -> tuple[EqualCost, ...]:
    """Return every arm beside the best mixture of the others; by tokens where a cost is unknown or zero."""
    is_priced = all(one.usd_each and not one.is_lower_bound for one in arms)
    points = [
        _Point(one.arm, (one.usd_each or 0.0) if is_priced else one.tokens / one.n, one.accuracy.value)
        for one in arms
        if one.accuracy.value is not None
    ]
    unit: Literal["usd", "tokens"] = "usd" if is_priced else "tokens"
    found = []
    for at, one in enumerate(points):
        others, shares = _best(one.cost, [*points[:at], *points[at + 1 :]])
        found.append(
            EqualCost(arm=one.arm, cost=one.cost, unit=unit, accuracy=one.quality, others=others, shares=shares)
        )
    return tuple(found)


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
