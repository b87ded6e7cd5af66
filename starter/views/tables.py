"""Tables of ``protocols.tables`` on a terminal, and the labels of rehearsals and flaws."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from operator import itemgetter

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.panel import Panel as Frame
from rich.table import Table as RichTable
from rich.text import Text

from protocols.flaws import Degraded
from protocols.tables import Cell, Table, Tone, columns, is_shown, rows
from protocols.visible_text import one_line, printable

_STYLES: Mapping[Tone, str] = {"": "", "good": "green", "warning": "yellow", "bad": "red", "muted": "dim"}
_TITLE = 200
"""Characters of a title, which may be the topic of a debate."""
_HEADING = 60
_READABLE = 12
REHEARSAL = "REHEARSAL: scripted models answer, no real model is asked"


def render(tables: Iterable[Table], *, is_dense: bool = False) -> RenderableType:
    """Return the tables that a terminal shows, one below the other; dense ones break no cell into lines."""
    shown = (table.shown_in("terminal") for table in tables if is_shown(table.least, "terminal"))
    return Group(*(part for table in shown for part in _parts(table, is_dense=is_dense)))


def plain(
    headings: Sequence[str], body: Iterable[Sequence[str | Cell]], *, right: Collection[str] = ()
) -> RenderableType:
    """Return a table without a title; the columns in ``right`` hold numbers."""
    return render([Table(columns=columns(*headings, right=right), rows=rows(body))])


def rehearsal_label() -> RenderableType:
    """Return the label of a rehearsal."""
    return Frame(Text(REHEARSAL, style="bold black on yellow", justify="center"), style="bold yellow")


def flaw_line(degraded: Degraded) -> RenderableType:
    """Return the counts of the flaws in one line, yellow where they degrade the result."""
    return Text(printable(degraded.line), style="bold yellow" if degraded.is_degraded else "dim")


def _parts(table: Table, *, is_dense: bool) -> Iterator[RenderableType]:
    title = Text(one_line(table.title, width=_TITLE), style=f"bold {_STYLES[table.tone]}".strip())
    if table.title and (table.rows or table.notes):
        yield title
    if table.rows:
        yield _Grid(table, is_dense=is_dense)
    left = len(table.rows) - (table.most_rows or len(table.rows))
    if left > 0:
        yield Text(f"and {left:,} more; --json has them all", style="dim")
    for note in table.notes:
        style = "bold red" if note.tone == "bad" else _STYLES[note.tone]
        text = Text(one_line(note.text, width=note.width), style=style)
        yield text if table.rows or not table.title else Text.assemble("  ", text)


class _Grid:
    """A table whose columns share the screen; on a narrow one two below each other if dense, or rows as paragraphs."""

    def __init__(self, table: Table, *, is_dense: bool) -> None:
        self._headings = [Text(one_line(column.heading, width=_HEADING)) for column in table.columns]
        self._rows = [
            [Text(one_line(cell.text, width=cell.width), style=_STYLES[cell.tone]) for cell in row]
            for row in table.rows[: table.most_rows]
        ]
        self._table, self._columns, self._is_dense = table, table.columns, is_dense

    def __rich_console__(self, _console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw it as wide as ``options`` let it be; no figure is cut or broken."""
        columns = list(zip(*self._rows, strict=True))
        whole = [max(text.cell_len for text in each) for each in zip(self._headings, *self._rows, strict=True)]
        for kept in ({"always", "with room"}, {"always"}):
            unbroken = (column.is_number or column.whole in kept for column in self._columns)
            least = whole if self._is_dense else list(map(_least, self._headings, columns, unbroken))
            spare = options.max_width - len(columns) * (2 if self._is_dense else 3) - 1 - sum(least)
            if spare >= 0:
                break
        else:
            fitting = sum(taken < options.max_width for taken in accumulate(width + 2 for width in whole))
            if self._is_dense and fitting > 1:
                for places in (range(fitting), (0, *range(fitting, len(columns)))):
                    pick = itemgetter(*places)
                    part = replace(self._table, columns=pick(self._columns), rows=tuple(map(pick, self._table.rows)))
                    yield _Grid(part, is_dense=True)
                return
            for row in self._rows:
                named = zip(self._headings, row, strict=True)
                parts = [Text.assemble((name.plain and f"{name.plain} ", "dim"), text) for name, text in named if text]
                yield Padding(Text(" · ").join(parts), (0, 0, 1, 2))
            return
        drawn = RichTable(box=box.SIMPLE, padding=(0, 1, 0, 0 if self._is_dense else 1))
        widths = _shared(least, whole, spare)
        for column, heading, width in zip(self._columns, self._headings, widths, strict=True):
            drawn.add_column(heading, justify="right" if column.is_number else "left", width=width, overflow="fold")
        for row in self._rows:
            drawn.add_row(*row)
        yield drawn


def _least(heading: Text, cells: Sequence[Text], is_whole: bool) -> int:
    """Return the cells in which a column can be read: its words may be broken, but no address is."""
    words = [word for text in cells for word in text.plain.split()]
    parts = (cell_len(word) if "://" in word else min(cell_len(word), _READABLE) for word in words)
    whole = (text.cell_len for text in cells)
    return max([0, *map(cell_len, heading.plain.split()), *(whole if is_whole else parts)])


def _shared(least: Sequence[int], whole: Sequence[int], spare: int) -> list[int]:
    """Return the widths, ``least`` and a share of ``spare``; those that lack little are made whole first."""
    widths, order = list(least), sorted(range(len(least)), key=lambda at: whole[at] - least[at])
    for served, at in enumerate(order):
        more = min(whole[at] - least[at], spare // (len(order) - served))
        widths[at], spare = least[at] + more, spare - more
    return widths
