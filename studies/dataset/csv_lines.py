"""Datasets with a heading and fields between delimiters; a field in quotes may hold any of them and line breaks.

The delimiter is that of the study file, a tab in ``.tsv``, of a first line ``sep=;`` as Excel writes it, or else the
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
from protocols.plurals import counted
from studies.dataset.records import LONGEST_FIELD, LONGEST_LINE, Layout, Reader, Record, column_names, open_text

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


def table(file: TextIO, place: str, named: str | None = None) -> tuple[tuple[str, ...], Iterator[_Row]]:
    """Return the names in the heading of ``file``, and the rows below it; ``named`` is its delimiter."""
    delimiter = named or _delimiter(file, place)
    rows = _rows(file, place, delimiter)
    heading = _heading(next(rows, None), place)
    return heading, (_as_wide(row, len(heading), delimiter) for row in rows)


def _records(path: Path, layout: Layout, wanted: Collection[str]) -> Iterator[Record]:
    with open_text(path, layout.encoding, newline="") as file:
        heading, rows = _table_at(file, path, layout)
        for number, (line, values, why) in enumerate(rows, 1):
            fields = {} if why else dict(zip(heading, values, strict=True))
            yield Record(number, line, {name: fields[name] for name in wanted if name in fields}, why)


def _columns(path: Path, layout: Layout) -> tuple[str, ...]:
    with open_text(path, layout.encoding, newline="") as file:
        return _table_at(file, path, layout)[0]


def _table_at(file: TextIO, path: Path, layout: Layout) -> tuple[tuple[str, ...], Iterator[_Row]]:
    return table(file, f"{str(path)!r}: ", layout.delimiter or _BY_NAME.get(path.suffix.lower()))


def _delimiter(file: TextIO, place: str) -> str:
    head = next((line for line in iter(lambda: file.readline(LONGEST_LINE), "") if line.strip()), "")
    file.seek(0)
    if said := _SAID.fullmatch(head):
        return said["delimiter"]
    outside = _QUOTED.sub("", head)
    found = [one for one in _DELIMITERS if one in outside]
    if len(found) > 1:
        names = " and ".join(_DELIMITERS[one] for one in found)
        raise RequestError(
            f"{place}the heading has {names}, so its separator is not clear; put names that hold one in quotes, or "
            f'set dataset.delimiter = "{found[0]}" or another in a study'.replace("\t", "\\t")
        )
    return found[0] if found else ","


def _rows(file: TextIO, place: str, delimiter: str) -> Iterator[_Row]:
    """Yield the rows that are not blank, without a line ``sep=;``."""
    csv.field_size_limit(max(csv.field_size_limit(), LONGEST_FIELD))
    reader = csv.reader(iter(lambda: file.readline(LONGEST_LINE), ""), strict=True, delimiter=delimiter)
    while True:
        line = reader.line_num + 1
        try:
            values = next(reader, None)
        except csv.Error as error:
            if str(error).startswith(_UNCLOSED):
                raise RequestError(
                    f"{place}in line {line} begins a field that takes in everything up to line {reader.line_num}, or "
                    f"is longer than {LONGEST_FIELD:,} characters. Close its quote, write a quote inside a field "
                    'twice: "", and shorten it'
                ) from None
            yield _Row(line, [], f"is no CSV: {error}; a quote inside a field is written twice, in a field in quotes")
            continue
        if values is None:
            return
        if any(values) and not (line == 1 and _SAID.fullmatch(delimiter.join(values))):
            yield _Row(line, values)


def _heading(first: _Row | None, place: str) -> tuple[str, ...]:
    if first is None:
        raise RequestError(f"{place}it is empty; its first line names the columns")
    if first.why:
        raise RequestError(f"{place}the heading in line {first.line} {first.why}")
    return column_names((_plain(name.strip()) for name in first.values), f"{place}the heading in line {first.line}")


def _as_wide(row: _Row, width: int, delimiter: str) -> _Row:
    # a spreadsheet writes blank fields behind the last column
    values = row.values if any(row.values[width:]) else row.values[:width]
    ragged = (
        f"has {counted(len(values), 'field')}, and the heading has {width}; a field that holds a "
        f"{_DELIMITERS.get(delimiter, delimiter)} must be in quotes"
    )
    return _Row(row.line, list(map(_plain, values)), row.why or ragged * (len(values) != width))


def _plain(value: str) -> str:
    kept = _KEPT_AS_TEXT.fullmatch(value)
    return kept["text"] if kept else value


CSV_LINES = Reader(_columns, _records)
"""Blank lines are none. A line with too many or too few fields cannot be read."""
