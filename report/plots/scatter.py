"""Marks in a field whose height is a share: quality against cost for each arm, and confidence against the outcome."""

from collections.abc import Callable, Sequence
from math import sqrt
from typing import NamedTuple

from protocols.tables import decimal
from report.figures import clipped
from report.markup import Markup
from report.plots.frame import WIDTH, Drawing, Scale, apart, kind, level, line, log_steps, mark, steps, upright, words
from studies.comparison.model import Interval
from studies.comparison.tables import between
from studies.scores.calibration import Bin

_LEFT, _RIGHT, _TOP, _BOTTOM = 56, WIDTH - 235, 30, 300
_MANY_TIMES = 20
_GAP = 15
_SMALL, _LARGE = 3.5, 11
_SHARES = Scale(0, 1, _BOTTOM, _TOP)


class Point(NamedTuple):
    """One arm."""

    name: str
    across: float
    up: float
    interval: Interval | None
    n: int
    series: int
    """Of its series: colour and shape."""


def scatter(
    points: Sequence[Point], *, title: str, across: str, up: str, describe: Callable[[float], str], note: str
) -> Drawing | None:
    """Return the points, or ``None`` without any."""
    if not points:
        return None
    x, ticks = _across([one.across for one in points])
    return Drawing(
        key="quality",
        title=title,
        description="; ".join(f"{one.name}: {decimal(one.up)} at {describe(one.across)}" for one in points),
        body=[
            *_axes(x, ticks, [describe(tick) for tick in ticks], across + (" (logarithmic)" if x.is_log else ""), up),
            *_marks(points, x),
        ],
        height=_BOTTOM + 52,
        heading=("arm", across, up, "95 % interval", "n"),
        cells=[
            (one.name, describe(one.across), decimal(one.up, 3), between(one.interval, " to "), str(one.n))
            for one in points
        ],
        note=note,
    )


def _across(values: Sequence[float]) -> tuple[Scale, tuple[float, ...]]:
    low, high = min(values), max(values)
    if low > 0 and high / low >= _MANY_TIMES:
        scale = Scale(low / 1.6, high * 1.6, _LEFT, _RIGHT, is_log=True)
        return scale, log_steps(scale.low, scale.high)
    scale = Scale(0, high * 1.12 or 1, _LEFT, _RIGHT)
    return scale, steps(scale.low, scale.high)


def _marks(points: Sequence[Point], x: Scale) -> list[Markup]:
    drawn: list[Markup] = []
    y = _SHARES
    labels = apart([y.at(one.up) for one in points], _GAP, _TOP, _BOTTOM - 4)
    for one, label in zip(points, labels, strict=True):
        at, height, of = x.at(one.across), y.at(one.up), kind(one.series)
        if one.interval is not None:
            ends = (y.at(one.interval.low), y.at(one.interval.high))
            drawn.append(line((at, ends[0]), (at, ends[1]), f"bar {of}"))
            drawn += [line((at - 5, end), (at + 5, end), f"bar {of}") for end in ends]
        drawn.append(line((at + 8, height), (_RIGHT + 6, label), "leader"))
        drawn.append(mark(at, height, one.series))
        drawn.append(words(_RIGHT + 10, label + 4, f"{clipped(one.name, 21)} (n={one.n})", kind=f"name {of}"))
    return drawn


def reliability(key: str, title: str, series: Sequence[tuple[str, Sequence[Bin], int]], *, note: str) -> Drawing:
    """Return a mark for each tenth of every series; the diagonal is where confidence is as large as truth.

    A series has a name, tenths and its number; a mark is as large as its tenth has deliberations.
    """
    x, ticks = Scale(0, 1, _LEFT, _RIGHT), steps(0, 1)
    return Drawing(
        key=key,
        title=title,
        description="; ".join(
            f"{name}: {', '.join(f'{decimal(one.share)} at {decimal(one.confidence)}' for one in tenths)}"
            for name, tenths, _ in series
        ),
        body=[
            *_axes(x, ticks, _shares(ticks), "confidence, mean of each tenth", "share that came true"),
            line((x.at(0), _SHARES.at(0)), (x.at(1), _SHARES.at(1)), "leader"),
            *[part for place, one in enumerate(series) for part in _series(one, place, x)],
        ],
        height=_BOTTOM + 52,
        heading=("arm", "confidence", "share that came true", "n"),
        cells=[
            (name, decimal(one.confidence, 3), decimal(one.share, 3), str(one.n))
            for name, tenths, _ in series
            for one in tenths
        ],
        note=note,
    )


def _series(one: tuple[str, Sequence[Bin], int], place: int, x: Scale) -> list[Markup]:
    name, tenths, number = one
    arm, _, count = name.rpartition(" (n=")
    most, top = max(tenth.n for tenth in tenths), _TOP + 14 + place * 22
    sizes = [_SMALL + (_LARGE - _SMALL) * sqrt(tenth.n / most) for tenth in tenths]
    return [
        *[mark(x.at(t.confidence), _SHARES.at(t.share), number, size) for t, size in zip(tenths, sizes, strict=True)],
        mark(_RIGHT + 20, top - 4, number, 5),
        words(_RIGHT + 34, top, f"{clipped(arm, 21)} (n={count}", kind=f"name {kind(number)}"),
    ]


def _axes(x: Scale, ticks: Sequence[float], said: Sequence[str], across: str, up: str) -> list[Markup]:
    """Return both axes with their names."""
    shares = steps(0, 1)
    return [
        *upright(_SHARES, shares, _shares(shares), left=_LEFT, right=_RIGHT),
        *level(x, ticks, said, y=_BOTTOM),
        words((_LEFT + _RIGHT) / 2, _BOTTOM + 40, across, anchor="middle"),
        words(8, _TOP - 14, up),
    ]


def _shares(ticks: Sequence[float]) -> list[str]:
    return [f"{tick:.1f}" for tick in ticks]
