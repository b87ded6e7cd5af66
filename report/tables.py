"""Tables of ``protocols.tables`` on a page: as a drawing where they name a chart, else as a plain table."""

import re
from collections.abc import Iterable, Sequence

from protocols.tables import NETWORK, Table
from report.markup import Markup, el
from report.plots.bars import Bar, bars
from report.plots.curves import Line, Panel, curves
from report.plots.frame import Drawing, figure, table
from report.plots.heatmap import Square, heatmap
from report.plots.network import ClaimNode, network

_MOST_ROWS = 60
"""Rows of a heatmap."""
_MOST_CLAIMS = 30
_STATUSES = ("contested", "open", "accepted", "retracted")


def render(tables: Iterable[Table], prefix: str = "") -> list[Markup]:
    """Return the tables as figures and sections; ``prefix`` keeps those of two results on one page apart."""
    return [_rendered(one.shown_in("page"), prefix) for one in tables]


def section(one: Table, level: str = "h3") -> Markup | None:
    """Return a plain table under its title, with its notes above; ``None`` where it is empty."""
    if not (one.rows or one.notes):
        return None
    title = el(level, one.title) if one.title else None
    notes = [el("p", note.text) for note in one.notes]
    headings = [column.heading for column in one.columns]
    return el("section", title, notes, table(headings, _texts(one)) if one.rows else None)


def _rendered(one: Table, prefix: str) -> Markup:
    drawing = _drawing(one) if one.rows else None
    return figure(drawing, prefix) if drawing else section(one) or el("section")


def _drawing(one: Table) -> Drawing | None:
    key = re.sub(r"\W+", "-", one.title.lower()).strip("-")
    note = " ".join(filter(None, (one.caption, "; ".join(note.text for note in one.notes))))
    names = [
        " ".join((row[0].text, *(cell.text.rpartition("/")[2] for cell in row[1 : one.names]))).strip()
        for row in one.rows
    ]
    match one.chart:
        case "heatmap":
            cells = [[Square(cell.text, cell.value, cell.is_framed) for cell in row[one.names :]] for row in one.rows]
            rows = list(zip(names, cells, strict=True))[-_MOST_ROWS:]
            headings = [column.heading for column in one.columns[one.names :]]
            return heatmap(key, one.title, headings, rows, across=one.across, note=note)
        case "curves":
            rounds = [n for n in range(one.names, len(one.columns)) if one.columns[n].heading]
            values = [[row[n].value for n in rounds] for row in one.rows]
            lines = [Line(name, values[n], n) for n, name in enumerate(names)]
            return curves(key, one.title, [Panel("", lines)], up=one.across, note=note)
        case "bars":
            # the name, the number in the second column, and what the last column says beside it
            shown = [Bar(row[0].text, int(re.sub(r"\D", "", row[1].text) or 0), row[-1].text) for row in one.rows]
            return bars(key, one.title, shown, note=note, numbers=_numbers(one))
        case "network":
            return network(_claims(one), note=f"{note} Contested claims first.".strip(), numbers=_numbers(one))
        case "none":
            return None


def _texts(one: Table) -> list[list[str]]:
    return [[cell.text for cell in row] for row in one.rows]


def _numbers(one: Table) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
    """Return headings and cells of the table that opens below a drawing."""
    return [column.heading for column in one.columns], _texts(one)


def _claims(one: Table) -> list[ClaimNode]:
    """Return the claims that most seats touched, contested ones first."""
    places = [[column.heading for column in one.columns].index(name) for name in NETWORK]
    nodes = []
    for row in one.rows:
        id_, label, status, text, supporters, opponents, against = (row[place] for place in places)
        known = status.text if status.text in _STATUSES else "open"
        sides = (supporters.items, opponents.items, against.items)
        nodes.append(ClaimNode(id_.text, text.text, label.text, known, *sides))
    nodes.sort(key=lambda node: -len((*node.supporters, *node.opponents)))
    return sorted(nodes[:_MOST_CLAIMS], key=lambda node: _STATUSES.index(node.status))
