"""The exported tables: their columns, in the order of the files, with types and meanings."""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, get_args

from protocols.text_files import read_toml

TableName = Literal["deliberations", "results", "calls", "transcripts", "pairs", "scores", "sources"]
Scalar = Literal["text", "integer", "number", "boolean", "time", "json"]
ColumnType = Scalar | Literal["texts", "numbers", "counts", "flags", "words", "messages", "turns"]
MAPS: frozenset[ColumnType] = frozenset({"numbers", "counts", "flags", "words"})
"""Types of columns whose values are objects by name."""


class Column(NamedTuple):
    """A column of a table."""

    name: str
    type: ColumnType
    meaning: str
    unit: str = ""
    null: str = ""
    """When there is no value; blank where there always is one."""


class TableColumns(NamedTuple):
    """A table, which has one row for each thing of one kind."""

    name: TableName
    noun: str
    """What a row is."""
    meaning: str
    columns: tuple[Column, ...]


def _tables() -> dict[TableName, TableColumns]:
    read: Mapping[str, Any] = read_toml(__package__, "columns.toml")
    place = tuple(Column(**one) for one in read["place"]["columns"])
    found: dict[TableName, TableColumns] = {}
    for name in get_args(TableName):
        table = read[name]
        before = found[table["like"]].columns if "like" in table else place
        own = tuple(Column(**one) for one in table["columns"])
        found[name] = TableColumns(name, name.removesuffix("s"), table["meaning"], (*before, *own))
    return found


TABLES: Mapping[TableName, TableColumns] = _tables()
"""By name, in the order of the documentation."""
