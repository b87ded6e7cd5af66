"""Results as files for other programs: JSON lines, CSV and Parquet, written as they are read from the ledger.

JSON lines keep everything as it is. In CSV and Parquet a value that has parts (``votes``, ``quorum``, ``extra``, the
result) is JSON text. In CSV a text that a spreadsheet would take for a formula gets an apostrophe in front, and an
empty cell is an unknown value. A file is written whole or not at all.
"""

import csv
import io
import json
import os
import re
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from pathlib import Path
from typing import IO, Any, Literal, NamedTuple

from ledger.studies.results import ResultRow
from ledger.studies.scores import Score
from parley.errors import RequestError
from protocols.flaws import FlawKind
from studies.source_rows import SourceRow, source_rows

Format = Literal["jsonl", "csv", "parquet"]
Row = ResultRow | SourceRow | Score
FORMATS: tuple[Format, ...] = ("jsonl", "csv", "parquet")

_AT_ONCE = 500
"""Results in memory; a row group of Parquet."""
_RESULT = "result"
_MAPS = frozenset({"scores", "flaws"})
_COUNTED = ("status", "tokens", "seconds", "is_failed")
"""What a result reports beside its fields."""
_COLUMNS = (*(name for name in ResultRow.model_fields if name != _RESULT), *_COUNTED)

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


Write = Callable[[Sequence[Row]], None]
"""Writes some rows behind those that are there."""


async def export(results: AsyncIterator[ResultRow], to: IO[bytes], kind: Format, *, transcripts: bool) -> Exported:
    """Write ``results`` to ``to``, with the whole result of every deliberation where ``transcripts`` are wanted."""
    return await _export(results, _SHEETS[kind](to, (*_COLUMNS, _RESULT) if transcripts else _COLUMNS))


async def export_sources(results: AsyncIterator[ResultRow], to: IO[bytes], kind: Format) -> Exported:
    """Write one row for each page cited in ``results``, read with their whole results."""
    return await _export(source_rows(results), _SHEETS[kind](to, tuple(SourceRow.model_fields)))


async def export_scores(scores: Iterable[Score], to: IO[bytes], kind: Format) -> Exported:
    """Write one row for each score: a deliberation and a scorer, or two deliberations that were compared."""

    async def each() -> AsyncIterator[Score]:
        for one in scores:
            yield one

    return await _export(each(), _SHEETS[kind](to, tuple(Score.model_fields)))


async def _export(
    rows: AsyncIterator[ResultRow] | AsyncIterator[SourceRow] | AsyncIterator[Score],
    sheet: AbstractContextManager[Write],
) -> Exported:
    written = missing = rehearsals = 0
    waiting: list[Row] = []
    with sheet as write:
        async for row in rows:
            waiting.append(row)
            written, rehearsals = written + 1, rehearsals + row.rehearsal
            missing += isinstance(row, ResultRow) and row.status in {"missing", "open"}
            if len(waiting) == _AT_ONCE:
                write(waiting)
                waiting = []
        write(waiting)
    return Exported(written, missing, rehearsals)


@contextmanager
def whole_file(path: Path, *, force: bool) -> Iterator[IO[bytes]]:
    """Open a file that takes its name at the end of the block and is removed after an error.

    Raises:
        RequestError: it is there already and may not be replaced, or cannot be written.
    """
    _refuse_present(path, force=force)
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with draft.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        _refuse_present(path, force=force)
        draft.replace(path)
    except OSError as error:
        raise RequestError(f"{str(path)!r} cannot be written: {error.strerror or error}") from error
    finally:
        draft.unlink(missing_ok=True)


def _refuse_present(path: Path, *, force: bool) -> None:
    if path.exists() and not force:
        raise RequestError(f"{str(path)!r} is there already; name another file, or replace it with --force")


@contextmanager
def _json_lines(to: IO[bytes], columns: Sequence[str]) -> Iterator[Write]:
    """Write one JSON object in every line."""
    yield lambda rows: to.writelines(_json(_values(row, columns)) + b"\n" for row in rows)


