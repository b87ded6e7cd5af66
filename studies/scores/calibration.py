"""Confidence beside the outcome: the Brier score, the expected calibration error, and the tenths between."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import fsum
from typing import NamedTuple

from studies.comparison.scoring import YES, ScoredRow, grouped

CONFIDENCES: Mapping[str, str] = {
    "winner_share": "votes and samples: share of the most frequent of two votes or more, beside whether it is right",
    "mean_confidence": "debate: mean confidence of the debaters in the last round, beside whether the answer is right",
    "falsehood": "falsehood, beside whether the label is yes",
}
"""What protocols measure that may be read as a probability, and of what."""

_TENTHS = 10
_FEWEST_VOTES = 2
"""A single vote is unanimous whatever its model is sure of."""


class Bin(NamedTuple):
    """The deliberations of one tenth of the confidence."""

    confidence: float
    """Their mean."""
    share: float
    """Of them that came true."""
    n: int


class Calibration(NamedTuple):
    """The calibration of one measure in one arm."""

    arm: str
    measure: str
    n: int
    labelled: int
    """Labelled deliberations of the arm that ended, those without the measure too."""
    brier: float
    """Mean of the squared differences; 0 is best."""
    error: float
    """The expected calibration error: mean distance of confidence and share over the tenths, by their size."""
    bins: tuple[Bin, ...]


def calibrations(rows: Iterable[ScoredRow]) -> tuple[Calibration, ...]:
    """Return the calibration of every measure in every arm that has labelled deliberations with it."""
    found: defaultdict[tuple[str, str], list[tuple[float, bool]]] = defaultdict(list)
    labelled = Counter[str]()
    for one in rows:
        if one.expected is None or one.status == "open":
            continue
        labelled[one.arm] += 1
        unsaid = {"winner_share"} if one.scores.get("cast", _FEWEST_VOTES) < _FEWEST_VOTES else set()
        for measure in (CONFIDENCES.keys() & one.scores.keys()) - unsaid:
            is_true = one.expected == YES if measure == "falsehood" else one.correct
            found[measure, one.arm].append((one.scores[measure], is_true))
    return tuple(calibration(arm, measure, pairs, labelled[arm]) for (measure, arm), pairs in sorted(found.items()))


def calibration(arm: str, measure: str, pairs: Sequence[tuple[float, bool]], labelled: int) -> Calibration:
    """Return the calibration of ``pairs`` of a confidence from 0 to 1 and the outcome."""
    tenths = grouped(pairs, lambda one: min(int(one[0] * _TENTHS), _TENTHS - 1))
    bins = [
        Bin(fsum(one for one, _ in group) / len(group), sum(is_true for _, is_true in group) / len(group), len(group))
        for _, group in sorted(tenths.items())
    ]
    return Calibration(
        arm=arm,
        measure=measure,
        n=len(pairs),
        labelled=labelled,
        brier=fsum((confidence - is_true) ** 2 for confidence, is_true in pairs) / len(pairs),
        error=fsum(one.n * abs(one.confidence - one.share) for one in bins) / len(pairs),
        bins=tuple(bins),
    )
