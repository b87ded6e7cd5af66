"""Confidence against the outcome: a mark for each tenth, as large as it has deliberations."""

from collections.abc import Sequence
from math import sqrt

from report.markup import Markup
from report.plots.frame import WIDTH, Drawing, Scale, kind, level, line, mark, steps, upright, words
from studies.scores.calibration import Bin

_LEFT, _RIGHT, _TOP, _BOTTOM = 56, WIDTH - 235, 30, 300
_SMALL, _LARGE = 3.5, 11


def reliability(key: str, title: str, series: Sequence[tuple[str, Sequence[Bin], int]], *, note: str) -> Drawing:
    """Return the marks of every series, its name beside it; the diagonal is where confidence is as large as truth."""
    x, y = Scale(0, 1, _LEFT, _RIGHT), Scale(0, 1, _BOTTOM, _TOP)
    ticks = steps(0, 1)
    said = [f"{tick:.1f}" for tick in ticks]
    return Drawing(
        key=key,
        title=title,
        description="; ".join(f"{name}: {', '.join(map(_said, tenths))}" for name, tenths, _ in series),
        body=[
            *upright(y, ticks, said, left=_LEFT, right=_RIGHT),
            *level(x, ticks, said, y=_BOTTOM),
            line((x.at(0), y.at(0)), (x.at(1), y.at(1)), "leader"),
            words((_LEFT + _RIGHT) / 2, _BOTTOM + 40, "confidence, mean of each tenth", anchor="middle"),
            words(8, _TOP - 14, "share that came true"),
            *[part for place, one in enumerate(series) for part in _series(one, place, x, y)],
        ],
        height=_BOTTOM + 52,
        heading=("arm", "confidence", "share that came true", "n"),
        cells=[
            (name, f"{one.confidence:.3f}", f"{one.share:.3f}", str(one.n))
            for name, tenths, _ in series
            for one in tenths
        ],
        note=note,
    )


def _said(one: Bin) -> str:
    return f"{one.share:.2f} at {one.confidence:.2f}"


def _series(one: tuple[str, Sequence[Bin], int], place: int, x: Scale, y: Scale) -> list[Markup]:
    name, tenths, number = one
    most = max(tenth.n for tenth in tenths)
    top = _TOP + 14 + place * 22
    marks = [
        mark(x.at(tenth.confidence), y.at(tenth.share), number, _SMALL + (_LARGE - _SMALL) * sqrt(tenth.n / most))
        for tenth in tenths
    ]
    legend = [mark(_RIGHT + 20, top - 4, number, 5), words(_RIGHT + 34, top, name, kind=f"name {kind(number)}")]
    return [*marks, *legend]
