"""From the record of a dataset to a row of the study: what is asked, what is expected, what is kept beside."""

import difflib
import re
from collections.abc import Sequence
from typing import NamedTuple

from starter.errors import RequestError
from starter.study.labels import unusable
from starter.study.records import Record
from starter.study.studyfile import DatasetTable, LabelTable
from starter.study.templates import Template
from starter.studybooks.contents import RejectedRow

LONGEST_QUESTION = 200_000
"""Characters."""

_USUAL_COLUMNS = ("question", "prompt")
_ROW_ID = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,79}")
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


class Mapping:
    """How the columns of one dataset are understood.

    Args:
        table: What the study file says of them.
        label: How expected answers are read; ``None`` when there are none.
        columns: What the dataset has.

    Raises:
        RequestError: a column is named that the dataset has not; the message lists those that it has.
    """

    def __init__(self, table: DatasetTable, label: LabelTable | None, columns: Sequence[str]) -> None:
        self._table = table
        self._label = label
        self._question = _template(table, columns)
        for key, column in _named(table, self._question):
            if column not in columns:
                raise RequestError(_unknown(key, column, columns))

    @property
    def wanted(self) -> tuple[str, ...]:
        """The columns that are read."""
        return tuple(dict.fromkeys(column for _, column in _named(self._table, self._question)))

    def row(self, record: Record, number: int) -> StudyRow | RejectedRow:
        """``record`` as the row of that number, or why it cannot be one."""
        why = record.why or self._incomplete(record) or self._unusable(record)
        if why:
            return RejectedRow(record.line, why)
        fields, table = record.fields, self._table
        return StudyRow(
            number=number,
            line=record.line,
            row_id=self._id(record),
            question=self._question.filled(fields),
            expected=None if table.label is None else fields[table.label].strip(),
            extra={name: fields[name] for name in table.extra},
            layers={layer: fields[column] for layer, column in table.layers.items()},
        )

    def _id(self, record: Record) -> str:
        return str(record.line) if self._table.id is None else record.fields[self._table.id].strip()

    def _incomplete(self, record: Record) -> str | None:
        for column in self.wanted:
            if column not in record.fields:
                return f"has no {column!r}"
            if _NOT_STORABLE.search(record.fields[column]):
                return f"{column!r} is not UTF-8 text or holds characters that cannot be stored"
        return None

    def _unusable(self, record: Record) -> str | None:
        if not _ROW_ID.fullmatch(self._id(record)):
            return (
                f"the id {self._id(record)[:90]!r} cannot be used: it has 1 to 80 of A-Z a-z 0-9 _ . - and begins with "
                "none of the last two"
            )
        for name, text in self._asked(record):
            if not text.strip():
                return f"{name} is blank"
            if len(text) > LONGEST_QUESTION:
                return f"{name} has {len(text):,} characters, more than {LONGEST_QUESTION:,}"
        if self._table.label is None or self._label is None:
            return None
        why = unusable(record.fields[self._table.label], self._label)
        return f"{self._table.label!r} {why}" if why else None

    def _asked(self, record: Record) -> list[tuple[str, str]]:
        """What must say something: the question, and all layers together."""
        layers = "".join(record.fields[column] for column in self._table.layers.values())
        return [("the question", self._question.filled(record.fields))] + ([("the prompt", layers)] if layers else [])


def _template(table: DatasetTable, columns: Sequence[str]) -> Template:
    if table.template is not None:
        return Template.of(table.template)
    named = table.question or table.user or next((name for name in _USUAL_COLUMNS if name in columns), None)
    if named is None:
        shown = ", ".join(map(repr, columns)) or "none"
        raise RequestError(f'no column says what is asked: say [dataset] question = "…"; the columns are {shown}')
    return Template.column(named)


def _named(table: DatasetTable, question: Template) -> list[tuple[str, str]]:
    """Every column that is needed, under the key that names it."""
    asked = "template" if table.template is not None else "question"
    single = [
        ("id", table.id),
        ("label", table.label),
        *table.layers.items(),
        *(("extra", name) for name in table.extra),
    ]
    return [*((asked, name) for name in question.columns), *((key, name) for key, name in single if name is not None)]


def _unknown(key: str, column: str, columns: Sequence[str]) -> str:
    near = difflib.get_close_matches(column, columns, n=1)
    hint = f"Did you mean {near[0]!r}? " if near else ""
    shown = ", ".join(map(repr, columns)) or "none"
    return f"dataset.{key}: there is no column {column!r}. {hint}The columns are {shown}"
