"""Scales, axes, and the figure around a drawing."""

from collections.abc import Sequence
from math import ceil, floor, log10
from typing import NamedTuple

from report.markup import Markup, el

WIDTH = 720
"""Of a drawing, in the units of its own coordinates; a screen may show it smaller."""

LETTER = 6.4
"""Width of a letter of the small type, on average."""
_KINDS = 6
_FEW_DECADES = 2.5


class Scale(NamedTuple):
    """Numbers from ``low`` to ``high`` laid on the line from ``start`` to ``end``."""

    low: float
    high: float
    start: float
    end: float
    is_log: bool = False

    def at(self, value: float) -> float:
        """Return the place of ``value``, to a tenth."""
        if self.is_log:
            part = log10(value / self.low) / log10(self.high / self.low)
        else:
            part = (value - self.low) / (self.high - self.low)
        return round(self.start + part * (self.end - self.start), 1)


class Drawing(NamedTuple):
    """A finished drawing and the same in words."""

    key: str
    """Unique on the page; the ids of title and description are made of it."""
    title: str
    description: str
    """The description of the picture for screen readers."""
    body: Sequence[Markup]
    height: float
    heading: Sequence[str] = ()
    cells: Sequence[Sequence[str]] = ()
    """The numbers as a table, for reading and copying."""
    note: str = ""
    width: float = WIDTH


def figure(drawing: Drawing, prefix: str = "") -> Markup:
    """Return the drawing with caption, note and numbers; ``prefix`` keeps two of one key apart."""
    key = f"{prefix}{drawing.key}"
    title, described = f"{key}-t", f"{key}-d"
    svg = el(
        "svg",
        el("title", drawing.title, id=title),
        el("desc", drawing.description, id=described),
        list(drawing.body),
        role="img",
        aria_labelledby=f"{title} {described}",
        viewBox=f"0 0 {drawing.width:g} {drawing.height:g}",
        width=f"{drawing.width:g}",
        height=f"{drawing.height:g}",
    )
    return el(
        "figure",
        el("figcaption", el("h3", drawing.title), el("p", drawing.note) if drawing.note else None),
        el("div", svg, class_="drawing"),
        numbers(drawing.heading, drawing.cells) if drawing.cells else None,
        id=key,
    )


def numbers(heading: Sequence[str], cells: Sequence[Sequence[str]]) -> Markup:
    """Return the numbers of a drawing as a table to open."""
    return el("details", el("summary", "Numbers"), table(heading, cells), class_="numbers")


def table(heading: Sequence[str], cells: Sequence[Sequence[object]]) -> Markup:
    """Return a plain table; the first cell of a row is its heading."""
    head = el("thead", el("tr", [el("th", name, scope="col") for name in heading]))
    rows = [el("tr", el("th", row[0], scope="row"), [el("td", cell) for cell in row[1:]]) for row in cells]
    return el("div", el("table", head, el("tbody", rows)), class_="wide", tabindex="0")


def words(x: float, y: float, said: str, *, anchor: str | None = None, kind: str | None = None) -> Markup:
    """Return text at a place; ``anchor`` is ``middle`` or ``end``."""
    return el("text", said, x=f"{x:g}", y=f"{y:g}", text_anchor=anchor, class_=kind)


def line(start: tuple[float, float], end: tuple[float, float], kind: str) -> Markup:
    """Return a straight line."""
    (x1, y1), (x2, y2) = start, end
    return el("line", x1=f"{x1:g}", y1=f"{y1:g}", x2=f"{x2:g}", y2=f"{y2:g}", class_=kind)


def box(corner: tuple[float, float], width: float, height: float, kind: str, **more: object) -> Markup:
    """Return a rectangle by its upper left corner."""
    x, y = corner
    return el("rect", x=f"{x:g}", y=f"{y:g}", width=f"{width:g}", height=f"{height:g}", class_=kind, **more)


def upright(scale: Scale, steps: Sequence[float], said: Sequence[str], *, left: float, right: float) -> list[Markup]:
    """Return the axis at the left: a faint line and a number per step."""
    drawn = []
    for step, label in zip(steps, said, strict=True):
        y = scale.at(step)
        drawn += [line((left, y), (right, y), "grid"), words(left - 8, y + 4, label, anchor="end", kind="tick")]
    return drawn


def level(scale: Scale, steps: Sequence[float], said: Sequence[str], *, y: float) -> list[Markup]:
    """Return the axis below: a tick and a number per step."""
    drawn = [line((scale.start, y), (scale.end, y), "axis")]
    for step, label in zip(steps, said, strict=True):
        x = scale.at(step)
        drawn += [line((x, y), (x, y + 4), "axis"), words(x, y + 18, label, anchor="middle", kind="tick")]
    return drawn


def steps(low: float, high: float, most: int = 6) -> tuple[float, ...]:
    """Round numbers between ``low`` and ``high``, at most ``most`` of them."""
    if high <= low:
        return (low,)
    rough = (high - low) / max(most - 1, 1)
    size = 10.0 ** floor(log10(rough))
    width = next(size * factor for factor in (1, 2, 2.5, 5, 10, 20) if size * factor >= rough)
    first, last = ceil(low / width - 1e-9), floor(high / width + 1e-9)
    return tuple(round(number * width, 12) for number in range(first, last + 1))


def log_steps(low: float, high: float) -> tuple[float, ...]:
    """Return 1, 2 and 5 times the powers of ten in the range; over many decades the powers alone."""
    tens = range(floor(log10(low)), ceil(log10(high)) + 1)
    factors = (1, 2, 5) if log10(high / low) <= _FEW_DECADES else (1,)
    found = [round(factor * 10.0**ten, 12) for ten in tens for factor in factors]
    return tuple(one for one in found if low <= one <= high)


def apart(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Return places near those ``wanted``, in their order, at least ``gap`` apart and within the bounds."""
    order = sorted(range(len(wanted)), key=lambda index: wanted[index])
    placed, before = [0.0] * len(wanted), low - gap
    for index in order:
        before = placed[index] = max(wanted[index], before + gap)
    after = high + gap
    for index in reversed(order):
        after = placed[index] = min(placed[index], after - gap)
    return placed


def kind(index: int) -> str:
    """Return the class of the series of that index: its colour, and for lines its dash."""
    return f"s{index % _KINDS}"


def mark(x: float, y: float, index: int, size: float = 6) -> Markup:
    """Return a mark with the shape of its series: circle, square, triangle, diamond, cross or ring."""
    shapes = (
        lambda: el("circle", cx=f"{x:g}", cy=f"{y:g}", r=f"{size:g}"),
        lambda: el("rect", x=f"{x - size:g}", y=f"{y - size:g}", width=f"{2 * size:g}", height=f"{2 * size:g}"),
        lambda: _polygon((x, y - size * 1.2), (x + size * 1.1, y + size), (x - size * 1.1, y + size)),
        lambda: _polygon((x, y - size * 1.3), (x + size * 1.3, y), (x, y + size * 1.3), (x - size * 1.3, y)),
        lambda: _polygon((x, y + size * 1.2), (x + size * 1.1, y - size), (x - size * 1.1, y - size)),
        lambda: el("circle", cx=f"{x:g}", cy=f"{y:g}", r=f"{size:g}", class_="ring"),
    )
    return el("g", shapes[index % len(shapes)](), class_=f"mark {kind(index)}")


def _polygon(*corners: tuple[float, float]) -> Markup:
    return el("polygon", points=" ".join(f"{x:.1f},{y:.1f}" for x, y in corners))
