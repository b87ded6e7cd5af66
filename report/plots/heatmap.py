"""A matrix with a number in every cell, the darker the higher."""

from collections.abc import Sequence
from typing import NamedTuple

from report.figures import headings
from report.markup import Markup
from report.plots.frame import LETTER, WIDTH, Drawing, box, words

_LEFT, _TOP, _ROW, _USUAL = 200, 46, 30, 118
_MIDDLE, _DARK = 0.5, 0.8
"""From which strength on the number changes its colour: in the middle, light and dark paper differ."""
_LETTERS, _GAP = 28, 24


class Square(NamedTuple):
    """One cell: its text and the strength of its colour."""

    said: str
    strength: float | None = None
    """From 0 to 1; ``None`` is a cell without a value."""
    is_own: bool = False
    """Framed: a reviewer's own answer."""


def heatmap(
    key: str,
    title: str,
    columns: Sequence[str],
    rows: Sequence[tuple[str, Sequence[Square]]],
    *,
    across: str,
    note: str,
) -> Drawing | None:
    """Return the matrix, or ``None`` without cells; ``across`` names the columns."""
    if not columns or not rows:
        return None
    wide = min(max(_USUAL, max(map(len, columns)) * LETTER + _GAP), (WIDTH - _LEFT - 10) / len(columns))
    letters = max(3, int((wide - _GAP) / LETTER))
    middle = _LEFT + wide * len(columns) / 2
    body: list[Markup] = [words(middle, 14, across, anchor="middle", kind="tick")]
    body += [
        words(_LEFT + wide * (place + 0.5), _TOP - 10, name, anchor="middle")
        for place, name in enumerate(headings(columns, letters))
    ]
    names = headings([name for name, _ in rows], _LETTERS)
    for number, (name, (_, cells)) in enumerate(zip(names, rows, strict=True)):
        y = _TOP + number * _ROW
        body.append(words(_LEFT - 10, y + 19, name, anchor="end"))
        for place, cell in enumerate(cells):
            body += _cell(cell, _LEFT + place * wide, y, wide)
    return Drawing(
        key=key,
        title=title,
        description="; ".join(f"{name}: {', '.join(cell.said for cell in cells)}" for name, cells in rows),
        body=body,
        height=_TOP + len(rows) * _ROW + 8,
        heading=("", *columns),
        cells=[(name, *(cell.said for cell in cells)) for name, cells in rows],
        note=note,
    )


def _cell(cell: Square, x: float, y: float, wide: float) -> list[Markup]:
    kind = "cell none" if cell.strength is None else "cell own" if cell.is_own else "cell"
    strength = None if cell.strength is None else f"{0.06 + 0.94 * cell.strength:.2f}"
    strong = cell.strength or 0
    said = "on-dark" if strong >= _DARK else "on-middle" if strong >= _MIDDLE else "on-light"
    return [
        box((x + 1, y + 1), wide - 2, _ROW - 2, kind, fill_opacity=strength, rx="3"),
        words(x + wide / 2, y + 19, cell.said, anchor="middle", kind=said),
    ]
