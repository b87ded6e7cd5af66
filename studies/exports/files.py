"""Tables as files for other programs: JSON lines, CSV and Parquet, written as they are read from the ledger.

JSON lines keep everything as it is. In CSV a value that has parts is JSON text, a text that a spreadsheet would take
for a formula gets an apostrophe in front, and an empty cell is an unknown value. In Parquet columns have the types of
``columns.toml``; those of type ``json`` are JSON text. A file is written whole or not at all.
"""

import csv
import glob
import io
import json
import os
import re
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from pathlib import Path
from typing import IO, Any, Literal, NamedTuple, TypeVar

from parley.errors import RequestError
from parley.output_files import refuse_place
from protocols.constraints import quoted
from runtime.processes import is_working
from studies.exports.columns import MAPS, TABLES, Column, ColumnType, TableName

Format = Literal["jsonl", "csv", "parquet"]
Values = Mapping[str, Any]
FORMATS: tuple[Format, ...] = ("jsonl", "csv", "parquet")

Item = TypeVar("Item")

AT_ONCE = 500
"""Rows in memory; a row group of Parquet."""
_DRAFT_NAME = 60
"""Characters of a file's name in that of its draft: with four bytes each they fit into the longest name."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""How a cell begins that a spreadsheet calculates or runs."""
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_LINE_ENDS = re.compile("[\u0085\u2028\u2029]")
"""They are allowed in JSON text, and some readers end a line there."""


class Exported(NamedTuple):
    """The numbers of rows that were written."""

    rows: int
    missing: int
    """How many of them are missing or still open."""
    rehearsals: int
    """How many of them scripted models answered."""


Write = Callable[[Sequence[Values]], None]
"""Writes some rows behind those that are there."""


async def export(rows: AsyncIterator[Values], table: TableName, to: IO[bytes], kind: Format) -> Exported:
    """Write ``rows`` of ``table`` to ``to``."""
    written = missing = rehearsals = 0
    with _SHEETS[kind](to, TABLES[table].columns) as write:
        async for some in batches(rows, AT_ONCE):
            write(some)
            written += len(some)
            missing += sum(row.get("status") in {"missing", "open"} for row in some)
            rehearsals += sum(row["rehearsal"] for row in some)
    return Exported(written, missing, rehearsals)


async def batches(items: AsyncIterator[Item], size: int) -> AsyncIterator[list[Item]]:
    """Yield ``items`` in lists of ``size``, the last of which may be shorter."""
    waiting: list[Item] = []
    async for one in items:
        waiting.append(one)
        if len(waiting) == size:
            yield waiting
            waiting = []
    if waiting:
        yield waiting


@contextmanager
def whole_file(path: Path, *, force: bool) -> Iterator[IO[bytes]]:
    """Open a file that takes its name at the end of the block and is removed after an error.

    Raises:
        RequestError: it is there already and may not be replaced, or cannot be written.
    """
    refuse_place(path)
    _refuse_present(path, force=force)
    path = Path(os.path.realpath(path))  # a link stays, and what it leads to is written
    draft = path.with_name(f".{path.name[:_DRAFT_NAME]}.{os.getpid()}.part")
    try:
        for left in path.parent.glob(f".{glob.escape(path.name[:_DRAFT_NAME])}.*.part"):
            if (pid := left.suffixes[-2][1:]).isdecimal() and not is_working(int(pid)):  # it was killed
                left.unlink(missing_ok=True)
        with draft.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        _refuse_present(path, force=force)
        draft.replace(path)
    except OSError as error:
        raise RequestError(f"{quoted(path)} cannot be written: {error.strerror or error}") from error
    finally:
        draft.unlink(missing_ok=True)


def _refuse_present(path: Path, *, force: bool) -> None:
    if path.exists() and not force:
        raise RequestError(f"{str(path)!r} is there already; name another file, or replace it with --force")


@contextmanager
def _json_lines(to: IO[bytes], columns: Sequence[Column]) -> Iterator[Write]:
    """Write one JSON object in every line."""
    names = [column.name for column in columns]
    yield lambda rows: to.writelines(_json({name: row[name] for name in names}) + b"\n" for row in rows)


