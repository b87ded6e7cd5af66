"""The data dictionary, ``docs/data.md``: ``python -m tests.studies.exports.dictionary`` writes it anew."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from studies.exports.columns import TABLES, Column, ColumnType, TableColumns
from studies.exports.files import schema_of

PATH = Path(__file__).parents[3] / "docs" / "data.md"

_TYPES: Mapping[ColumnType, str] = {
    "text": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "time": "moment in UTC",
    "texts": "list of texts",
    "json": "JSON",
    "numbers": "numbers by name",
    "counts": "whole numbers by name",
    "flags": "true or false by name",
    "words": "texts by name",
    "messages": "list of messages",
    "turns": "list of contributions",
}
_HEAD = """# Data dictionary

Every table that `parley export` and `parley.study(NAME)` give, with every column in the order of the files. How they
are written is in [operating.md](operating.md#export). This page is written by
`python -m tests.studies.exports.dictionary`.

In JSON lines a value with parts is a JSON value, in CSV its JSON text. An unknown value is `null` in JSON and Parquet
and an empty cell in CSV. In CSV a text that a spreadsheet would calculate, because it begins with `=`, `+`, `-` or `@`,
full-width ones too, a tab or a line break and is no number, has an apostrophe in front. No table has a key, an address
of a provider, or a header of a request.
"""


def dictionary() -> str:
    """Return the page."""
    types = "\n".join(f"| {_TYPES[name]} | `{arrow}` |" for name, arrow in _arrow_types().items())
    tables = "\n".join(_section(table) for table in TABLES.values())
    return f"{_HEAD}\n## Types\n\n| type | in Parquet and Arrow |\n|---|---|\n{types}\n\n{tables}"


def _arrow_types() -> dict[ColumnType, str]:
    found: dict[ColumnType, str] = {}
    for name in _TYPES:
        (field,) = schema_of([Column("entries", name, "")])
        found[name] = str(field.type).replace(" ('entries')", "")
    return found


def _section(table: TableColumns) -> str:
    return "\n".join((f"## `{table.name}`\n", table.meaning, "", *_lines(table), ""))


def _lines(table: TableColumns) -> Iterator[str]:
    yield "| column | type | unit | meaning | null when |"
    yield "|---|---|---|---|---|"
    for column in table.columns:
        cells = (f"`{column.name}`", _TYPES[column.type], column.unit, column.meaning, column.null)
        yield f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    PATH.write_text(dictionary(), "utf-8")
