"""A bar for each answer, as long as its votes."""

from collections.abc import Sequence
from typing import NamedTuple

from report.figures import clipped
from report.markup import Markup
from report.plots.frame import WIDTH, Drawing, box, words

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
