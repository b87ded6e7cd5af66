"""Datasets in JSON: one object on each line, or one list of objects, which is read as a whole."""

import json
import math
from collections.abc import Collection, Iterator
from itertools import count, islice
from pathlib import Path
from typing import Any, TextIO

from parley.errors import RequestError
from studies.dataset.records import LONGEST_LINE, Layout, Reader, Record, explained, open_text, read_records

_LOOKED_AT = 50
"""Lines from which the columns are known; a line has only those that it needs."""


def as_text(value: Any) -> str:
    """Return a value of JSON as the field of a record."""
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def _line_records(path: Path, layout: Layout, wanted: Collection[str]) -> Iterator[Record]:
    with open_text(path, layout.encoding, newline="\n") as file:
        yield from read_records(_lines(file), lambda raw: _wanted(read_object(raw), wanted))


def _wanted(fields: dict[str, Any], wanted: Collection[str]) -> dict[str, str]:
    return {name: as_text(fields[name]) for name in wanted if name in fields}


def _line_columns(path: Path, layout: Layout) -> tuple[str, ...]:
    names: dict[str, None] = {}
    bad = ""
    with open_text(path, layout.encoding, newline="\n") as file:
        for line, raw in islice(_lines(file), _LOOKED_AT):
            try:
                names |= dict.fromkeys(read_object(raw))
            except (ValueError, RecursionError) as error:
                bad = bad or f"line {line}: {explained(error)}"
    if not names:
        raise RequestError(f"{str(path)!r} has no objects with fields at its beginning; {bad or 'it is empty'}")
    return tuple(names)


def _lines(file: TextIO) -> Iterator[tuple[int, bytes | None]]:
    """Yield the lines with text and their numbers; ``None`` in place of a line that is too long."""
    for line in count(1):
        said = file.readline(LONGEST_LINE + 1)
        if not said:
            return
        if len(said) > LONGEST_LINE and not said.endswith("\n"):
            while (rest := file.readline(LONGEST_LINE)) and not rest.endswith("\n"):
                pass
            yield line, None
        elif raw := said.encode("utf-8", "surrogateescape").strip():
            yield line, raw


def read_json(text: str) -> Any:
    """Return the value that ``text`` is."""
    return json.loads(text, object_pairs_hook=_each_once, parse_constant=_no_number, parse_float=_finite)


def read_object(raw: bytes | None) -> dict[str, Any]:
    """Return the object on a line.

    Raises:
        ValueError: there is none; says why.
        RecursionError: it is nested too deeply.
    """
    if raw is None:
        raise ValueError(f"is longer than {LONGEST_LINE:,} characters")
    value = read_json(raw.decode())
    if not isinstance(value, dict):
        raise ValueError('is no object; a line is one object: {"question": "…"}')  # noqa: TRY004 - all of it is text that a user wrote
    return value


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


JSON_LINES = Reader(_line_columns, _line_records)
"""Blank lines are none. A duplicate key, an invalid number, and a value that is no object cannot be read."""


LARGEST = 200_000_000
"""Bytes: the file is in memory as a whole."""


def _list_records(path: Path, layout: Layout, wanted: Collection[str]) -> Iterator[Record]:
    return read_records(enumerate(_list(path, layout), 1), lambda element: _wanted(_element(element), wanted))


def _element(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError('is no object; an element is one object: {"question": "…"}')  # noqa: TRY004 - all of it is text that a user wrote
    return value


def _list_columns(path: Path, layout: Layout) -> tuple[str, ...]:
    objects = [fields for fields in _list(path, layout) if isinstance(fields, dict)]
    names = tuple(dict.fromkeys(name for fields in objects for name in fields))
    if not names:
        raise RequestError(f"{str(path)!r} has no objects with fields, so it has no columns")
    return names


def _list(path: Path, layout: Layout) -> list[Any]:
    size = path.stat().st_size
    if size > LARGEST:
        raise RequestError(
            f"{str(path)!r} has {size:,} bytes, more than {LARGEST:,}: write one object on each line (.jsonl)"
        )
    with open_text(path, layout.encoding, newline="\n") as file:
        text = file.read()
    try:
        value = read_json(text)
    except (ValueError, RecursionError) as error:
        is_lines = isinstance(error, json.JSONDecodeError) and error.msg == "Extra data"
        remedy = '; with one object on each line, set dataset.format = "jsonl"' if is_lines else ""
        raise RequestError(f"{str(path)!r} {explained(error)}{remedy}") from None
    if not isinstance(value, list):
        keys = ", ".join(map(repr, list(value)[:8])) if isinstance(value, dict) else ""
        said = f"one object with the keys {keys}" if keys else "no list"
        raise RequestError(
            f"{str(path)!r} is {said}; write the list of objects alone, or one object on each line (.jsonl)"
        )
    return value


JSON_FILE = Reader(_list_columns, _list_records)
"""The lines of its records are their places in the list, from 1."""
