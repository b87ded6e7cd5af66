"""The lines of a dataset before their meaning is known: fields by column, as text, and the position of each line.

An unreadable record is one all the same: it has the reason, and reading continues behind it. The encoding of a text
file is that of the study file, or found by its byte order mark and first bytes.
"""

import json
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, TextIO, TypeVar

from parley.errors import RequestError
from parley.text_encodings import HEAD, encoding_of

Raw = TypeVar("Raw")

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


def read_records(lines: Iterable[tuple[int, Raw]], read: Callable[[Raw], dict[str, str]]) -> Iterator[Record]:
    """Yield a record for each line: the fields that ``read`` returns, or the reason why it raises ``ValueError``."""
    for number, (line, raw) in enumerate(lines, 1):
        try:
            record = Record(number, line, read(raw))
        except (ValueError, RecursionError) as error:
            record = Record(number, line, {}, explained(error))
        yield record


def explained(error: ValueError | RecursionError) -> str:
    """Return why a line cannot be read."""
    if isinstance(error, json.JSONDecodeError):
        return f"is no JSON: {error.msg} at column {error.colno}"
    if isinstance(error, UnicodeDecodeError):
        return 'is not UTF-8 text; name its encoding, as in dataset.encoding = "windows-1252"'
    return "is nested too deeply" if isinstance(error, RecursionError) else str(error)


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


def checked_encoding(name: str) -> str:
    """Return ``name`` when it is an encoding of text.

    Raises:
        ValueError: it is none.
    """
    try:
        "".encode(name)
    except (LookupError, ValueError):
        raise ValueError("expected an encoding such as utf-8, utf-16, windows-1252 or shift_jis") from None
    return name


@contextmanager
def open_text(path: Path, encoding: str | None, newline: str) -> Iterator[TextIO]:
    """Open ``path`` in its encoding; invalid bytes become lone surrogates, found field by field.

    Raises:
        RequestError: the bytes are no text of the encoding, reported while reading.
    """
    said = encoding or _encoding_of(path)
    errors = "surrogateescape" if said in {"utf-8", "utf-8-sig"} else "strict"
    with path.open(encoding=said, errors=errors, newline=newline) as file:
        try:
            yield file
        except UnicodeError as error:
            raise RequestError(
                f"{str(path)!r} is not text in {said}: {error}; name its encoding, as in dataset.encoding = "
                '"windows-1252", or save it as UTF-8'
            ) from None


def _encoding_of(path: Path) -> str:
    with path.open("rb") as file:
        return encoding_of(file.read(HEAD))
