"""Tables of ``protocols.tables`` on a terminal, and the labels of rehearsals and flaws."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from rich import box
from rich.console import Group, RenderableType
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
    if table.rows:
        yield _drawn(table, title, is_dense=is_dense)
    elif table.title and table.notes:
        yield title
    left = len(table.rows) - (table.most_rows or len(table.rows))
    if left > 0:
        yield Text(f"and {left:,} more; --json has them all", style="dim")
    for note in table.notes:
        text = Text(
            one_line(note.text, width=note.width), style="bold red" if note.tone == "bad" else _STYLES[note.tone]
        )
        yield text if table.rows or not table.title else Text.assemble("  ", text)


def _drawn(table: Table, title: Text, *, is_dense: bool) -> RichTable:
    drawn = RichTable(title=title if table.title else None, box=box.SIMPLE, title_justify="left")
    if is_dense:
        drawn.padding = (0, 1, 0, 0)
    for column in table.columns:
        drawn.add_column(
            Text(one_line(column.heading, width=_HEADING)),
            justify="right" if column.is_number else "left",
            min_width=max((len(word) for word in column.heading.split()), default=0),
            overflow="fold",
            no_wrap=is_dense,
        )
    for row in table.rows[: table.most_rows]:
        drawn.add_row(*(Text(one_line(cell.text, width=cell.width), style=_STYLES[cell.tone]) for cell in row))
    return drawn
