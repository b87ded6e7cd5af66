"""Datasets with a heading and fields between delimiters; a field in quotes may hold any of them and line breaks.

The delimiter is that of the study file, of a first line ``sep=;`` as Excel writes it, a tab in ``.tsv``, or else the
only one of ``, ; tab |`` in the heading. ``="0123"``, by which spreadsheets keep a text from becoming a number, is
``0123``.

A quote that does not close would silently take in the lines behind it: it ends the reading, even with bad lines
skipped.
"""

import csv
import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import NamedTuple, TextIO

from parley.errors import RequestError
from studies.dataset.records import (
    LONGEST_FIELD,
    LONGEST_LINE,
    Layout,
    Reader,
    Record,
    column_names,
    open_text,
    read_records,
)

_UNCLOSED = ("unexpected end of data", "field larger than")
"""How the parser begins to say that a quote did not close."""

_DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "vertical bar"}
_BY_NAME = {".tsv": "\t", ".tab": "\t"}
_SAID = re.compile(r"sep=(?P<delimiter>.)\s*", re.IGNORECASE)
_QUOTED = re.compile(r'"[^"]*"')
_KEPT_AS_TEXT = re.compile(r'="(?P<text>[^"]*)"')


class _Row(NamedTuple):
    """One row: the line where it begins, its fields, and why it cannot be read."""

    line: int
    values: list[str]
    why: str = ""


def _records(path: Path, layout: Layout, wanted: Collection[str]) -> Iterator[Record]:
    delimiter = _delimiter(path, layout)
    with open_text(path, layout.encoding, newline="") as file:
        rows = _rows(file, path, delimiter)
        heading = _heading(next(rows, None), path)

        def fields(row: _Row) -> dict[str, str]:
            # a spreadsheet writes blank fields behind the last column
            values = row.values if any(row.values[len(heading) :]) else row.values[: len(heading)]
            if row.why or len(values) != len(heading):
                raise ValueError(row.why or _ragged(len(values), len(heading), delimiter))
            return {name: _plain(value) for name, value in zip(heading, values, strict=True) if name in wanted}

        yield from read_records(((row.line, row) for row in rows), fields)


def _columns(path: Path, layout: Layout) -> tuple[str, ...]:
    delimiter = _delimiter(path, layout)
    with open_text(path, layout.encoding, newline="") as file:
        return _heading(next(_rows(file, path, delimiter), None), path)


def _delimiter(path: Path, layout: Layout) -> str:
    with open_text(path, layout.encoding, newline="") as file:
        head = next((line for line in iter(lambda: file.readline(LONGEST_LINE), "") if line.strip()), "")
    said = _SAID.fullmatch(head)
    known = layout.delimiter or (said and said["delimiter"]) or _BY_NAME.get(path.suffix.lower())
    if known:
        return known
    outside = _QUOTED.sub("", head)
    found = [one for one in _DELIMITERS if one in outside]
    if len(found) > 1:
        names = " and ".join(_DELIMITERS[one] for one in found)
        raise RequestError(
            f"{str(path)!r}: the heading has {names}, so its separator is not clear; "
            f'set dataset.delimiter = "{found[0]}" or another'.replace("\t", "\\t")
        )
    return found[0] if found else ","


def _rows(file: TextIO, path: Path, delimiter: str) -> Iterator[_Row]:
    """Yield the rows that are not blank, without a line ``sep=;``."""
    csv.field_size_limit(max(csv.field_size_limit(), LONGEST_FIELD))
    reader = csv.reader(iter(lambda: file.readline(LONGEST_LINE), ""), strict=True, delimiter=delimiter)
    while True:
        line = reader.line_num + 1
        try:
            values = next(reader, None)
        except csv.Error as error:
            if str(error).startswith(_UNCLOSED):
                raise RequestError(_unclosed(path, line, reader.line_num)) from None
            yield _Row(line, [], f"is no CSV: {error}; a quote inside a field is written twice, in a field in quotes")
            continue
        if values is None:
            return
        if any(values) and not (line == 1 and _SAID.fullmatch(delimiter.join(values))):
            yield _Row(line, values)


def _heading(first: _Row | None, path: Path) -> tuple[str, ...]:
    if first is None:
        raise RequestError(f"{str(path)!r} is empty; its first line names the columns")
    place = f"{str(path)!r}: the heading in line {first.line}"
    if first.why:
        raise RequestError(f"{place} {first.why}")
    return column_names((_plain(name.strip()) for name in first.values), place)


def _plain(value: str) -> str:
    kept = _KEPT_AS_TEXT.fullmatch(value)
    return kept["text"] if kept else value


def _ragged(fields: int, width: int, delimiter: str) -> str:
    return (
        f"has {fields} fields, and the heading has {width}; a field that holds a "
        f"{_DELIMITERS.get(delimiter, delimiter)} must be in quotes"
    )


def _unclosed(path: Path, line: int, last: int) -> str:
    return (
        f"{str(path)!r}: in line {line} begins a field that takes in everything up to line {last}, or is longer than "
        f'{LONGEST_FIELD:,} characters. Close its quote, write a quote inside a field twice: "", and shorten it'
    )


CSV_LINES = Reader(_columns, _records)
"""Blank lines are none. A line with too many or too few fields cannot be read."""
