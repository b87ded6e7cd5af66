"""A connection to the ledger for reading."""

from types import TracebackType
from typing import Self

from sqlalchemy import column, select, table

from ledger.store import Store

_REVISION = table("alembic_version", column("version_num"))


class LedgerConnection:
    """The ledger behind ``url``, open for reading.

    Raises:
        StoreAddressError: there is no ledger at the URL.
        StoreError: from every method, when the database cannot be read or is of an earlier version.
    """

    def __init__(self, url: str) -> None:
        self._store = Store(url, read_only=True)

    async def revision(self) -> str:
        """Return the schema revision of the database; empty without one."""
        rows = await self._store.rows(select(_REVISION))
        return ", ".join(sorted(row.version_num for row in rows))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._store.close()