@contextmanager
def _csv(to: IO[bytes], columns: Sequence[Column]) -> Iterator[Write]:
    """Write a heading and one line for each row, in UTF-8 and otherwise as RFC 4180 has it."""

    def put(lines: Iterable[Sequence[str]]) -> None:
        text = io.StringIO(newline="")
        csv.writer(text, lineterminator="\r\n").writerows(lines)
        to.write(text.getvalue().encode("utf-8", "replace"))

    names = [column.name for column in columns]
    put([names])
    yield lambda rows: put([_cell(row[name]) for name in names] for row in rows)


@contextmanager
def _parquet(to: IO[bytes], columns: Sequence[Column]) -> Iterator[Write]:
    """Write typed columns, in compressed row groups."""
    from pyarrow import parquet  # noqa: PLC0415 - a large library, and only this format has a use for it

    with parquet.ParquetWriter(to, schema_of(columns), compression="zstd") as file:
        yield lambda rows: file.write_table(arrow_table(rows, columns))


_SHEETS: Mapping[Format, Callable[[IO[bytes], Sequence[Column]], AbstractContextManager[Write]]] = {
    "jsonl": _json_lines,
    "csv": _csv,
    "parquet": _parquet,
}


def arrow_table(rows: Sequence[Values], columns: Sequence[Column]) -> Any:
    """Return ``rows`` as an Arrow table."""
    import pyarrow as pa  # noqa: PLC0415 - a large library, which other formats have no use for

    return pa.Table.from_pylist(
        [{column.name: _typed(row[column.name], column.type) for column in columns} for row in rows], schema_of(columns)
    )


def schema_of(columns: Sequence[Column]) -> Any:
    """Return the Arrow types of ``columns``."""
    import pyarrow as pa  # noqa: PLC0415 - a large library, which other formats have no use for

    text = pa.string()
    types: Mapping[ColumnType, Any] = {
        "text": text,
        "integer": pa.int64(),
        "number": pa.float64(),
        "boolean": pa.bool_(),
        "time": pa.timestamp("us", tz="UTC"),
        "texts": pa.list_(text),
        "json": text,
        "numbers": pa.map_(text, pa.float64()),
        "counts": pa.map_(text, pa.int64()),
        "flags": pa.map_(text, pa.bool_()),
        "words": pa.map_(text, text),
        "messages": pa.list_(pa.struct({"role": text, "content": text, "attachments": pa.list_(text)})),
        "turns": pa.list_(pa.struct(dict.fromkeys(("speaker", "place", "text", "note"), text))),
    }
    return pa.schema([(column.name, types[column.type]) for column in columns])


def _json(value: Any) -> bytes:
    """Return ``value`` as JSON in UTF-8, with line ends and lone surrogates escaped."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_moment)
    return _LINE_ENDS.sub(lambda found: f"\\u{ord(found[0]):04x}", text).encode("utf-8", "backslashreplace")


def _moment(value: datetime) -> str:
    return value.isoformat().replace("+00:00", "Z")


def _cell(value: Any) -> str:
    match value:
        case None:
            return ""
        case bool():
            return str(value).lower()
        case int() | float():
            return str(value)
        case str():
            # No spreadsheet shall calculate a text; numbers stay as they are.
            return f"'{value}" if value.startswith(_FORMULA) and not _NUMBER.fullmatch(value) else value
        case datetime():
            return _moment(value)
        case _:
            return _json(value).decode("utf-8")


def _typed(value: Any, kind: ColumnType) -> Any:
    """Return ``value`` as Arrow takes it; what no UTF-8 can hold becomes a question mark."""
    if value is None:
        return None
    if kind == "json":
        return _json(value).decode("utf-8")
    return [(_text(name), _text(one)) for name, one in value.items()] if kind in MAPS else _text(value)


def _text(value: Any) -> Any:
    match value:
        case str():
            return value.encode("utf-8", "replace").decode("utf-8")
        case dict():
            return {name: _text(one) for name, one in value.items()}
        case list() | tuple():
            return [_text(one) for one in value]
        case _:
            return value
