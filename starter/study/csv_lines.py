"""Datasets with a heading and fields between commas; a field in quotes may hold commas, quotes and line breaks.

A quote that does not close would take in the lines behind it without a word: it ends the reading, whatever is to be
skipped.
"""

import csv
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TextIO

from starter.errors import RequestError
from starter.study.records import LONGEST_FIELD, LONGEST_LINE, Reader, Record

_UNCLOSED = ("unexpected end of data", "field larger than")
"""How the parser begins to say that a quote did not close."""


def _records(path: Path, wanted: Collection[str]) -> Iterator[Record]:
    number = 0
    with _opened(path) as file:
        rows = _rows(file, path)
        heading = _heading(next(rows, None), path)
        for line, values, why in rows:
            number += 1
            if why or len(values) != len(heading):
                said = why or f"has {len(values)} fields, and the heading has {len(heading)}"
                yield Record(number, line, {}, said)
            else:
                fields = dict(zip(heading, values, strict=True))
                yield Record(number, line, {name: fields[name] for name in wanted if name in fields})


def _columns(path: Path) -> tuple[str, ...]:
    with _opened(path) as file:
        return _heading(next(_rows(file, path), None), path)


def _opened(path: Path) -> TextIO:
    """Bytes that are no text become lone surrogates, which are told from text field by field."""
    return path.open(encoding="utf-8-sig", errors="surrogateescape", newline="")


def _rows(file: TextIO, path: Path) -> Iterator[tuple[int, list[str], str]]:
    """The rows that are not blank: the line where each begins, its fields, and why it cannot be read."""
    csv.field_size_limit(max(csv.field_size_limit(), LONGEST_FIELD))
    reader = csv.reader(iter(lambda: file.readline(LONGEST_LINE), ""), strict=True)
    while True:
        line = reader.line_num + 1
        try:
            values = next(reader, None)
        except csv.Error as error:
            if str(error).startswith(_UNCLOSED):
                raise RequestError(_unclosed(path, line, reader.line_num)) from None
            yield line, [], f"is no CSV: {error}"
            continue
        if values is None:
            return
        if values:
            yield line, values, ""


def _heading(first: tuple[int, list[str], str] | None, path: Path) -> tuple[str, ...]:
    if first is None:
        raise RequestError(f"{str(path)!r} is empty; its first line names the columns")
    line, values, why = first
    names = tuple(name.strip() for name in values)
    twice = next((name for name in names if names.count(name) > 1), None)
    if why:
        raise RequestError(f"{str(path)!r}: the heading in line {line} {why}")
    if twice is not None:
        raise RequestError(f"{str(path)!r}: the heading in line {line} names {twice!r} twice; give each column a name")
    return names


def _unclosed(path: Path, line: int, last: int) -> str:
    return (
        f"{str(path)!r}: in line {line} begins a field that takes in everything up to line {last}. "
        'Close its quote, and write a quote inside a field twice: ""'
    )


CSV_LINES = Reader(_columns, _records)
"""Blank lines are none. A line with too many or too few fields cannot be read."""
