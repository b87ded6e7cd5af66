"""The figures that arms are compared by. Each is a ratio of two sums over rows, so one way to draw rows serves all.

Repeats of a row are added up, and a row weighs as much as its repeats. Aggregated, by their mean, most frequent answer,
highest value or pass@k, every row has one value, so that intervals and tests see rows. Of ``n`` repeats of which ``c``
are right, ``pass@k = 1 - C(n - c, k) / C(n, k)``: the unbiased estimate of the chance that one of ``k`` is right.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import comb, fsum
from typing import NamedTuple

from parley.errors import RequestError
from studies.comparison.resampling import RatioSums
from studies.comparison.scoring import NO, YES, ScoredRow, grouped

Parts = tuple[float, float]
"""What one deliberation adds to the numerator and to the denominator."""

_COST, _TOKENS = "calls_of_unknown_cost", "calls_of_unknown_tokens"
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
    unknown: str = ""
    """The field that counts the calls that the numerator misses: with any, it is a lower bound."""
    of_row: Callable[[Sequence[ScoredRow]], Parts | None] | None = None
    """The parts of all repeats of a row together; without it theirs are added up."""

    def is_known(self, entry: ScoredRow) -> bool:
        """Return whether the parts of a deliberation are all of it."""
        return not (self.unknown and getattr(entry, self.unknown))


def _of_labelled(parts: Callable[[ScoredRow], Parts | None]) -> Callable[[ScoredRow], Parts | None]:
    """Return ``parts``, in which a deliberation without a label takes no part."""
    return lambda entry: None if entry.expected is None else parts(entry)


def _right(entry: ScoredRow) -> Parts:
    return entry.correct, 1


def _f1(entry: ScoredRow) -> Parts:
    is_flagged, is_positive = entry.answer == YES, entry.expected == YES
    return 2 * (is_flagged and is_positive), is_flagged + is_positive


def _seconds(entry: ScoredRow) -> Parts | None:
    return (entry.seconds, 1) if entry.is_completed and entry.seconds is not None else None


_LABELLED = _of_labelled(_right)
_ANSWERED = _of_labelled(lambda one: None if one.answer is None else _right(one))
_FLAGGED = _of_labelled(lambda one: (one.answer == YES and one.correct, one.answer == YES))
_USD_RIGHT = _of_labelled(lambda one: (one.cost_usd or 0.0, one.correct))
_TOKENS_RIGHT = _of_labelled(lambda one: (one.tokens, one.correct))
_POSITIVES = _of_labelled(lambda one: _right(one) if one.expected == YES else None)
_NEGATIVES = _of_labelled(lambda one: _right(one) if one.expected == NO else None)

METRICS: Mapping[str, Metric] = {
    one.name: one
    for one in (
        Metric("accuracy", _LABELLED, "share of the labelled that is right; no answer is wrong", is_share=True),
        Metric("accuracy_answered", _ANSWERED, "share of the answered that is right", is_share=True),
        Metric("precision", _FLAGGED, "share of what was flagged that should be", is_share=True),
        Metric("recall", _POSITIVES, "share of what should be flagged that was", is_share=True),
        Metric("specificity", _NEGATIVES, "share of what should not be flagged that was read as no", is_share=True),
        Metric("f1", _of_labelled(_f1), "harmonic mean of precision and recall"),
        Metric("usd", lambda one: (one.cost_usd or 0.0, 1), "US dollars per deliberation", unknown=_COST),
        Metric("tokens", lambda one: (one.tokens, 1), "tokens per deliberation", unknown=_TOKENS),
        Metric("calls", lambda entry: (entry.calls, 1), "calls per deliberation"),
        Metric("seconds", _seconds, "mean seconds of a completed deliberation"),
        Metric("usd_per_correct", _USD_RIGHT, "US dollars per right answer", unknown=_COST),
        Metric("tokens_per_correct", _TOKENS_RIGHT, "tokens per right answer", unknown=_TOKENS),
        Metric("failed", lambda one: (not one.is_completed, 1), "share that ended without a verdict", is_share=True),
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
    found = by_row(entries, of)
    taken = [found.get(row, (0.0, 0.0)) for row in (sorted(found) if rows is None else rows)]
    return RatioSums.of(taken)


def by_row(entries: Iterable[ScoredRow], of: Metric) -> dict[str, Parts]:
    """Return the parts of all repeats of each row together, of the rows that take part."""
    repeats = grouped(entries, lambda one: one.row_id)
    return {row: parts for row, of_row in repeats.items() if (parts := _parts(of, of_row)) is not None}


def _parts(of: Metric, row: Sequence[ScoredRow]) -> Parts | None:
    if of.of_row is not None:
        return of.of_row(row)
    each = [parts for entry in row if (parts := of.parts(entry)) is not None]
    return (fsum(one for one, _ in each), fsum(one for _, one in each)) if each else None


_PASS = re.compile(r"pass@([1-9][0-9]{0,3})")
_RIGHT_OR_WRONG = ("accuracy", "accuracy_answered")

Valued = Sequence[tuple[ScoredRow, float]]
"""The repeats of a row that take part, each with its value."""


class OverRepeats(NamedTuple):
    """A way to aggregate the repeats of a row."""

    name: str
    """As it is written: ``mean``, ``mode``, ``max``, ``pass@3``."""

    @classmethod
    def of(cls, text: str) -> "OverRepeats":
        """Return the way that ``text`` names.

        Raises:
            ValueError: there is no such way.
        """
        if text not in _WAYS and not _PASS.fullmatch(text):
            raise ValueError(f"over repeats takes mean, mode, max or pass@K with a whole number K, not {text[:40]!r}")
        return cls(text)

    @property
    def k(self) -> int | None:
        """The repeats of ``pass@k``; ``None`` of the other ways."""
        found = _PASS.fullmatch(self.name)
        return int(found[1]) if found else None

    def applied(self, metric: Metric) -> Metric:
        """Return ``metric`` with one value for every row.

        Raises:
            RequestError: the metric does not say how good an answer is, or not whether it is right.
        """
        if metric.name not in _RIGHT_OR_WRONG and (self.k or not metric.name.startswith(SCORES)):
            what = "whether an answer is right" if self.k else "how good an answer is"
            raise RequestError(
                f"{self.name} over repeats takes a metric of {what}, and {metric.name!r} is none; choose accuracy"
                + ("" if self.k else " or a score")
            )
        aggregate = _passing(self.k) if self.k else _WAYS[self.name]
        return metric._replace(of_row=lambda row: _one(aggregate, metric, row))

    def aggregated(self, wanted: Metric, by_arm: Mapping[str, Iterable[ScoredRow]]) -> dict[str, Metric]:
        """Return the accuracies and the ``wanted`` metric by name, each with one value for every row."""
        self._refuse_few(by_arm)
        found = {one.name: one for one in (wanted, *(METRICS[name] for name in _RIGHT_OR_WRONG))}
        return {name: self.applied(one) for name, one in found.items()}

    def _refuse_few(self, by_arm: Mapping[str, Iterable[ScoredRow]]) -> None:
        for arm, entries in by_arm.items():
            counts: defaultdict[str, int] = defaultdict(int)
            for one in entries:
                counts[one.row_id] += METRICS["accuracy"].parts(one) is not None
            few = next(((row, n) for row, n in sorted(counts.items()) if 0 < n < (self.k or 0)), None)
            if few is not None:
                raise RequestError(
                    f"{self.name} needs {self.k} repeats of a row, and {few[1]} of row {few[0]!r} in {arm!r} ended; "
                    f"choose pass@{few[1]}, or add repeats: parley batch extend STUDY.toml"
                )


def _one(aggregate: Callable[[Valued], float | None], metric: Metric, row: Sequence[ScoredRow]) -> Parts | None:
    parts = [(entry, metric.parts(entry)) for entry in row]
    valued = [(entry, found[0] / found[1]) for entry, found in parts if found is not None]
    value = aggregate(valued) if valued else None
    return None if value is None else (value, 1.0)


def _mode(row: Valued) -> float:
    """Return the value of the most frequent answer, or value where there is no answer; ties give their mean."""
    said: defaultdict[object, list[float]] = defaultdict(list)
    is_answered = any(entry.answer is not None for entry, _ in row)
    for entry, value in row:
        if entry.answer is not None or not is_answered:
            said[entry.answer if is_answered else value].append(value)
    most = max(map(len, said.values()))
    tied = [fsum(values) / len(values) for values in said.values() if len(values) == most]
    return fsum(tied) / len(tied)


def _passing(k: int) -> Callable[[Valued], float | None]:
    def estimate(row: Valued) -> float | None:
        n, right = len(row), round(fsum(value for _, value in row))
        return None if n < k else 1 - comb(n - right, k) / comb(n, k)

    return estimate


_WAYS: Mapping[str, Callable[[Valued], float | None]] = {
    "mean": lambda row: fsum(value for _, value in row) / len(row),
    "mode": _mode,
    "max": lambda row: max(value for _, value in row),
}
