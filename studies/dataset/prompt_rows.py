"""The rows of files with prompts: CSV with a heading, JSON, JSON lines, YAML and plain text, one row after the other.

A row that cannot be read is one all the same and says why, so that a file is refused with all its bad lines at once.
In JSON and YAML the rows are a list, or below one of a few keys under which other tools keep it (``LISTS``).
"""

import io
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import yaml

from protocols.constraints import quoted
from studies.dataset.csv_lines import table
from studies.dataset.json_files import read_json, read_object
from studies.dataset.records import explained

LISTS = ("tests", "results", "jailbreaks", "data", "prompts")
"""Where promptfoo, JailbreakBench and others keep the list, in this order."""

TEXT = "text"
"""The field of a row that is one line of plain text, or one text of a list."""

_SHOWN = 10
_NOT_STORABLE = re.compile("[\0\ud800-\udfff]")


class Row(NamedTuple):
    """One row: where it begins, its fields by column, or why it cannot be read."""

    line: int
    fields: dict[str, Any]
    why: str = ""
    unit: str = "line"
    """What ``line`` counts: lines of the file, or the items of its list."""


def csv_rows(text: str) -> Iterator[Row]:
    """Yield the rows below the heading; blank lines are none."""
    if text.strip():
        heading, rows = table(io.StringIO(text, newline=""), "")
        for line, values, why in rows:
            yield Row(line, dict.fromkeys(heading) if why else dict(zip(heading, values, strict=True)), why)


def json_rows(text: str) -> Iterator[Row]:
    """Yield the objects of a list.

    Raises:
        ValueError: it is no JSON or no list; says where.
    """
    read_json(text)
    if not text.lstrip().startswith("["):
        raise ValueError("it is no list of objects")
    decoder = json.JSONDecoder()
    line, end, at = 1, 0, _next(text, text.index("[") + 1)
    while text[at] != "]":
        line += text.count("\n", end, at)
        value, end = decoder.raw_decode(text, at)
        yield _object_row(line, value)
        line += text.count("\n", at, end)
        at = _next(text, end)


def json_line_rows(text: str) -> Iterator[Row]:
    """Yield the object on every line that is not blank."""
    for line, written in enumerate(text.split("\n"), 1):
        if not written.strip():
            continue
        try:
            fields = read_object(written.strip().encode())
        except (ValueError, RecursionError) as error:
            yield Row(line, {}, explained(error))
        else:
            yield _object_row(line, fields)


def yaml_rows(text: str) -> Iterator[Row]:
    """Yield the rows of a YAML document.

    Raises:
        ValueError: it is no YAML, or has no list of rows.
    """
    try:
        document = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError(" ".join(str(error).split())) from None
    yield from _rows_in(document)


def text_rows(text: str) -> Iterator[Row]:
    """Yield every line that is not blank."""
    for line, written in enumerate(text.split("\n"), 1):
        if written.strip():
            yield Row(line, {TEXT: written.removesuffix("\r")})


def why_no_text(value: object) -> str | None:
    """Return why ``value`` cannot be judged as a text; ``None`` when it can."""
    if not isinstance(value, str):
        return "is missing" if value is None else "is no text"
    if not value.strip():
        return "is blank"
    return "holds characters that cannot be stored" if _NOT_STORABLE.search(value) else None


def refusal(path: str, bad: Sequence[str], *remedy: str) -> str:
    """Return the message about a file with ``bad`` rows: the first of them, the number of others, and the remedy."""
    more = [f"  and {len(bad) - _SHOWN} more"] if len(bad) > _SHOWN else []
    shown = [f"  {line}" for line in bad[:_SHOWN]]
    return "\n".join([f"{path!r} has rows that cannot be used:", *shown, *more, *remedy])


Reader = Callable[[str], Iterator[Row]]

READERS: Mapping[str, Reader] = {
    "jsonl": json_line_rows,
    "json": lambda text: _rows_in(read_json(text)),
    "csv": csv_rows,
    "yaml": yaml_rows,
    "txt": text_rows,
}
"""By format."""

SUFFIXES: Mapping[str, str] = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".csv": "csv",
    ".yaml": "yaml",
    ".yml": "yaml",
    ".txt": "txt",
}
"""The format of a file, by the end of its name."""


def _object_row(line: int, value: Any, unit: str = "line") -> Row:
    is_row = isinstance(value, dict) and value
    return Row(line, value, unit=unit) if is_row else Row(line, {}, "is no object with fields", unit)


def _items(found: list[Any]) -> Iterator[Row]:
    for number, value in enumerate(found, 1):
        yield _object_row(number, {TEXT: value} if isinstance(value, str) else value, "item")


def _rows_in(document: Any) -> Iterator[Row]:
    """Yield the rows of a list, of that below the first known key, or the texts of lists by name (HarmBench)."""
    if isinstance(document, list):
        yield from _items(document)
        return
    if not isinstance(document, dict):
        raise ValueError("it has no list of prompts")  # noqa: TRY004 - all of it is text that a user wrote
    found = next((document[key] for key in LISTS if key in document), None)
    if isinstance(found, dict | list):
        yield from _rows_in(found)
    elif found is not None:
        raise ValueError(f"its list of prompts is {quoted(found)}; name the file that holds the list")
    elif document and all(isinstance(value, list) for value in document.values()):
        yield from _named(document)
    else:
        raise ValueError(f"it has no list of prompts; one is looked for below: {', '.join(LISTS)}")


def _named(document: dict[str, list[Any]]) -> Iterator[Row]:
    texts = [(name, text) for name, value in document.items() for text in value]
    for number, (name, text) in enumerate(texts, 1):
        why = "" if isinstance(text, str) else "is no text"
        yield Row(number, {"id": str(name), TEXT: text}, why, "item")


def _next(text: str, at: int) -> int:
    """Return the position of the next value or of the end of the list."""
    while text[at] in " \t\r\n,":
        at += 1
    return at
