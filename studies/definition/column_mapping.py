"""The mapping from a record of a dataset to a row of the study."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from ledger.studies.records import RejectedRow
from parley.attached import AttachedFile, file_below, files_of
from parley.errors import RequestError
from parley.turns import read_turns
from protocols.constraints import did_you_mean, sentence_of
from protocols.fire_circle.model import SessionMemory
from studies.dataset.cells import Cell, cell_of, shown, structured, why_not_asked
from studies.dataset.records import Record
from studies.dataset.row_ids import short_form, why_no_id
from studies.dataset.templates import Template
from studies.definition.labels import unusable
from studies.definition.study_file import DatasetTable, LabelTable

LONGEST_QUESTION = 200_000
"""Characters."""

_USUAL_COLUMNS = ("question", "prompt")
_NOT_STORABLE = re.compile("[\0\ud800-\udfff]")


class StudyRow(NamedTuple):
    """One line of the dataset, ready to be asked."""

    number: int
    """From 0, in the order of the dataset, those that cannot be used left out."""
    line: int
    """Of the file."""
    row_id: str
    question: str
    expected: str | None
    extra: dict[str, str]
    layers: dict[str, str]
    """Of a prompt that is judged, those that have a column; empty when none has."""
    session: SessionMemory | None = None
    """The conversation before a prompt that is judged, where the row has one."""
    files: tuple[AttachedFile, ...] = ()
    """Attached to the question."""
    turns: tuple[Any, ...] = ()
    """All turns of the conversation whose last one is the question; empty where it is one turn."""
    fields: Mapping[str, str] = {}
    """The columns of the template, where its options are shuffled."""

    @property
    def short_id(self) -> str:
        """The id as part of the ids of its deliberations."""
        return short_form(self.row_id)


class ColumnMapping:
    """The meaning of the columns of one dataset.

    Args:
        table: Its part of the study file.
        label: How expected answers are read; ``None`` when there are none.
        columns: What the dataset has.

    Raises:
        RequestError: a column is named that the dataset has not; the message lists those that it has.
    """

    def __init__(self, table: DatasetTable, label: LabelTable | None, columns: Sequence[str]) -> None:
        self._table = table
        self._label = label
        self._question = _template(table, columns)
        self._cells = {said: _cell(key, said, columns) for key, said in _named(table, self._question)}
        for key in ("allow_blank", "allow_json"):
            for said in getattr(table, key):
                if said not in (*self._question.columns, *table.layers.values()):
                    raise RequestError(f"dataset.{key}: {said!r} is part of no question; name a column that is")

    @property
    def wanted(self) -> tuple[str, ...]:
        """The columns that are read."""
        return tuple(dict.fromkeys(cell.column for cell in self._cells.values()))

    def row(self, record: Record, number: int) -> StudyRow | RejectedRow:
        """Return ``record`` as the row of that number, or why it cannot be one."""
        table = self._table
        try:
            fields = self._fields(record)
            session = _session(fields[table.session]) if table.session else None
            files = row_files(table.path.parent, fields[table.attach]) if table.attach else ()
            turns = _turns(table.turns, fields[table.turns]) if table.turns else ()
        except (ValueError, RequestError) as error:
            return RejectedRow(record.line, str(error))
        if why := self._unusable(fields, record):
            return RejectedRow(record.line, why)
        return StudyRow(
            number=number,
            line=record.line,
            row_id=self._id(fields, record),
            question=read_turns(turns).last if turns else self._question.filled(fields),
            expected=None if table.label is None else fields[table.label].strip(),
            extra={name: fields[name] for name in table.extra},
            layers={layer: fields[column] for layer, column in table.layers.items()},
            session=session,
            files=files,
            turns=turns,
            fields=fields if table.shuffle_options else {},
        )

    def _fields(self, record: Record) -> dict[str, str]:
        if record.why:
            raise ValueError(record.why)
        may_lack = set(self._table.allow_blank)
        found = {
            said: "" if said in may_lack and cell.column not in record.fields else cell.of(record.fields)
            for said, cell in self._cells.items()
        }
        for said, text in found.items():
            if bad := _NOT_STORABLE.search(text):
                raise ValueError(_unstorable(said, bad[0]))
        return found

    def _id(self, fields: dict[str, str], record: Record) -> str:
        return str(record.line) if self._table.id is None else fields[self._table.id].strip()

    def _unusable(self, fields: dict[str, str], record: Record) -> str | None:
        why = why_no_id(self._id(fields, record)) or self._unasked(fields)
        if why or self._table.label is None or self._label is None:
            return why
        why = unusable(fields[self._table.label], self._label)
        return f"{self._table.label!r} {why}" if why else None

    def _unasked(self, fields: dict[str, str]) -> str | None:
        """Return why the question, or the judged prompt, cannot be asked."""
        for said in (*self._question.columns, *self._table.layers.values()):
            is_whole = said in (*self._table.allow_json, self._table.turns)
            why = None if is_whole else why_not_asked(said, fields[said])
            if why:
                return why
        for name, text in self._asked(fields):
            if not text.strip():
                return f"{name} is blank"
            if len(text) > LONGEST_QUESTION:
                return f"{name} has {len(text):,} characters, more than {LONGEST_QUESTION:,}; shorten it"
        blank = next((said for said in self._question.columns if not fields[said].strip()), None)
        if blank is not None and blank not in self._table.allow_blank:
            return f"{blank!r} is blank, and the template asks it; fill it in, or name it in dataset.allow_blank"
        return None

    def _asked(self, fields: dict[str, str]) -> list[tuple[str, str]]:
        """Return the texts that must not be blank: the question, and all layers together."""
        layers = "".join(fields[column] for column in self._table.layers.values())
        return [("the question", self._question.filled(fields))] + ([("the prompt", layers)] if layers else [])


def _template(table: DatasetTable, columns: Sequence[str]) -> Template:
    if table.template is not None:
        return Template.of(table.template)
    named = (
        table.turns or table.question or table.user or next((name for name in _USUAL_COLUMNS if name in columns), None)
    )
    if named is None:
        listed = ", ".join(map(repr, columns)) or "none"
        raise RequestError(f'no column says what is asked: say [dataset] question = "…"; the columns are {listed}')
    return Template.column(named)


def _named(table: DatasetTable, question: Template) -> list[tuple[str, str]]:
    """Return every needed column, with the key that names it."""
    asked = "template" if table.template is not None else "turns" if table.turns else "question"
    single = [
        ("id", table.id),
        ("label", table.label),
        *table.layers.items(),
        ("session", table.session),
        ("attach", table.attach),
        *(("extra", name) for name in table.extra),
    ]
    return [*((asked, name) for name in question.columns), *((key, name) for key, name in single if name is not None)]


def _turns(said: str, text: str) -> tuple[Any, ...]:
    found = structured(text)
    if not isinstance(found, list) or not found:
        raise ValueError(f'{said!r} is {shown(text)}, and turns are a list in JSON, as in ["Why?", "And then?"]')
    read_turns(found)
    return tuple(found)


def _session(text: str) -> SessionMemory | None:
    try:
        return SessionMemory.model_validate_json(text) if text.strip() else None
    except ValidationError as error:
        raise ValueError(f"the session is {shown(text)}: {sentence_of(error.errors(include_url=False)[0])}") from None


def _cell(key: str, said: str, columns: Sequence[str]) -> Cell:
    cell = cell_of(said, columns)
    if cell is None:
        raise RequestError(_unknown(key, said, columns))
    return cell


def _unstorable(said: str, character: str) -> str:
    if character == "\0":
        return f"{said!r} holds a NUL, which cannot be stored; remove it"
    return f'{said!r} is not UTF-8 text; name the encoding of the file, as in dataset.encoding = "windows-1252"'


def _unknown(key: str, column: str, columns: Sequence[str]) -> str:
    listed = f"The columns are {', '.join(map(repr, columns)) or 'none'}"
    said = (f"dataset.{key}: there is no column {column!r}.", did_you_mean(column, columns), listed)
    return " ".join(filter(None, said))


def row_files(folder: Path, cell: str) -> tuple[AttachedFile, ...]:
    """Return the files in ``cell``: a path, a list of paths in JSON, or none where it is blank.

    A dataset may come from others, so every path must lead to a file below ``folder``, links resolved.
    """
    listed = structured(cell)
    paths = listed if isinstance(listed, list) else [cell.strip()] if cell.strip() else []
    files: tuple[AttachedFile, ...] = files_of([file_below(folder, path) for path in paths])
    return files
