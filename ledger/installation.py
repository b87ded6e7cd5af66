"""The identity of an installation: a random id in its ledger, made by the first revision.

Everything that writes to one ledger is one installation, on however many machines: the journal in that ledger is what
keeps two workers from paying for the same call. Workers compare this id with the mark in the Temporal namespace.
"""

from sqlalchemy import select

from ledger.store import Store
from ledger.tables import INSTALLATION


async def installation_id(store: Store) -> str:
    """Return the id of the installation that owns an upgraded ledger.

    Raises:
        StoreError: the ledger cannot be read or was not upgraded.
    """
    (row,) = await store.rows(select(INSTALLATION.c.id))
    return str(row.id)
