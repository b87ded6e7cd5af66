"""Bars: one for each answer, as long as its votes, and counts by a whole number, one strip per arm on one axis."""

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import median
from typing import NamedTuple

from report.figures import clipped
from report.markup import Markup
from report.plots.frame import WIDTH, Drawing, Scale, box, kind, line, words

_LEFT, _RIGHT, _ROW = 200, WIDTH - 230, 30
_MOST = 20


class Bar(NamedTuple):
    """One bar."""

    name: str
    number: int
    beside: str
    """Text to the right of the count."""


def bars(
    key: str, title: str, every: Sequence[Bar], *, note: str, numbers: tuple[Sequence[str], Sequence[Sequence[str]]]
) -> Drawing | None:
    """Return the bars in the order given, or ``None`` without any; ``numbers`` are headings and cells of the table."""
    shown = every[:_MOST]
    if not shown:
        return None
    most = max(one.number for one in shown) or 1
    body: list[Markup] = []
    for place, one in enumerate(shown):
        y, wide = 10 + place * _ROW, (_RIGHT - _LEFT) * one.number / most
        body += [
            words(_LEFT - 10, y + 16, clipped(one.name, 28), anchor="end"),
            box((_LEFT, y + 2), wide, _ROW - 10, f"fill {'s0' if place == 0 else 'completed'}"),
            words(_LEFT + wide + 8, y + 16, f"{one.number} · {clipped(one.beside, 32)}", kind="tick"),
        ]
    return Drawing(
        key=key,
        title=title,
        description="; ".join(f"{one.name}: {one.number}" for one in shown),
        body=body,
        height=20 + len(shown) * _ROW,
        heading=numbers[0],
        cells=numbers[1],
        note=note,
    )


_START, _END, _STRIP, _TOP, _TALL = 190, WIDTH - 20, 84, 16, 54
_WIDEST = 46
_NARROW = 22
_MOST_BARS = 60


def histogram(
    key: str, title: str, values: Mapping[str, Sequence[int]], *, unit: str, note: str, colours: Mapping[str, int]
) -> Drawing | None:
    """Return one strip per arm with values, or ``None``; ``colours`` holds the index of the series of each arm."""
    counted = {name: Counter(found) for name, found in values.items() if found}
    if not counted:
        return None
    low = min(min(found) for found in counted.values())
    high = min(max(max(found) for found in counted.values()), low + _MOST_BARS)
    step = (_END - _START) / (high - low + 1)
    x = Scale(low, high + 1, _START, _END)
    body: list[Markup] = []
    for place, (name, found) in enumerate(counted.items()):
        bottom = _TOP + place * _STRIP + _TALL
        total = sum(found.values())
        body += [
            words(8, bottom - 26, clipped(name, 26), kind=f"name {kind(colours[name])}"),
            words(8, bottom - 10, f"n={total}, median {_median(found)}", kind="tick"),
            line((_START, bottom), (_END, bottom), "axis"),
            *_strip(found, x, step, bottom, kind(colours[name])),
        ]
    bottom = _TOP + len(counted) * _STRIP
    body.append(words((_START + _END) / 2, bottom + 10, unit, anchor="middle"))
    return Drawing(
        key=key,
        title=title,
        description="; ".join(f"{name}: median {_median(found)}" for name, found in counted.items()),
        body=body,
        height=bottom + 20,
        heading=("arm", *(str(number) for number in range(low, high + 1))),
        cells=[(name, *(str(found[n]) for n in range(low, high + 1))) for name, found in counted.items()],
        note=note,
    )


def _strip(found: Mapping[int, int], x: Scale, step: float, bottom: float, of: str) -> list[Markup]:
    most, wide = max(found.values()), min(step * 0.72, _WIDEST)
    drawn = []
    every = max(1, round(_NARROW / step))
    for number in range(int(x.low), int(x.high)):
        middle = x.at(number) + step / 2
        if (number - int(x.low)) % every == 0:
            drawn.append(words(middle, bottom + 15, str(number), anchor="middle", kind="tick"))
        count = found.get(number, 0)
        if count:
            tall = max(2.0, (_TALL - 14) * count / most)
            drawn.append(box((middle - wide / 2, bottom - tall), wide, tall, f"fill {of}"))
            if step >= _NARROW:
                drawn.append(words(middle, bottom - tall - 4, str(count), anchor="middle", kind="tick"))
    return drawn


def _median(found: Counter[int]) -> str:
    return f"{median(found.elements()):g}"
