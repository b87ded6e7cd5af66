"""Aggregation over the repeats of a row: their mean, their most frequent answer, the highest value, or pass@k.

Without it all repeats are added up, and a row weighs as much as its repeats. With it every row has one value, so that
intervals and tests see rows. Of ``n`` repeats of which ``c`` are right,
``pass@k = 1 - C(n - c, k) / C(n, k)``: the unbiased estimate of the chance that one of ``k`` repeats is right.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import comb, fsum
from typing import NamedTuple

from parley.errors import RequestError
from studies.comparison.metrics import METRICS, SCORES, Metric, Parts
from studies.comparison.scoring import ScoredRow

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
        """Return the accuracies and the ``wanted`` metric by name, each with one value for every row.

        Raises:
            RequestError: the wanted metric does not fit, or a row has fewer repeats than ``pass@k`` needs.
        """
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


def _mean(row: Valued) -> float:
    return fsum(value for _, value in row) / len(row)


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
    "mean": _mean,
    "mode": _mode,
    "max": lambda row: max(value for _, value in row),
}
