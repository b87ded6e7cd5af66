"""The lines of a dataset before their meaning is known: fields by column, as text, and the position of each line.

An unreadable record is one all the same: it has the reason, and reading continues behind it.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from parley.errors import RequestError

LONGEST_LINE = 8_000_000
"""Characters of one line of a text file."""
LONGEST_FIELD = 1_000_000
"""Characters of one field."""


class Layout(NamedTuple):
    """The layout of a dataset as a study file states it; ``None`` is found in the file."""

    encoding: str | None = None
    """Of a text file: by its byte order mark, or UTF-8."""
    delimiter: str | None = None
    """Between the fields of a table in text: by the end of the name, or the heading."""
    sheet: str | None = None
    """Of a workbook: the first."""


class Record(NamedTuple):
    """One line of a dataset."""

    number: int
    """From 1, counted without blank lines; those that cannot be read count."""
    line: int
    """Of the file, from 1: where it begins. The records of a binary file are its lines."""
    fields: dict[str, str]
    """By column, those that were asked for and are there; a value that is no text as JSON writes it, none as ""."""
    why: str = ""
    """Why it cannot be read; blank when it can."""


class Reader(NamedTuple):
    """The reader of one format."""

    columns: Callable[[Path, Layout], tuple[str, ...]]
    """The names of the columns; where every line has its own, those of the first lines."""
    records: Callable[[Path, Layout, Collection[str]], Iterator[Record]]
    """All records, one after the other, with the columns that are asked for."""


def column_names(values: Iterable[str], place: str) -> tuple[str, ...]:
    """Return the names in a heading, without the blank ones behind the last.

    Raises:
        RequestError: two are the same.
    """
    names = tuple(values)
    while names and not names[-1]:
        names = names[:-1]
    twice = next((name for name in names if name and names.count(name) > 1), None)
    if twice is not None:
        raise RequestError(f"{place} names {twice!r} twice; give each column a name")
    return names
