"""Uncertainty of a ratio of two sums over rows: bootstrap intervals, and tests of two arms over the same rows.

All from ``scipy``, but for Holm's correction: ``scipy.stats.false_discovery_control`` controls the false discovery
rate, which is another promise than no false finding at all.
"""

import warnings
from collections.abc import Sequence
from math import fsum
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import stats  # type: ignore[import-untyped]  # it has no annotations of its own

from studies.comparison.model import Interval

Values = npt.NDArray[np.float64]

CONFIDENCE = 0.95
_MOST_RESAMPLES, _FEWEST_RESAMPLES = 9_999, 999
_WORK = 25_000_000
"""Drawn observations of one interval or test: under a second. More than 2,500 rows are drawn less often."""
_DRAWN_AT_ONCE = 400_000
"""Drawn observations of an interval in memory at once: ten times as many leave the caches and take thrice as long."""
_SWAPS_AT_ONCE, _SWAPPED_AT_ONCE = 1_000, 4_000_000
"""The swaps of one batch, and their observations: a batch has a step of Python for every row."""
MOST_ROWS_OF_BCA = 5_000
"""The acceleration of BCa leaves out each row once, and with so many rows it is nothing."""
_DEFINED = 0.95
"""The share of resamples in which a ratio must be defined for an interval to be shown."""
_FEWEST = 2
"""Rows that a swap test needs."""
_GRAIN = 1e-12
"""Of the largest row: what differs by less is equal, because sums in another order are rounded otherwise."""


class RatioSums(NamedTuple):
    """A numerator and a denominator for every row."""

    numerators: Values
    denominators: Values

    @classmethod
    def of(cls, rows: Sequence[tuple[float, float]]) -> "RatioSums":
        """Return the sums of ``rows``, each a numerator and a denominator."""
        return cls(*np.array(rows, dtype=np.float64).reshape(-1, 2).T)

    @property
    def ratio(self) -> float | None:
        """The ratio of the two sums; ``None`` when the denominator is zero."""
        found = float(_ratio(self.numerators, self.denominators, axis=0))
        return None if np.isnan(found) else found


class TestResult(NamedTuple):
    """A two-sided test: its p, and for McNemar the rows that only one of the two has right."""

    p: float | None
    only_first: int | None = None
    only_second: int | None = None


def interval(of: RatioSums, seed: int, *, is_share: bool = False) -> Interval | None:
    """Return the interval of one ratio; the exact one for a share that is the same in every row."""
    counted, value = of.denominators > 0, of.ratio
    if value is None:
        return None
    if np.allclose(of.numerators[counted], value * of.denominators[counted], rtol=1e-12, atol=0):
        return _exact(value, int(counted.sum())) if is_share and value in {0.0, 1.0} else None
    return _bootstrap(tuple(of), _ratio, value, seed)


def weighted_interval(sides: Sequence[RatioSums], weights: Sequence[float], seed: int) -> Interval | None:
    """Return the interval of ``weighted``, rows drawn together for all ``sides``; ``None`` when nothing varies."""
    value = weighted(sides, weights)
    if value is None:
        return None

    def statistic(*parts: Values, axis: int = -1) -> Values:
        ratios = [_ratio(above, below, axis) for above, below in zip(parts[::2], parts[1::2], strict=True)]
        return np.asarray(sum(weight * (ratio - ratios[0]) for weight, ratio in zip(weights, ratios, strict=True)))

    return _bootstrap(tuple(values for side in sides for values in side), statistic, value, seed)


def weighted(sides: Sequence[RatioSums], weights: Sequence[float]) -> float | None:
    """Return the weighted sum of the ratios of ``sides``; ``None`` where one of them has nothing to divide by.

    The weights add up to 0, but for rounding: ratios are taken from the first, and equal ones have no difference.
    """
    known = [one.ratio for one in sides if one.ratio is not None]
    if len(known) < len(sides):
        return None
    return fsum(weight * (ratio - known[0]) for weight, ratio in zip(weights, known, strict=True))


def mcnemar(first: Values, second: Values) -> TestResult:
    """Perform the exact McNemar test on right (1) and wrong (0), one of each per row."""
    only_first, only_second = int((first > second).sum()), int((second > first).sum())
    p = float(stats.binomtest(only_first, only_first + only_second, 0.5).pvalue) if only_first + only_second else 1.0
    return TestResult(p, only_first, only_second)


