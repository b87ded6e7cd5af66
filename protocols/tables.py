"""Tables, notes and utterances: what a deliberation shows, as values without any layout.

The ``tables`` module of each protocol package makes them from a result, and from the state of a running deliberation.
Three renderers draw them for all protocols: the terminal (``starter.views``), the report (``report``) and the panel
of the Web UI (``workflows``). Text in them comes from models, people and pages, so each renderer escapes it.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from protocols.lazy_patterns import lazy_pattern
from protocols.model_call import ModelId, ParticipantId
from protocols.panel import name_of
from protocols.transcript import Turn


class CurveStyle(NamedTuple):
    """The drawing of a number of each round; protocols with the same ``title`` share one."""

    title: str
    measure: str
    """What the numbers are, beside the name of the arm."""
    scale: str = "0 to 1"
    note: str = ""
    """What the reader must know of the numbers."""
    by_label: bool = False
    """Whether deliberations with different labels are drawn apart."""
    stays_at_one: bool = False
    """Whether a curve that ended at 1 continues there: else the mean would cover only the others."""


class Curve(NamedTuple):
    """A number from 0 to 1 for each round."""

    values: Sequence[float | None]
    style: CurveStyle


class StudyFigures(NamedTuple):
    """The numbers of a result for the drawings of its study; a protocol fills in those it has."""

    curve: Curve | None = None
    rounds_to_consensus: int | None = None
    """``None`` without a consensus."""
    agreement: float | None = None
    """Kendall's W of the ballots."""
    places: tuple[tuple[ModelId, int], ...] = ()
    """Each ranked model and its place in the final order."""


NO_FIGURES = StudyFigures()


UNKNOWN = "–"
"""Shown in place of a value that is not known."""

Tone = Literal["", "good", "warning", "bad", "muted"]

Medium = Literal["panel", "terminal", "page"]
"""Where a table is shown, the narrowest first: the Web UI's panel, a terminal, the page of a report."""

Chart = Literal["none", "heatmap", "curves", "bars", "network"]
"""How a page draws a table beside its text.

``heatmap``: each cell as dark as its ``value``. ``curves``: a line for each row through the values of its cells.
``bars``: a bar for each row, as long as the number in its second column. ``network``: seats joined to claims; the rows
are claims with the columns of ``NETWORK``.
"""

NETWORK = ("id", "label", "status", "claim", "for", "against", "contradicted by")
"""The columns that a table drawn as a network has; the last three hold ``items``."""

_CELL_WIDTH = 300
_FINEST = 9
"""Decimals of a share; what is nearer to 0 or 1 comes from rounding."""
_LEAST_P = 0.001
_SEAT = lazy_pattern(r"([\w-]+)(|, round \d+| \S+)")
"""An id alone, with the round of a turn, or with the name of a model."""
_AUTHOR = lazy_pattern(r"(?<=by the )\w+")
"""The seat of an author, as in "written by the chair"."""
_MEDIA: tuple[Medium, ...] = ("panel", "terminal", "page")


class Cell(NamedTuple):
    """One cell of a table."""

    text: str
    tone: Tone = ""
    value: float | None = None
    """From 0 to 1; ``None`` where a chart draws nothing."""
    is_framed: bool = False
    items: tuple[str, ...] = ()
    """The names that ``text`` lists."""
    width: int = _CELL_WIDTH
    """Characters that a terminal shows of it."""


class Column(NamedTuple):
    """The heading of a column and how it is set."""

    heading: str
    is_number: bool = False
    least: Medium = "panel"
    """The narrowest medium that shows the column."""
    whole: Literal["", "with room", "always"] = ""
    """When a terminal breaks none of its cells; figures are never broken."""


class Note(NamedTuple):
    """A line below a table."""

    text: str
    tone: Tone = "muted"
    width: int = 600
    """Characters that a terminal shows of it."""


@dataclass(frozen=True)
class Table:
    """Rows under headings with notes below; without columns only the title and the notes are shown."""

    title: str = ""
    columns: tuple[Column, ...] = ()
    rows: tuple[tuple[Cell, ...], ...] = ()
    notes: tuple[Note, ...] = ()
    chart: Chart = "none"
    caption: str = ""
    """What the chart shows, for its reader."""
    across: str = ""
    """What the columns of a heatmap are, or the unit of curves."""
    names: int = 1
    """How many of the first columns name the row."""
    least: Medium = "panel"
    """The narrowest medium that shows the table."""
    tone: Tone = ""
    """Of the title."""
    most_rows: int | None = None
    """Rows that a terminal shows at most."""

    def shown_in(self, medium: Medium) -> "Table":
        """Return the table with the columns that ``medium`` shows."""
        kept = [place for place, column in enumerate(self.columns) if is_shown(column.least, medium)]
        columns = tuple(self.columns[place] for place in kept)
        return replace(self, columns=columns, rows=tuple(tuple(row[place] for place in kept) for row in self.rows))


