"""Datasets in one JSON file: a list of objects, which is read as a whole."""

import json
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from parley.errors import RequestError
from studies.dataset.json_lines import as_text, explained, read_json
from studies.dataset.records import Layout, Reader, Record
from studies.dataset.text_files import open_text

LARGEST = 200_000_000
"""Bytes: the file is in memory as a whole."""


def _records(path: Path, layout: Layout, wanted: Collection[str]) -> Iterator[Record]:
    for number, fields in enumerate(_list(path, layout), 1):
        if isinstance(fields, dict):
            yield Record(number, number, {name: as_text(fields[name]) for name in wanted if name in fields})
        else:
            yield Record(number, number, {}, 'is no object; an element is one object: {"question": "…"}')


def _columns(path: Path, layout: Layout) -> tuple[str, ...]:
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


JSON_FILE = Reader(_columns, _records)
"""The lines of its records are their places in the list, from 1."""
