"""One line for each arm: a value with its interval."""

from collections.abc import Sequence
from typing import NamedTuple

from report.figures import clipped
from report.markup import Markup
from report.plots.frame import WIDTH, Drawing, Scale, kind, level, line, mark, steps, words

_LEFT, _RIGHT, _TOP, _ROW = 200, WIDTH - 90, 18, 30
_LETTERS, _END = 26, 5


class Estimate(NamedTuple):
    """A value and how sure it is."""

    name: str
    value: float
    low: float
    high: float
    series: int
    """Of its series: colour and shape."""


def intervals(key: str, title: str, estimates: Sequence[Estimate], *, unit: str, note: str) -> Drawing | None:
    """Return the values below each other on one axis, or ``None`` without any."""
    if not estimates:
        return None
    low, high = min(one.low for one in estimates), max(one.high for one in estimates)
    margin = (high - low) * 0.06 or 1.0
    x = Scale(low - margin, high + margin, _LEFT, _RIGHT)
    ticks, bottom = steps(x.low, x.high), _TOP + len(estimates) * _ROW
    zero = [line((x.at(0), _TOP - 8), (x.at(0), bottom), "grid")] if x.low < 0 < x.high else []
    return Drawing(
        key=key,
        title=title,
        description="; ".join(f"{one.name}: {one.value:+.2f}" for one in estimates),
        body=[
            *zero,
            *[part for place, one in enumerate(estimates) for part in _row(one, _TOP + place * _ROW + _ROW / 2 - 4, x)],
            *level(x, ticks, [f"{tick:g}" for tick in ticks], y=bottom),
            words((_LEFT + _RIGHT) / 2, bottom + 38, unit, anchor="middle"),
        ],
        height=bottom + 48,
        heading=("arm", unit, "95 % interval"),
        cells=[(one.name, f"{one.value:+.3f}", f"{one.low:+.3f} to {one.high:+.3f}") for one in estimates],
        note=note,
    )


def _row(one: Estimate, y: float, x: Scale) -> list[Markup]:
    of = kind(one.series)
    ends = [line((x.at(end), y - _END), (x.at(end), y + _END), f"bar {of}") for end in (one.low, one.high)]
    return [
        words(_LEFT - 12, y + 4, clipped(one.name, _LETTERS), anchor="end"),
        line((x.at(one.low), y), (x.at(one.high), y), f"bar {of}"),
        *ends,
        mark(x.at(one.value), y, one.series, 5),
        words(_RIGHT + 10, y + 4, f"{one.value:+.2f}", kind=f"name {of}"),
    ]
