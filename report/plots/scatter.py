"""A point per arm: quality with its interval against cost."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from report.figures import clipped
from report.markup import Markup
from report.plots.frame import WIDTH, Drawing, Scale, apart, kind, level, line, log_steps, mark, steps, upright, words

_LEFT, _RIGHT, _TOP, _BOTTOM = 56, WIDTH - 235, 30, 300
_MANY_TIMES = 20
_GAP = 15


class Point(NamedTuple):
    """One arm."""

    name: str
    across: float
    up: float
    low: float | None
    """Of the interval; ``None`` when there is none."""
    high: float | None
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
    y = Scale(0, 1, _BOTTOM, _TOP)
    body = [
        *upright(y, steps(0, 1), [f"{step:.1f}" for step in steps(0, 1)], left=_LEFT, right=_RIGHT),
        *level(x, ticks, [describe(tick) for tick in ticks], y=_BOTTOM),
        words((_LEFT + _RIGHT) / 2, _BOTTOM + 40, across + (" (logarithmic)" if x.is_log else ""), anchor="middle"),
        words(8, _TOP - 14, up),
        *_marks(points, x, y),
    ]
    return Drawing(
        key="quality",
        title=title,
        description="; ".join(f"{one.name}: {one.up:.2f} at {describe(one.across)}" for one in points),
        body=body,
        height=_BOTTOM + 52,
        heading=("arm", across, up, "95 % interval", "n"),
        cells=[(one.name, describe(one.across), f"{one.up:.3f}", _interval(one), str(one.n)) for one in points],
        note=note,
    )


def _across(values: Sequence[float]) -> tuple[Scale, tuple[float, ...]]:
    low, high = min(values), max(values)
    if low > 0 and high / low >= _MANY_TIMES:
        scale = Scale(low / 1.6, high * 1.6, _LEFT, _RIGHT, is_log=True)
        return scale, log_steps(scale.low, scale.high)
    scale = Scale(0, high * 1.12 or 1, _LEFT, _RIGHT)
    return scale, steps(scale.low, scale.high)


def _marks(points: Sequence[Point], x: Scale, y: Scale) -> list[Markup]:
    drawn: list[Markup] = []
    labels = apart([y.at(one.up) for one in points], _GAP, _TOP, _BOTTOM - 4)
    for one, label in zip(points, labels, strict=True):
        at, height, of = x.at(one.across), y.at(one.up), kind(one.series)
        if one.low is not None and one.high is not None:
            ends = (y.at(one.low), y.at(one.high))
            drawn.append(line((at, ends[0]), (at, ends[1]), f"bar {of}"))
            drawn += [line((at - 5, end), (at + 5, end), f"bar {of}") for end in ends]
        drawn.append(line((at + 8, height), (_RIGHT + 6, label), "leader"))
        drawn.append(mark(at, height, one.series))
        drawn.append(words(_RIGHT + 10, label + 4, f"{clipped(one.name, 21)} (n={one.n})", kind=f"name {of}"))
    return drawn


def _interval(one: Point) -> str:
    return "–" if one.low is None or one.high is None else f"{one.low:.3f} to {one.high:.3f}"
