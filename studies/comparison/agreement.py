"""Agreement of answers and scores: Krippendorff's alpha, and Kendall's W."""

from collections import Counter
from collections.abc import Sequence
from itertools import chain

from scipy import stats  # type: ignore[import-untyped]  # it has no annotations of its own

_FEWEST_RATERS, _FEWEST_OBJECTS = 2, 3


def alpha(units: Sequence[Sequence[str]]) -> float | None:
    """Return Krippendorff's alpha, nominal, by its definition.

    The package ``krippendorff`` lays out units by answers by answers, which a study with numbers for answers would fill
    gigabytes with.

    Args:
        units: What the coders said of each unit; who said nothing is left out.

    Returns:
        1: always the same; 0: as by chance; below: less than by chance. ``None`` when no unit has two answers, or when
        there is one answer only, which is the same as having no choice.
    """
    counted = [Counter(said) for said in units if len(said) > 1]
    overall = Counter(chain.from_iterable(one.elements() for one in counted))
    if len(overall) < 2:  # noqa: PLR2004 - one answer, or none
        return None
    observed = sum(_differing(one) / (one.total() - 1) for one in counted)
    return 1 - observed * (overall.total() - 1) / _differing(overall)


def _differing(said: Counter[str]) -> int:
    """Return how many ordered pairs of the answers differ."""
    return said.total() ** 2 - sum(n * n for n in said.values())


def kendall_w(ratings: Sequence[Sequence[float]]) -> float | None:
    """Return Kendall's coefficient of concordance, corrected for ties.

    It is Friedman's statistic over its largest value, with the objects as treatments and the raters as blocks.

    Args:
        ratings: For each rater one number per object, objects in the same order. A rater that holds all of them equal
            puts them in no order, with which others could agree, and is left out.

    Returns:
        0 to 1; ``None`` with fewer than three objects, or than two raters with an order.
    """
    orders = [one for one in ratings if len(set(one)) > 1]
    if len(orders) < _FEWEST_RATERS or len(orders[0]) < _FEWEST_OBJECTS:
        return None
    found = stats.friedmanchisquare(*zip(*orders, strict=True))
    return min(1.0, float(found.statistic) / (len(orders) * (len(orders[0]) - 1)))
