"""The one database behind journal and ledger: a SQLite file by default, PostgreSQL by URL.

``databases.py`` opens each, ``store_errors.py`` classifies their errors. This module has what the ledger needs: a
statement, a query, a transaction, and the only clock that all workers share.
"""

import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from sqlalchemy import URL, Connection, Executable, Float, Row, Table, literal_column, make_url
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import ArgumentError

from ledger.database_faults import classify
from ledger.databases import PostgresServer, SqliteFile
from ledger.store_errors import StoreAddressError, StoreRefusedError
from runtime import compression
from runtime.compression import packed

__all__ = ["Store", "Values", "packed", "packed_json", "unpacked", "unpacked_json"]

Values = Mapping[str, Any]
"""The placeholder of the names in a statement."""

T = TypeVar("T")

_NOTHING: Values = {}
_POSTGRESQL = ("postgres", "postgresql", "postgresql+asyncpg")
_SQLITE = ("sqlite",)
_HIGHEST_PORT = 65_535


class Store:
    """A database, open.

    Args:
        url: ``sqlite:///relative.db``, ``sqlite:////absolute.db`` or ``postgresql://user:password@host/name``.
        read_only: open what is there, change nothing and make nothing.

    Raises:
        StoreAddressError: the URL cannot be read, names another kind of database, or no file.
    """

    def __init__(self, url: str, *, read_only: bool = False) -> None:
        parsed = _parsed(url)
        self.dialect = parsed.get_backend_name()
        self.shown = parsed.render_as_string(hide_password=True)
        """The address without its password, for people."""
        self._engine = _KINDS[self.dialect](parsed, read_only=read_only)
        self._is_closed = False
        self.clock = self._engine.clock
        """SQL for seconds since 1970 by the database's clock."""
        self.now = literal_column(self.clock, Float(53))
        """Seconds since 1970 by the database's clock."""

    def insert(self, table: Table) -> sqlite.Insert | postgresql.Insert:
        """Return an insert that supports ``on_conflict``."""
        return sqlite.insert(table) if self.dialect == "sqlite" else postgresql.insert(table)

    def replacement(self, table: Table) -> sqlite.Insert | postgresql.Insert:
        """Return an insert that replaces a row of the same key; columns filled in by the database stay."""
        line = self.insert(table)
        columns = {c.name: c for c in line.excluded if table.c[c.name].server_default is None}
        return line.on_conflict_do_update(index_elements=list(table.primary_key), set_=columns)

    async def change(self, statement: Executable, values: Values = _NOTHING) -> int:
        """Run one statement with ``values`` in its own transaction; return the number of changed rows."""
        return await self.transaction(lambda c: c.execute(statement, values).rowcount, is_lone=True)

    async def rows(self, statement: Executable, values: Values = _NOTHING) -> Sequence[Row[Any]]:
        """Run one query with ``values`` and return all its rows."""
        return await self.transaction(lambda c: c.execute(statement, values).all(), is_lone=True)

    async def transaction(self, work: Callable[[Connection], T], *, is_lone: bool = False) -> T:
        """Run ``work`` on a connection, all or nothing; ``is_lone`` work has one change and needs no transaction.

        It must not wait for anything but the database.

        Raises:
            StoreError: see ``store_errors``.
        """
        self._require_open()
        with classify():
            return await self._engine.run(work, is_lone=is_lone)

    def at_once(self, work: Callable[[Connection], T]) -> T | None:
        """Run brief ``work`` before this returns; ``None`` if it would wait for others, and then nothing was done.

        Its errors are those of ``transaction``.
        """
        self._require_open()
        with classify():
            return self._engine.at_once(work)

    def _require_open(self) -> None:
        if self._is_closed:  # a payment that ends later would open a connection that is never closed
            raise StoreRefusedError("the ledger is closed, because its process ends; start a worker again")

    async def close(self) -> None:
        """Close every connection, once. The store is of no use afterwards."""
        if not self._is_closed:
            self._is_closed = True
            await self._engine.close()


def unpacked(blob: bytes) -> bytes:
    """Return the JSON text of ``packed`` bytes.

    Raises:
        StoreRefusedError: the bytes are damaged.
    """
    content = compression.unpacked(blob)
    if content is None:
        raise StoreRefusedError("a stored blob is damaged; restore the database from a backup")
    return content


def packed_json(value: Any) -> bytes:
    """Return ``value`` as ``packed`` JSON."""
    return packed(json.dumps(value, separators=(",", ":")).encode("ascii"))


def unpacked_json(blob: bytes) -> Any:
    """Return the value of ``packed`` JSON; raise what ``unpacked`` raises."""
    return json.loads(unpacked(blob))


def _parsed(url: str) -> URL:
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        # Neither the URL nor the cause is shown: an unreadable URL may still contain a password.
        raise StoreAddressError(
            "the ledger's URL cannot be read; write sqlite:////path/to/ledger.db or postgresql://user@host/name"
        ) from None
    if parsed.port is not None and not 0 < parsed.port <= _HIGHEST_PORT:
        raise StoreAddressError(f"the ledger's URL names the port {parsed.port}; use one from 1 to {_HIGHEST_PORT}")
    if parsed.drivername not in _POSTGRESQL + _SQLITE:
        raise StoreAddressError(f"the ledger's URL begins with {parsed.drivername!r}; use 'sqlite' or 'postgresql'")
    unknown = sorted(set(parsed.query) - _postgres_options()) if parsed.drivername in _POSTGRESQL else []
    if unknown:
        raise StoreAddressError(f"the ledger's URL has the option {unknown[0]!r}; for TLS write ?ssl=require")
    if parsed.database in {None, "", ":memory:"}:
        raise StoreAddressError("the ledger's URL names no database; paid answers must outlive the process")
    return parsed.set(drivername="postgresql+asyncpg" if parsed.drivername in _POSTGRESQL else "sqlite")


def _postgres_options() -> frozenset[str]:
    """Return the names of the parameters that a PostgreSQL URL may have."""
    import asyncpg  # noqa: PLC0415 - a ledger in a file has no use for it

    return frozenset(inspect.signature(asyncpg.connect).parameters)


_KINDS: dict[str, type[SqliteFile] | type[PostgresServer]] = {"sqlite": SqliteFile, "postgresql": PostgresServer}
