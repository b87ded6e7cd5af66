"""A connection to the ledger for reading, and the id of the installation that owns it.

The id is random and made by the first revision. Everything that writes to one ledger is one installation, on however
many machines: the journal in that ledger is what keeps two workers from paying for the same call. Workers compare this
id with the mark in the Temporal namespace.
"""

from typing import Self

from sqlalchemy import column, select, table

from ledger.store import Store
from ledger.tables import INSTALLATION

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

    async def __aexit__(self, *_error: object) -> None:
        await self._store.close()


async def installation_id(store: Store) -> str:
    """Return the id of the installation that owns an upgraded ledger."""
    (row,) = await store.rows(select(INSTALLATION.c.id))
    return str(row.id)
