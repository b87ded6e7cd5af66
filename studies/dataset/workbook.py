"""Datasets in an Excel workbook (``.xlsx``): one sheet; its first row with text names the columns.

A value is read as it is stored, not as it is shown: 0.5 for 50 %, a date as ``2026-01-31``. A formula is its last
result; a formula that was never worked out and a whole number that lost its last digits make their row unusable.
"""

import datetime as dt
import zlib
from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager
from itertools import zip_longest
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

from parley.errors import RequestError
from studies.dataset.json_files import as_text
from studies.dataset.records import Layout, Reader, Record, column_names, read_records

_EXACT = 2**53
"""Up to here a workbook keeps every whole number; it keeps 15 digits of longer ones."""

_DAMAGED = (AttributeError, BadZipFile, EOFError, LookupError, RuntimeError, SyntaxError, TypeError, ValueError)
"""What the reading of an archive, its XML (``SyntaxError``) and its cells raises where the file is not whole."""
_Row = tuple[tuple[Any, ...], tuple[Any, ...]]
"""The values of a row, and its formulas."""


def _records(path: Path, layout: Layout, wanted: Collection[str]) -> Iterator[Record]:
    rows = _rows(path, layout)
    names = next((found for line, (values, _) in rows if (found := _named(values, path, line))), ())

    def fields(row: _Row) -> dict[str, str]:
        given = zip_longest(names, *(cells[: len(names)] for cells in row))
        return {name: _text(name, value, formula) for name, value, formula in given if name in wanted}

    yield from read_records(rows, fields)


def _columns(path: Path, layout: Layout) -> tuple[str, ...]:
    for line, (values, _) in _rows(path, layout):
        return _named(values, path, line)
    raise RequestError(f"{str(path)!r} has no rows; its first row names the columns. Name another sheet: dataset.sheet")


def _rows(path: Path, layout: Layout) -> Iterator[tuple[int, _Row]]:
    """Yield the rows that are not blank: their numbers, values and formulas."""
    with _sheet(path, layout, values=True) as results, _sheet(path, layout, values=False) as typed:
        rows = zip(results.iter_rows(values_only=True), typed.iter_rows(values_only=True), strict=False)
        for line, (values, formulas) in enumerate(rows, 1):
            if any(value not in {None, ""} for value in formulas):
                yield line, (values, formulas)


@contextmanager
def _sheet(path: Path, layout: Layout, *, values: bool) -> Iterator[Any]:
    from openpyxl import load_workbook  # noqa: PLC0415 - a large library, and only this format has a use for it

    try:  # given the path, it keeps the file open as long as a row that failed is referenced
        with path.open("rb") as file, closing(load_workbook(file, read_only=True, data_only=values)) as book:
            names = [sheet.title for sheet in book.worksheets]  # a sheet that is a chart has no rows
            if layout.sheet is not None and layout.sheet not in names:
                sheets = ", ".join(names)
                raise RequestError(f"dataset.sheet: there is no sheet {layout.sheet!r}; the sheets are {sheets}")
            yield book[layout.sheet or names[0]]
    except (zlib.error, *_DAMAGED) as error:
        said = str(error) or type(error).__name__
        raise RequestError(f"{str(path)!r} is no workbook that can be read: {said}; save it as .xlsx or CSV") from None


def _named(values: tuple[Any, ...], path: Path, line: int) -> tuple[str, ...]:
    return column_names((as_text(value).strip() for value in values), f"{str(path)!r}: row {line}")


def _text(name: str, value: Any, formula: Any) -> str:
    if value is None and isinstance(formula, str) and formula.startswith("="):
        raise ValueError(
            f"{name!r} is the formula {formula[:40]!r}, which was never worked out; save the file in Excel"
        )
    if isinstance(value, int | float) and not isinstance(value, bool):
        if abs(value) >= _EXACT:
            raise ValueError(f"{name!r} is {value!r}, of which the workbook keeps 15 digits; write it as text")
        return str(int(value)) if float(value).is_integer() else repr(value)
    if isinstance(value, dt.datetime) and value.time() == dt.time():
        return value.date().isoformat()
    return as_text(value) if value is None or isinstance(value, str | bool) else str(value)


WORKBOOK = Reader(_columns, _records)
"""The lines of its records are the rows of the sheet."""
