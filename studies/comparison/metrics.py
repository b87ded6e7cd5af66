"""The figures that arms are compared by. Each is a ratio of two sums over rows, so one way to draw rows serves all."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import fsum
from typing import NamedTuple

import numpy as np

from parley.errors import RequestError
from studies.comparison.resampling import RatioSums
from studies.comparison.scoring import YES, ScoredRow

Parts = tuple[float, float]
"""What one deliberation adds to the numerator and to the denominator."""

SCORES = "scores."
"""Begins the name of a metric that is the mean of a protocol's own measure: ``scores.falsehood``."""


class Metric(NamedTuple):
    """A figure, and what a deliberation adds to it."""

    name: str
    parts: Callable[[ScoredRow], Parts | None]
    """``None``: the deliberation takes no part."""
    meaning: str
    """What it is, in one line."""
    is_share: bool = False
    """Whether each row's part is a share of ones."""
    is_money: bool = False
    """Whether it counts dollars, so that what is not known leaves a lower bound."""
    of_row: Callable[[Sequence[ScoredRow]], Parts | None] | None = None
    """The parts of all repeats of a row together; without it theirs are added up."""


def _accuracy(entry: ScoredRow) -> Parts | None:
    return None if entry.expected is None else (entry.correct, 1)


def _accuracy_answered(entry: ScoredRow) -> Parts | None:
    return None if entry.expected is None or entry.answer is None else (entry.correct, 1)


def _precision(entry: ScoredRow) -> Parts | None:
    is_flagged = entry.answer == YES
    return None if entry.expected is None else (is_flagged and entry.correct, is_flagged)


def _recall(entry: ScoredRow) -> Parts | None:
    return None if entry.expected != YES else (entry.correct, 1)


def _f1(entry: ScoredRow) -> Parts | None:
    if entry.expected is None:
        return None
    is_flagged, is_positive = entry.answer == YES, entry.expected == YES
    return 2 * (is_flagged and is_positive), is_flagged + is_positive


def _usd(entry: ScoredRow) -> Parts:
    return entry.cost_usd or 0.0, 1


def _usd_per_correct(entry: ScoredRow) -> Parts | None:
    """Return known dollars over all right answers, a lower bound where a cost is unknown."""
    return None if entry.expected is None else (entry.cost_usd or 0.0, entry.correct)


def _tokens_per_correct(entry: ScoredRow) -> Parts | None:
    return None if entry.expected is None else (entry.tokens, entry.correct)


def _seconds(entry: ScoredRow) -> Parts | None:
    return (entry.seconds, 1) if entry.is_completed and entry.seconds is not None else None


METRICS: Mapping[str, Metric] = {
    one.name: one
    for one in (
        Metric("accuracy", _accuracy, "share of the labelled that is right; no answer is wrong", is_share=True),
        Metric("accuracy_answered", _accuracy_answered, "share of the answered that is right", is_share=True),
        Metric("precision", _precision, "share of what was flagged that should be", is_share=True),
        Metric("recall", _recall, "share of what should be flagged that was", is_share=True),
        Metric("f1", _f1, "harmonic mean of precision and recall"),
        Metric("usd", _usd, "US dollars per deliberation", is_money=True),
        Metric("tokens", lambda entry: (entry.tokens, 1), "tokens per deliberation"),
        Metric("calls", lambda entry: (entry.calls, 1), "calls per deliberation"),
        Metric("seconds", _seconds, "mean seconds of a completed deliberation"),
        Metric("usd_per_correct", _usd_per_correct, "US dollars per right answer", is_money=True),
        Metric("tokens_per_correct", _tokens_per_correct, "tokens per right answer"),
        Metric(
            "failed", lambda entry: (not entry.is_completed, 1), "share that ended without a verdict", is_share=True
        ),
    )
}
"""By name, as ``--metric`` takes them."""


def metric(name: str, scores: Iterable[str]) -> Metric:
    """Return the metric of that name; ``scores`` are the scores of the protocols of this study.

    Raises:
        RequestError: there is no such metric.
    """
    measured = sorted(set(scores))
    if name in METRICS:
        return METRICS[name]
    if name.startswith(SCORES) and name.removeprefix(SCORES) in measured:
        return score(name.removeprefix(SCORES))
    choices = ", ".join((*METRICS, *(SCORES + one for one in measured)))
    raise RequestError(f"there is no metric {name!r} in this study; choose one of {choices}")


def score(name: str) -> Metric:
    """Return the metric that is the mean of a protocol's score."""

    def parts(entry: ScoredRow) -> Parts | None:
        return (entry.scores[name], 1) if name in entry.scores else None

    return Metric(SCORES + name, parts, f"mean of the protocol's own {name}")


def sums(entries: Iterable[ScoredRow], of: Metric, rows: Sequence[str] | None = None) -> RatioSums:
    """Return the sums of ``of`` by row, in the order of ``rows`` or of their ids; other rows add nothing."""
    repeats: defaultdict[str, list[ScoredRow]] = defaultdict(list)
    for entry in entries:
        repeats[entry.row_id].append(entry)
    found = {row: parts for row, of_row in repeats.items() if (parts := _parts(of, of_row)) is not None}
    taken = [found.get(row, (0.0, 0.0)) for row in (sorted(found) if rows is None else rows)]
    table = np.array(taken, dtype=np.float64).reshape(len(taken), 2)
    return RatioSums(table[:, 0], table[:, 1])


def _parts(of: Metric, row: Sequence[ScoredRow]) -> Parts | None:
    if of.of_row is not None:
        return of.of_row(row)
    each = [parts for entry in row if (parts := of.parts(entry)) is not None]
    return (fsum(one for one, _ in each), fsum(one for _, one in each)) if each else None