@contextmanager
def _csv(to: IO[bytes], columns: Sequence[str]) -> Iterator[Write]:
    """Write a heading and one line per result, in UTF-8 and otherwise as RFC 4180 has it."""

    def put(lines: Iterable[Sequence[str]]) -> None:
        text = io.StringIO(newline="")
        csv.writer(text, lineterminator="\r\n").writerows(lines)
        to.write(text.getvalue().encode("utf-8", "replace"))

    put([columns])
    yield lambda rows: put([_cell(value) for value in _values(row, columns).values()] for row in rows)


@contextmanager
def _parquet(to: IO[bytes], columns: Sequence[str]) -> Iterator[Write]:
    """Write typed columns, in compressed row groups."""
    import pyarrow as pa  # noqa: PLC0415 - a large library, and only this format has a use for it
    from pyarrow import parquet  # noqa: PLC0415 - the same

    schema = _schema(columns)
    with parquet.ParquetWriter(to, schema, compression="zstd") as file:

        def write(rows: Sequence[Row]) -> None:
            typed = [{name: _parted(name, getattr(row, name)) for name in columns} for row in rows]
            if typed:
                file.write_table(pa.Table.from_pylist(typed, schema))

        yield write


_SHEETS: Mapping[Format, Callable[[IO[bytes], Sequence[str]], AbstractContextManager[Write]]] = {
    "jsonl": _json_lines,
    "csv": _csv,
    "parquet": _parquet,
}


def _values(row: Row, columns: Sequence[str]) -> dict[str, Any]:
    """Return the row's values as JSON, by column."""
    fields = row.model_dump(mode="json", exclude=None if _RESULT in columns else {_RESULT})
    return {name: fields[name] if name in fields else getattr(row, name) for name in columns}


def _json(value: Any) -> bytes:
    """Return ``value`` as JSON in UTF-8, with line ends and lone surrogates escaped."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return _LINE_ENDS.sub(lambda found: f"\\u{ord(found[0]):04x}", text).encode("utf-8", "backslashreplace")


def _cell(value: Any) -> str:
    match value:
        case None:
            return ""
        case bool():
            return str(value).lower()
        case int() | float():
            return str(value)
        case str():
            return _harmless(value)
        case _:
            return _json(value).decode("utf-8")


def _harmless(text: str) -> str:
    """Return ``text`` so that no spreadsheet calculates it; numbers stay as they are."""
    return f"'{text}" if text.startswith(_FORMULA) and not _NUMBER.fullmatch(text) else text


def _parted(name: str, value: Any) -> Any:
    if name in _MAPS:
        return [(key, score) for key, score in value.items()]
    if isinstance(value, dict) or name == "seats":
        return _json(value).decode("utf-8")
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    return list(value) if isinstance(value, tuple) else value


def _schema(columns: Sequence[str]) -> Any:
    """Return the types of the columns, from those of the fields."""
    import pyarrow as pa  # noqa: PLC0415 - a large library, and only this format has a use for it

    arrow: dict[Any, Any] = {
        int: pa.int64(),
        float: pa.float64(),
        float | None: pa.float64(),
        bool: pa.bool_(),
        bool | None: pa.bool_(),
        tuple[str, ...]: pa.list_(pa.string()),
        dict[str, float]: pa.map_(pa.string(), pa.float64()),
        dict[FlawKind, int]: pa.map_(pa.string(), pa.int64()),
        datetime | None: pa.timestamp("us", tz="UTC"),
    }
    counted = {"status": str, "tokens": int, "seconds": float, "is_failed": bool}
    fields = {**Score.model_fields, **SourceRow.model_fields, **ResultRow.model_fields}
    types = {name: field.annotation for name, field in fields.items()} | counted
    return pa.schema([(name, arrow.get(types[name], pa.string())) for name in columns])
