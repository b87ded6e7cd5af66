"""Agreement of answers and scores: Krippendorff's alpha, and Kendall's W."""

from collections import Counter
from collections.abc import Mapping, Sequence

import krippendorff
import numpy as np
from scipy import stats  # type: ignore[import-untyped]  # it has no annotations of its own

_MOST_CELLS = 4_000_000
"""Of the table that ``krippendorff`` lays out: units by answers by answers. Beyond it the same sums are taken directly,
because a thousand units with five hundred different numbers for answers would fill eight gigabytes."""
_FEWEST_RATERS, _FEWEST_OBJECTS = 2, 3


def alpha(units: Sequence[Sequence[str]]) -> float | None:
    """Return Krippendorff's alpha, nominal.

    Args:
        units: What the coders said of each unit; who said nothing is left out.

    Returns:
        1: always the same; 0: as by chance; below: less than by chance. ``None`` when no unit has two answers, or when
        there is one answer only, which is the same as having no choice.
    """
    counted = [Counter(said) for said in units if len(said) > 1]
    values = sorted({value for one in counted for value in one})
    if len(values) < 2:  # noqa: PLR2004 - one answer, or none
        return None
    if len(counted) * len(values) ** 2 > _MOST_CELLS:
        return direct_alpha(counted)
    table = np.array([[one[value] for value in values] for one in counted])
    return float(krippendorff.alpha(value_counts=table, level_of_measurement="nominal"))


def direct_alpha(counted: Sequence[Mapping[str, int]]) -> float:
    """Compute alpha by its definition, for at least two units and answers."""
    overall: Counter[str] = Counter()
    observed = 0.0
    for one in counted:
        overall.update(one)
        coders = sum(one.values())
        observed += (coders**2 - sum(n * n for n in one.values())) / (coders - 1)
    everything = overall.total()
    expected = (everything**2 - sum(n * n for n in overall.values())) / (everything - 1)
    return 1 - observed / expected


def kendall_w(ratings: Sequence[Sequence[float]]) -> float | None:
    """Return Kendall's coefficient of concordance, corrected for ties.

    It is Friedman's statistic over its largest value, with the objects as treatments and the raters as blocks.

    Args:
        ratings: For each rater one number per object, objects in the same order.

    Returns:
        0 to 1; ``None`` with fewer than two raters or three objects, or when every rater holds all objects equal.
    """
    raters = len(ratings)
    objects = len(ratings[0]) if raters else 0
    if raters < _FEWEST_RATERS or objects < _FEWEST_OBJECTS or all(len(set(one)) == 1 for one in ratings):
        return None
    found = stats.friedmanchisquare(*zip(*ratings, strict=True))
    return min(1.0, float(found.statistic) / (raters * (objects - 1)))
