"""Inserts as prepared text, for the statements on the path of every call.

SQLAlchemy takes longer to run a statement than SQLite takes to execute it. Here the text is made once from the table.
On SQLite a group of rows is written row by row, because nothing travels. On PostgreSQL every statement is a journey, so
the rows of a table are arrays, and those of several tables are one statement.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import postgresql, sqlite

from ledger.databases import file_of
from ledger.store import Store, Values


class PreparedInsert:
    """An insert into ``table`` that reports the written rows.

    Args:
        store: The database.
        table: Its primary key is the one column ``key``.
        columns: The columns whose values are given.
        on_conflict: What happens to a row whose key is there already: the words behind ``ON CONFLICT``.
        computed: SQL for further columns.
    """

    def __init__(
        self,
        store: Store,
        table: Table,
        columns: Iterable[str],
        on_conflict: str,
        computed: Mapping[str, str] | None = None,
    ) -> None:
        given = [table.c[name] for name in columns]
        self._is_sqlite = store.dialect == "sqlite"
        dialect = sqlite.dialect() if self._is_sqlite else postgresql.dialect()  # type: ignore[no-untyped-call]  # SQLAlchemy's
        self._binds = [(c.name, c.type.dialect_impl(dialect).bind_processor(dialect)) for c in given]
        self._types = [c.type.compile(dialect) for c in given]
        extra = dict(computed or {})
        into = f"INSERT INTO {table.name} ({', '.join([*(c.name for c in given), *extra])})"
        self._end = f"ON CONFLICT {on_conflict}"
        self._insert = f"{into} SELECT {', '.join([*(f'given.{c.name}' for c in given), *extra.values()])}"
        self._text = f"{into} VALUES ({', '.join([*('?' for _ in given), *extra.values()])}) {self._end}"

    def run(self, connection: Connection, rows: Sequence[Values]) -> set[str]:
        """Insert ``rows`` of different keys and return the keys of the written ones."""
        if self._is_sqlite:
            file = file_of(connection)
            return {row["key"] for row in rows if file.execute(self._text, self._bound(row)).rowcount == 1}
        alone = JointStatement()
        return alone.run(connection, [self.join(alone, rows)]) if rows else set()

    def join(
        self, joint: "JointStatement", rows: Sequence[Values], among: "tuple[str, Sequence[str]] | None" = None
    ) -> str:
        """Add the insert of ``rows`` to ``joint``, and return the name of its part.

        Args:
            joint: A statement of PostgreSQL.
            rows: One at least, and of different keys where a conflict changes the row that is there.
            among: The name of another part, and a key for each row: it is inserted if that part has written this key.
        """
        columns = zip(*map(self._bound, rows), strict=True)
        arrays = [joint.array(kind, values) for kind, values in zip(self._types, columns, strict=True)]
        names = [name for name, _ in self._binds]
        if among is not None:
            arrays.append(joint.array("VARCHAR", among[1]))
            names.append("of")
        given = f"FROM unnest({', '.join(arrays)}) AS given ({', '.join(names)})"
        written = f"JOIN {among[0]} ON {among[0]}.key = given.of" if among else ""
        # In the order of their keys, so that two processes never wait for each other's rows.
        return joint.add(f"{self._insert} {given} {written} ORDER BY given.key {self._end} RETURNING key")

    def _bound(self, row: Values) -> list[Any]:
        return [row[name] if bind is None else bind(row[name]) for name, bind in self._binds]


class JointStatement:
    """Several changes that travel to PostgreSQL as one statement: all of them are made, or none.

    No two of them may change the same row: PostgreSQL would make one of these changes and leave out the other.
    """

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._values: list[Sequence[Any]] = []

    def array(self, kind: str, values: Sequence[Any]) -> str:
        """Add an array of values of the type ``kind``, and return its text."""
        self._values.append(list(values))
        return f"${len(self._values)}::{kind}[]"

    def add(self, text: str) -> str:
        """Add a change, and return the name of its part."""
        name = f"part{len(self._parts)}"
        self._parts.append(f"{name} AS ({text})")
        return name

    def run(self, connection: Connection, parts: Sequence[str]) -> set[str]:
        """Make all changes, and return the keys that ``parts`` have written."""
        keys = " UNION ALL ".join(f"TABLE {part}" for part in parts)
        return set(connection.exec_driver_sql(f"WITH {', '.join(self._parts)} {keys}", tuple(self._values)).scalars())


def prepared_replacement(store: Store, table: Table) -> PreparedInsert:
    """Return an insert that replaces a row of the same key; columns filled in by the database stay."""
    names = [column.name for column in table.c if column.server_default is None]
    assignments = ", ".join(f"{name} = excluded.{name}" for name in names)
    return PreparedInsert(store, table, names, f"(key) DO UPDATE SET {assignments}")