class Utterance(NamedTuple):
    """One contribution to a deliberation."""

    who: str
    """Seat and model."""
    where: str
    """Round and stage."""
    text: str
    note: str = ""
    """What is known of it beside the text: the vote, that it was cut off or withheld."""

    @property
    def place(self) -> str:
        """``where`` and ``note`` in one line."""
        return " · ".join(filter(None, (self.where, self.note)))


class ResultView(NamedTuple):
    """The tables, texts and transcript of a result."""

    tables: tuple[Table, ...]
    author: str
    """Who wrote the verdict and how it was reached."""
    utterances: tuple[Utterance, ...]
    """The transcript in order."""
    conclusions: tuple[Utterance, ...] = ()
    """Texts above the verdict, for example an accepted motion."""
    figures: StudyFigures = NO_FIGURES
    """Numbers for the drawings of a study."""
    prompt: str = ""
    """What was asked first, where the question is only a part of it."""


def with_names(view: ResultView, names: Mapping[ParticipantId, str]) -> ResultView:
    """Return ``view`` with the names of seats: for their ids in cells, headings and utterances, beside an author's."""
    if not names:
        return view
    beside = {seat: f"{seat} ({name})" for seat, name in names.items()}
    return view._replace(
        author=_AUTHOR.sub(lambda seat: beside.get(ParticipantId(seat[0]), seat[0]), view.author),
        tables=tuple(name_seats(table, names) for table in view.tables),
        utterances=tuple(_named_utterance(one, names) for one in view.utterances),
        conclusions=tuple(_named_utterance(one, names) for one in view.conclusions),
    )


def name_seats(table: Table, names: Mapping[ParticipantId, str]) -> Table:
    """Return ``table`` with the names of seats in place of their ids."""
    headings = tuple(column._replace(heading=_named(column.heading, names)) for column in table.columns)
    rows = tuple(tuple(_named_cell(cell, names) for cell in row) for row in table.rows)
    return replace(table, columns=headings, rows=rows)


def _named_utterance(said: Utterance, names: Mapping[ParticipantId, str]) -> Utterance:
    seat, separator, model = said.who.partition(" · ")
    return said._replace(who=f"{_named(seat, names)}{separator}{model}")


def _named_cell(cell: Cell, names: Mapping[ParticipantId, str]) -> Cell:
    items = tuple(_named(one, names) for one in cell.items)
    return cell._replace(text=", ".join(items) or _named(cell.text, names), items=items)


def _named(text: str, names: Mapping[ParticipantId, str]) -> str:
    """Return ``text`` with the name of a seat, where it is an id alone, with a model, or with a round."""
    seat = _SEAT.fullmatch(text)
    return text if seat is None or seat[1] not in names else f"{names[ParticipantId(seat[1])]}{seat[2]}"


def is_shown(least: Medium, medium: Medium) -> bool:
    """Return whether ``medium`` is at least as wide as ``least``."""
    return _MEDIA.index(medium) >= _MEDIA.index(least)


def columns(*headings: str, right: Collection[str] = (), least: Medium = "panel") -> tuple[Column, ...]:
    """Return columns of these headings; those in ``right`` hold numbers."""
    return tuple(Column(heading, heading in right, least) for heading in headings)


def rows(given: Iterable[Sequence[str | Cell]]) -> tuple[tuple[Cell, ...], ...]:
    """Return rows of cells; a text becomes a plain cell."""
    return tuple(tuple(cell if isinstance(cell, Cell) else Cell(cell) for cell in row) for row in given)


def notes(*lines: str | Note) -> tuple[Note, ...]:
    """Return a note for each line that is not blank."""
    made = (line if isinstance(line, Note) else Note(line) for line in lines)
    return tuple(note for note in made if note.text)


def listed(items: Iterable[str]) -> Cell:
    """Return a cell that lists ``items``."""
    found = tuple(items)
    return Cell(", ".join(found) or UNKNOWN, items=found)


def share(value: float | None) -> Cell:
    """Return a share in percent, drawn as its value."""
    return Cell(UNKNOWN if value is None else f"{value:.0%}", value=value)


def decimal(value: float | None, digits: int = 2) -> str:
    """Return a number with ``digits`` decimals; one between -1, 0 and 1 has as many as show that."""
    if value is None:
        return UNKNOWN
    is_between = 0 < round(abs(value), _FINEST) < 1
    shown = (f"{value:z,.{count}f}" for count in range(digits, _FINEST + 1))
    return next(text for text in shown if not is_between or 0 < abs(float(text)) < 1)


def probability(p: float | None) -> str:
    """Return the p of a test with three decimals, or that it is smaller."""
    return f"< {_LEAST_P}" if p is not None and p < _LEAST_P else decimal(p, 3)


def speaker(seat: str, model: ModelId) -> str:
    """Return the name of a seat with its model."""
    return f"{seat} · {name_of(model)}"


def utterance(turn: Turn, where: str = "") -> Utterance:
    """Return a turn of a transcript; ``where`` replaces its stage."""
    label = f" as {turn.label}" if turn.label else ""
    return Utterance(f"{speaker(turn.participant, turn.model)}{label}", where or turn.stage, turn.text, turn.note)
