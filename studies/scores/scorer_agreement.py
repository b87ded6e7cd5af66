"""Agreement of two scorers on the same deliberations: of classes, of numbers, and as a table."""

import warnings
from collections import Counter
from collections.abc import Sequence

import krippendorff
import numpy as np
from scipy import stats  # type: ignore[import-untyped]  # it has no annotations of its own

from ledger.studies.scores import Score
from protocols.answer_text import normalised
from protocols.model_call import FrozenModel
from studies.comparison.agreement import alpha

_MOST_CLASSES = 25
_FEWEST = 2


class Cell(FrozenModel):
    """One cell of a confusion table."""

    first: str
    second: str
    n: int


class ScorerAgreement(FrozenModel):
    """The agreement of two scorers."""

    first: str
    second: str
    n: int
    """Deliberations that both scored."""
    same: float | None
    """The share of them with the same value or class; ``None``, like what follows, where one says right or wrong, or a
    class, and the other gives numbers, or where the ranges of their numbers do not meet."""
    kappa: float | None
    """Cohen's, of classes; ``None`` where chance agreement is certain or there are too many classes."""
    alpha: float | None
    """Krippendorff's, nominal for classes and interval for numbers; ``None`` where nothing varies."""
    rank_correlation: float | None
    """Spearman's, of numbers; ``None`` where one of the two is always the same."""
    mean_difference: float | None
    """Of numbers: the second less the first."""
    table: tuple[Cell, ...]
    """How often each two classes meet; empty where there are too many."""


def agreement(first: Sequence[Score], second: Sequence[Score]) -> ScorerAgreement | None:
    """Return how far two scorers agree; ``None`` when they score no deliberation in common."""
    theirs = {one.deliberation_id: one for one in second if one.outcome == "scored"}
    both = [
        (one, theirs[one.deliberation_id]) for one in first if one.outcome == "scored" and one.deliberation_id in theirs
    ]
    if not both:
        return None
    numbers = [(one.value, other.value) for one, other in both if one.value is not None and other.value is not None]
    are_numbers = len(numbers) == len(both)
    as_classes = _as_classes(both, are_numbers=are_numbers)
    is_one_scale = are_numbers and not as_classes and _share_a_scale(both, numbers)
    # a threshold makes right and wrong of one side's grades alone: beside another's grades the number is the class
    by_number = [(f"{value:.15g}", f"{other:.15g}") for value, other in numbers] if is_one_scale else []
    classes = [(_class(one), _class(other)) for one, other in both] if as_classes else by_number
    is_small = len({name for pair in classes for name in pair}) <= _MOST_CLASSES
    pairs: Sequence[tuple[object, object]] = numbers if is_one_scale else classes
    return ScorerAgreement(
        first=both[0][0].scorer,
        second=both[0][1].scorer,
        n=len(both),
        same=sum(one == other for one, other in pairs) / len(pairs) if pairs else None,
        kappa=cohens_kappa(classes) if classes and is_small else None,
        alpha=_interval_alpha(numbers) if is_one_scale else alpha(classes),
        rank_correlation=_spearman(numbers) if are_numbers and not as_classes else None,
        mean_difference=sum(b - a for a, b in numbers) / len(numbers) if is_one_scale else None,
        table=tuple(Cell(first=a, second=b, n=n) for (a, b), n in sorted(Counter(classes).items())) if is_small else (),
    )


def _as_classes(both: Sequence[tuple[Score, Score]], *, are_numbers: bool) -> bool:
    """Return whether both say right or wrong, or both name classes; other words for something else are none."""
    sides = list(zip(*both, strict=True))
    classified = [all(one.correct is not None for one in side) for side in sides]
    valued = [all(one.value is not None for one in side) for side in sides]
    is_shared = valued[0] == valued[1] or not set(map(_class, sides[0])).isdisjoint(map(_class, sides[1]))
    return all(classified) or (not are_numbers and is_shared)


def _share_a_scale(both: Sequence[tuple[Score, Score]], numbers: Sequence[tuple[float, float]]) -> bool:
    """Return whether the two name one scale; of two that name none, whether their ranges overlap."""
    named = [{str(one.details.get("scale")) for one in side} for side in zip(*both, strict=True)]
    if named != [{"None"}, {"None"}]:
        return named[0] == named[1] and len(named[0]) == 1
    firsts, seconds = zip(*numbers, strict=True)
    is_binary = [set(side) <= {0.0, 1.0} for side in (firsts, seconds)]
    return is_binary[0] == is_binary[1] and min(firsts) <= max(seconds) and min(seconds) <= max(firsts)


def cohens_kappa(classes: Sequence[tuple[str, str]]) -> float | None:
    """Return Cohen's kappa of two raters; ``None`` when both always say the same one thing."""
    n = len(classes)
    firsts, seconds = Counter(one for one, _ in classes), Counter(other for _, other in classes)
    by_chance = sum(firsts[name] * seconds[name] for name in firsts) / n**2
    if by_chance == 1:
        return None
    return (sum(one == other for one, other in classes) / n - by_chance) / (1 - by_chance)


def _class(one: Score) -> str:
    """Return what a scorer says as a class: right or wrong, else its label as answers are compared, else its number."""
    if one.correct is not None:
        return "right" if one.correct else "wrong"
    label = one.label or ""
    return (normalised(label) or label) if one.value is None else f"{one.value:.15g}"


def _interval_alpha(numbers: Sequence[tuple[float, float]]) -> float | None:
    if len({one for pair in numbers for one in pair}) < _FEWEST:
        return None
    return float(krippendorff.alpha(reliability_data=np.array(numbers).T, level_of_measurement="interval"))


def _spearman(numbers: Sequence[tuple[float, float]]) -> float | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", stats.ConstantInputWarning)
        found = float(stats.spearmanr(*zip(*numbers, strict=True)).statistic) if len(numbers) >= _FEWEST else np.nan
    return None if np.isnan(found) else found
