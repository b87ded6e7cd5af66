"""Datasets in Parquet: typed columns, read in batches."""

import math
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

from parley.errors import RequestError
from studies.dataset.json_files import as_text
from studies.dataset.records import Layout, Reader, Record, column_names, read_records

_AT_ONCE = 500
"""Records in memory."""


def _records(path: Path, _layout: Layout, wanted: Collection[str]) -> Iterator[Record]:
    def rows(file: Any) -> Iterator[dict[str, Any]]:
        return (row for batch in file.iter_batches(_AT_ONCE, columns=list(wanted)) for row in batch.to_pylist())

    return read_records(
        enumerate(_reading(path, rows), 1), lambda values: {name: _text(name, value) for name, value in values.items()}
    )


def _columns(path: Path, _layout: Layout) -> tuple[str, ...]:
    return column_names(_reading(path, lambda file: file.schema_arrow.names), repr(str(path)))


def _reading(path: Path, what: Callable[[Any], Any]) -> Iterator[Any]:
    import pyarrow as pa  # noqa: PLC0415 - a large library, and only this format has a use for it
    from pyarrow import parquet  # noqa: PLC0415 - the same

    try:
        with parquet.ParquetFile(path) as file:
            yield from what(file)
    except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
        raise RequestError(f"{str(path)!r} is no Parquet file that can be read: {str(error)[:200]}") from None


def _text(name: str, value: Any) -> str:
    if isinstance(value, bytes):
        raise ValueError(f"{name!r} is no text")  # noqa: TRY004 - one kind of error for all that a record may hold
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{name!r} is {value}, which is no number")
    if value is None or isinstance(value, str | bool | int | float):
        return as_text(value)
    try:
        return as_text(value)
    except TypeError:  # a date, a decimal
        return str(value)


PARQUET = Reader(_columns, _records)
"""A value that is bytes or no number cannot be read."""