def permutation(first: RatioSums, second: RatioSums, seed: int) -> TestResult:
    """Swap the arms within the rows in which they differ: every way when these are few, else many at random."""
    differs = (first.numerators != second.numerators) | (first.denominators != second.denominators)
    grain = _grain(*first, *second)
    rows, same = int(differs.sum()), tuple(float(values[~differs].sum()) for values in first)
    above, below = (np.concatenate([one[differs], other[differs]]) for one, other in zip(first, second, strict=True))

    def difference(one: Any, other: Any, axis: int) -> Values:
        found = _ratio(above[one], below[one], axis, same) - _ratio(above[other], below[other], axis, same)
        return np.asarray(grain * np.round(found / grain))

    if len(differs) < _FEWEST or np.isnan(difference(np.arange(rows), np.arange(rows, 2 * rows), axis=-1)):
        return TestResult(None)
    if rows < _FEWEST:
        return TestResult(1.0)
    tested = stats.permutation_test(
        (np.arange(rows), np.arange(rows, 2 * rows)),
        difference,
        permutation_type="samples",
        vectorized=True,
        n_resamples=_resamples(rows),
        batch=max(1, min(_SWAPS_AT_ONCE, _SWAPPED_AT_ONCE // rows)),
        rng=np.random.default_rng(seed),
    )
    return TestResult(None if np.isnan(tested.null_distribution).any() else float(tested.pvalue))


def holm(ps: Sequence[float | None]) -> tuple[float | None, ...]:
    """Apply Holm's step-down correction; ``None`` stays and is not counted."""
    ordered = sorted((p, at) for at, p in enumerate(ps) if p is not None)
    corrected: list[float | None] = [None] * len(ps)
    highest = 0.0
    for rank, (p, at) in enumerate(ordered):
        highest = max(highest, min(1.0, p * (len(ordered) - rank)))
        corrected[at] = highest
    return tuple(corrected)


def _ratio(numerators: Values, denominators: Values, axis: int = -1, more: Sequence[float] = (0.0, 0.0)) -> Values:
    above, below = numerators.sum(axis=axis) + more[0], denominators.sum(axis=axis) + more[1]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(below > 0, above / below, np.nan))


def _grain(*sides: Values) -> float:
    """Return by how much two ratios of ``sides`` must differ to be different."""
    of_rows = [_ratio(above[:, None], below[:, None]) for above, below in zip(sides[::2], sides[1::2], strict=True)]
    return _GRAIN * float(np.nan_to_num(np.abs(of_rows)).max(initial=0.0)) or 1.0


def _bootstrap(samples: tuple[Values, ...], statistic: Any, value: float, seed: int) -> Interval | None:
    rows, varies = len(samples[0]), [bool((one != one[:1]).any()) for one in samples]
    if rows < 2 or not any(varies):  # noqa: PLR2004 - one row cannot be drawn in two ways
        return None
    method = "bca" if rows <= MOST_ROWS_OF_BCA else "percentile"
    grain = _grain(*samples)
    value = grain * round(value / grain)

    def drawn(at: Any, axis: int) -> Any:  # what is the same in every row need not be drawn
        parts = (one.take(at) if v else one[: at.shape[axis]] for one, v in zip(samples, varies, strict=True))
        return grain * np.round(statistic(*parts, axis=axis) / grain)

    with warnings.catch_warnings(action="ignore"):  # BCa warns and is not-a-number where it is not defined: see below
        found = stats.bootstrap(
            (np.arange(rows),),
            drawn,
            vectorized=True,
            confidence_level=CONFIDENCE,
            method=method,
            n_resamples=_resamples(rows),
            batch=max(1, _DRAWN_AT_ONCE // rows),
            rng=np.random.default_rng(seed),
        )
    low, high = map(float, found.confidence_interval)
    if method == "bca" and low <= value <= high and low < high:
        return Interval(low=low, high=high, method="bca")
    return percentiles(found.bootstrap_distribution)


def percentiles(drawn: Values) -> Interval | None:
    """Return the plain interval of ``drawn`` values; ``None`` where too many are not defined, or nothing varies."""
    defined, tail = drawn[~np.isnan(drawn)], (1 - CONFIDENCE) / 2
    if len(defined) < _DEFINED * len(drawn):
        return None
    low, high = map(float, np.quantile(defined, (tail, 1 - tail)))
    return Interval(low=low, high=high, method="percentile") if low < high else None


def _exact(share: float, rows: int) -> Interval:
    low, high = stats.binomtest(round(share * rows), rows).proportion_ci(CONFIDENCE, method="exact")
    return Interval(low=float(low), high=float(high), method="exact")


def _resamples(rows: int) -> int:
    return max(_FEWEST_RESAMPLES, min(_MOST_RESAMPLES, _WORK // max(rows, 1)))
