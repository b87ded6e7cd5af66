"""Lines over rounds, in one panel or several: one thin line per deliberation and a thick one with its name."""

from collections.abc import Sequence
from typing import NamedTuple

from report.figures import UNKNOWN, clipped
from report.markup import Markup, el
from report.plots.frame import WIDTH, Drawing, Scale, apart, kind, level, mark, steps, upright, words

_LEFT, _GAP, _TALL, _TOP, _FOOT = 44, 30, 170, 40, 62
_LABELS = (210, 130)
"""Room for the names at the right, of a panel alone and of one of two."""
_LETTER, _VALUE = 7.4, 5
"""Width of a bold letter, and the letters of a value."""
_NEAR = 22
"""Numbers below the axis are no nearer than this."""
_MOST_IN_A_ROW = 2
_ROUNDS_NAMED = 8

Values = Sequence[float | None]
"""By round, from the first; ``None`` where there is none."""


class Line(NamedTuple):
    """A line that is named."""

    name: str
    values: Values
    series: int
    """Of its series: colour, dash and mark."""


class Panel(NamedTuple):
    """One field of lines on a scale from 0 to 1."""

    title: str
    lines: Sequence[Line]
    faint: Sequence[Values] = ()
    counts: Sequence[int] = ()
    """Over how many the thick line goes, round by round."""


def curves(key: str, title: str, panels: Sequence[Panel], *, up: str, note: str) -> Drawing | None:
    """Return the panels in rows of two, or ``None`` without values."""
    shown = [one for one in panels if any(known(line.values) for line in one.lines)]
    if not shown:
        return None
    columns = min(_MOST_IN_A_ROW, len(shown))
    wide = (WIDTH - _GAP * (columns - 1)) / columns
    body: list[Markup] = []
    for place, one in enumerate(shown):
        left = (place % columns) * (wide + _GAP)
        body += _panel(one, left, wide, (place // columns) * (_TOP + _TALL + _FOOT), up)
    rounds = max(_longest(one) for one in shown)
    return Drawing(
        key=key,
        title=title,
        description="; ".join(_described(one) for one in shown),
        body=body,
        height=-(-len(shown) // columns) * (_TOP + _TALL + _FOOT),
        heading=("line", *(f"round {number}" for number in range(1, rounds + 1))),
        cells=[_row(panel, line, rounds, named=len(shown) > 1) for panel in shown for line in panel.lines],
        note=note,
    )


def known(values: Values) -> list[float]:
    """Return the known values."""
    return [one for one in values if one is not None]


def _panel(one: Panel, left: float, wide: float, top: float, up: str) -> list[Markup]:
    rounds, right = _longest(one), left + wide - _LABELS[wide < WIDTH]
    x = Scale(1, max(rounds, 2), left + _LEFT, right)
    y = Scale(0, 1, top + _TOP + _TALL, top + _TOP)
    named = _spread([round(step) for step in steps(1, rounds, _ROUNDS_NAMED)], x)
    return [
        words(left, top + 14, clipped(one.title, int(wide / 7)), kind="heading"),
        words(left, top + 30, up, kind="tick"),
        *upright(y, (0, 0.5, 1), ("0", "0.5", "1"), left=left + _LEFT, right=right),
        *level(x, named, [str(number) for number in named], y=y.start),
        words((left + _LEFT + right) / 2, y.start + 34, "round", anchor="middle", kind="tick"),
        *[_drawn(values, x, y, "faint") for values in one.faint],
        *_named(one, x, y, int((left + wide - right - 11) / _LETTER) - _VALUE),
        *_counts(one, x, y.start + 50, named),
    ]


def _named(one: Panel, x: Scale, y: Scale, letters: int) -> list[Markup]:
    lines = [line for line in one.lines if known(line.values)]
    labels = apart([y.at(known(line.values)[-1]) for line in lines], 14, y.end, y.start)
    drawn: list[Markup] = []
    for line, label in zip(lines, labels, strict=True):
        of = kind(line.series)
        drawn.append(_drawn(line.values, x, y, f"line {of}"))
        places = [(number, value) for number, value in enumerate(line.values, start=1) if value is not None]
        drawn += [mark(x.at(number), y.at(value), line.series, 3.5) for number, value in places]
        last_x, last_y = x.at(places[-1][0]), y.at(places[-1][1])
        drawn.append(el("path", d=f"M{last_x + 5:g} {last_y:g}L{x.end + 8:g} {label:g}", class_="leader"))
        said = f"{clipped(line.name, letters)} {places[-1][1]:.2f}"
        drawn.append(words(x.end + 11, label + 4, said, kind=f"name {of}"))
    return drawn


def _counts(one: Panel, x: Scale, y: float, named: Sequence[int]) -> list[Markup]:
    if not one.counts:
        return []
    items = [(number, one.counts[number - 1]) for number in named if number <= len(one.counts)]
    return [
        words(x.start - 14, y, "n =", anchor="end", kind="tick"),
        *[words(x.at(number), y, str(count), anchor="middle", kind="tick") for number, count in items],
    ]


def _spread(numbers: Sequence[int], x: Scale) -> list[int]:
    """Return the first round and of ``numbers`` those with enough space between them."""
    kept = [1]
    for number in numbers:
        if x.at(number) - x.at(kept[-1]) >= _NEAR:
            kept.append(number)
    return kept


def _drawn(values: Values, x: Scale, y: Scale, of: str) -> Markup:
    path, is_down = [], False
    for number, value in enumerate(values, start=1):
        if value is not None:
            path.append(f"{'L' if is_down else 'M'}{x.at(number):g} {y.at(value):g}")
        is_down = value is not None
    return el("path", d="".join(path), class_=of)


def _longest(one: Panel) -> int:
    return max((len(line.values) for line in one.lines), default=0)


def _row(panel: Panel, line: Line, rounds: int, *, named: bool) -> tuple[str, ...]:
    points = [*line.values, *[None] * (rounds - len(line.values))]
    name = f"{panel.title}: {line.name}" if named else line.name
    return (name, *(UNKNOWN if value is None else f"{value:.2f}" for value in points))


def _described(one: Panel) -> str:
    ends = [
        f"{line.name} from {known(line.values)[0]:.2f} to {known(line.values)[-1]:.2f}"
        for line in one.lines
        if known(line.values)
    ]
    return f"{one.title}: {', '.join(ends)}"
