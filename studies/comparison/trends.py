"""The change of arms over the firings of a schedule."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from math import fsum

from studies.comparison.baseline_pairs import unit, units
from studies.comparison.metrics import Metric, sums
from studies.comparison.model import Trend
from studies.comparison.resampling import weighted, weighted_interval
from studies.comparison.scoring import ScoredRow

_FEWEST = 3
_DAY = timedelta(days=1)


def trends(rows: Sequence[ScoredRow], firings: Mapping[str, datetime], of: Metric, seed: int) -> tuple[Trend, ...]:
    """Return the trend of every arm of three firings or more, over the deliberations that all of them have.

    Args:
        rows: The deliberations, their arms as ``FIRING/ARM``.
        firings: Firing to its time.
        of: What changes.
        seed: Of the intervals.
    """
    by_arm: defaultdict[str, dict[str, list[ScoredRow]]] = defaultdict(lambda: defaultdict(list))
    for one in rows:
        firing, _, arm = one.arm.partition("/")
        if one.status != "open":
            by_arm[arm][firing].append(one)
    return tuple(_trend(arm, of_arm, firings, of, seed) for arm, of_arm in by_arm.items() if len(of_arm) >= _FEWEST)


def _trend(
    arm: str, of_arm: Mapping[str, Sequence[ScoredRow]], firings: Mapping[str, datetime], of: Metric, seed: int
) -> Trend:
    names = sorted(of_arm, key=lambda name: firings[name])
    shared = set.intersection(*(units(of_arm[name], of) for name in names))
    rows = sorted({row for row, _ in shared})
    sides = [sums((one for one in of_arm[name] if unit(one) in shared), of, rows) for name in names]
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
