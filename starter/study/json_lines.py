"""Datasets with one JSON object on each line."""

import json
import math
from collections.abc import Collection, Iterator
from itertools import count, islice
from pathlib import Path
from typing import Any, BinaryIO

from starter.errors import RequestError
from starter.study.records import LONGEST_LINE, Reader, Record

_LOOKED_AT = 50
"""Lines from which the columns are known; a line has only those that it needs."""


def as_text(value: Any) -> str:
    """A value of JSON as the field of a record."""
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def _records(path: Path, wanted: Collection[str]) -> Iterator[Record]:
    with path.open("rb") as file:
        for number, (line, raw) in enumerate(_lines(file), 1):
            try:
                fields = read_object(raw)
            except (ValueError, RecursionError) as error:
                yield Record(number, line, {}, explained(error))
            else:
                yield Record(number, line, {name: as_text(fields[name]) for name in wanted if name in fields})


def _columns(path: Path) -> tuple[str, ...]:
    names: dict[str, None] = {}
    bad = ""
    with path.open("rb") as file:
        for line, raw in islice(_lines(file), _LOOKED_AT):
            try:
                names |= dict.fromkeys(read_object(raw))
            except (ValueError, RecursionError) as error:
                bad = bad or f"line {line}: {explained(error)}"
    if not names:
        raise RequestError(f"{str(path)!r} has no objects with fields at its beginning; {bad or 'it is empty'}")
    return tuple(names)


def _lines(file: BinaryIO) -> Iterator[tuple[int, bytes | None]]:
    """The lines that are not blank, with their numbers; ``None`` stands for one that is too long to be kept."""
    for line in count(1):
        raw = file.readline(LONGEST_LINE + 1)
        if not raw:
            return
        if len(raw) > LONGEST_LINE and not raw.endswith(b"\n"):
            _skip(file)
            yield line, None
        elif text := raw.removeprefix(b"\xef\xbb\xbf" if line == 1 else b"").strip():
            yield line, text


def _skip(file: BinaryIO) -> None:
    while (rest := file.readline(LONGEST_LINE)) and not rest.endswith(b"\n"):
        pass


def read_object(raw: bytes | None) -> dict[str, Any]:
    """Return the object on a line.

    Raises:
        ValueError: there is none; says why.
        RecursionError: it is nested too deeply.
    """
    if raw is None:
        raise ValueError(f"is longer than {LONGEST_LINE:,} bytes")
    value = json.loads(raw.decode(), object_pairs_hook=_each_once, parse_constant=_no_number, parse_float=_finite)
    if not isinstance(value, dict):
        raise ValueError('is no object; a line is one object: {"question": "…"}')  # noqa: TRY004 - all of it is text that a person wrote
    return value


def explained(error: ValueError | RecursionError) -> str:
    """Return why ``read_object`` found none."""
    if isinstance(error, json.JSONDecodeError):
        return f"is no JSON: {error.msg} at column {error.colno}"
    if isinstance(error, UnicodeDecodeError):
        return "is not UTF-8 text"
    return "is nested too deeply" if isinstance(error, RecursionError) else str(error)


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"names {next(name for name in names if names.count(name) > 1)!r} twice")
    return found


def _no_number(said: str) -> float:
    raise ValueError(f"has {said}, which is no number in JSON")


def _finite(said: str) -> float:
    number = float(said)
    return number if math.isfinite(number) else _no_number(said)


JSON_LINES = Reader(_columns, _records)
"""Blank lines are none. A key that stands twice, a number that is none, and what is no object cannot be read."""
