"""The price of a study's rows at its beginning and near its end: does the 5,000th cost what the 500th did?

Two spans of equally many rows are compared while the window is full: around row 500, and the last ones before the
window empties. A study of fewer rows has shorter spans.
"""

import bisect
import statistics
from collections.abc import Mapping, Sequence
from typing import NamedTuple

_NEAR = 500
_SPANS = 4
"""A span is at most this part of the rows that are done while the window is full."""


class Sample(NamedTuple):
    """The state of a study at one moment."""

    rows: int
    """Those that are done."""
    seconds: float
    """Since the start."""
    processor: Mapping[str, float]
    """Seconds that each process computed."""
    memory: Mapping[str, float]
    """Megabytes of each process."""
    fixed_work: float
    """Milliseconds of processor of a computation that is always the same."""


class Span(NamedTuple):
    """The rows from one to another."""

    first: int
    last: int


class Price(NamedTuple):
    """The price of the rows of a span."""

    rows_a_second: float
    processor: Mapping[str, float]
    """Milliseconds that each process computed for a row."""
    memory: Mapping[str, float]
    """Megabytes of each process at the end of the span."""
    fixed_work: float
    """The mean of the computation that is always the same: above that of another span, the machine was slower."""


def spans(rows: int, window: int) -> tuple[Span, Span]:
    """Return the rows that are compared; the last ``window`` rows end while ever fewer of them run.

    Raises:
        ValueError: there are too few rows.
    """
    last = rows - window
    if last < _SPANS:
        raise ValueError(f"a study of {rows} rows is never full; take more than {window + _SPANS}, or a smaller window")
    near = min(_NEAR, last // _SPANS)
    return Span(near // 2, near // 2 + near), Span(last - near, last)


def price(samples: Sequence[Sample], span: Span) -> Price:
    """Return the price of the rows of ``span``, between two samples each in proportion."""
    before, after = _at(samples, span.first), _at(samples, span.last)
    rows = span.last - span.first
    used = {name: (after.processor[name] - before.processor[name]) / rows * 1000 for name in after.processor}
    works = [one.fixed_work for one in samples if span.first <= one.rows <= span.last] or [after.fixed_work]
    return Price(rows / (after.seconds - before.seconds), used, after.memory, statistics.mean(works))


def growth_lines(samples: Sequence[Sample], rows: int, window: int) -> list[tuple[str, str]]:
    """Return the lines of the table: the price of both spans, and their ratio."""
    both = spans(rows, window)
    first, last = (price(samples, span) for span in both)
    names = " and ".join(f"{span.first + 1:,}–{span.last:,}" for span in both)
    ratio = last.rows_a_second / first.rows_a_second
    return [
        (f"rows a second, rows {names}", f"{first.rows_a_second:.1f} and {last.rows_a_second:.1f}"),
        ("their ratio (goal: ≥ 0.95)", f"{ratio:.2f}"),
        ("a fixed computation meanwhile, ms of processor", f"{first.fixed_work:.2f} and {last.fixed_work:.2f}"),
        ("the ratio on a machine that stays as fast", f"{ratio * last.fixed_work / first.fixed_work:.2f}"),
        *(
            (f"processor of the {name}, ms a row, the same", f"{spent:.1f} and {last.processor[name]:.1f}")
            for name, spent in first.processor.items()
        ),
        *(
            (f"memory of the {name} after each, MB", f"{size:.0f} and {last.memory[name]:.0f}")
            for name, size in first.memory.items()
        ),
    ]


def _at(samples: Sequence[Sample], rows: int) -> Sample:
    """Return the state when ``rows`` were done."""
    number = bisect.bisect_left(samples, rows, key=lambda one: one.rows)
    before, after = samples[max(0, number - 1)], samples[min(number, len(samples) - 1)]
    part = (rows - before.rows) / (after.rows - before.rows) if after.rows > before.rows else 0.0
    used = {name: spent + part * (after.processor[name] - spent) for name, spent in before.processor.items()}
    seconds = before.seconds + part * (after.seconds - before.seconds)
    return Sample(rows, seconds, used, after.memory, after.fixed_work)
