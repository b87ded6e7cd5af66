"""Inserts as prepared text, for the statements on the path of every call.

SQLAlchemy takes longer to run a statement than SQLite takes to execute it. Here the text is made once from the table,
and a group of rows is one call: on SQLite row by row, because nothing travels, on PostgreSQL as one statement over
arrays, because every statement is a journey.
"""

from collections.abc import Iterable, Mapping, Sequence

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
        extra = dict(computed or {})
        names = ", ".join([*(c.name for c in given), *extra])
        into = f"INSERT INTO {table.name} ({names})"
        if self._is_sqlite:
            row = ", ".join([*("?" for _ in given), *extra.values()])
            self._text = f"{into} VALUES ({row}) ON CONFLICT {on_conflict}"
        else:
            rows = f"SELECT {', '.join([*(f'given.{c.name}' for c in given), *extra.values()])}"
            arrays = ", ".join(f"${n}::{c.type.compile(dialect)}[]" for n, c in enumerate(given, start=1))
            listed = f"FROM unnest({arrays}) AS given ({', '.join(c.name for c in given)})"
            self._text = f"{into} {rows} {listed} ON CONFLICT {on_conflict} RETURNING key"

    def run(self, connection: Connection, rows: Sequence[Values]) -> set[str]:
        """Insert ``rows`` of different keys and return the keys of the written ones."""
        if not rows:
            return set()
        bound = [[row[name] if bind is None else bind(row[name]) for name, bind in self._binds] for row in rows]
        if self._is_sqlite:
            file = file_of(connection)
            written = [file.execute(self._text, values).rowcount == 1 for values in bound]
            return {row["key"] for row, is_written in zip(rows, written, strict=True) if is_written}
        arrays = tuple(map(list, zip(*bound, strict=True)))
        return set(connection.exec_driver_sql(self._text, arrays).scalars())


def prepared_replacement(store: Store, table: Table) -> PreparedInsert:
    """Return an insert that replaces a row of the same key; columns filled in by the database stay."""
    names = [column.name for column in table.c if column.server_default is None]
    assignments = ", ".join(f"{name} = excluded.{name}" for name in names)
    return PreparedInsert(store, table, names, f"(key) DO UPDATE SET {assignments}")
