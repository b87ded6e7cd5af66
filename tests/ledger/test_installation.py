"""The identity of an installation lives in its ledger."""

from pathlib import Path
from uuid import UUID

import pytest

from ledger.connection import installation_id
from ledger.migrations.upgrade import upgrade
from ledger.store import Store
from ledger.store_errors import StoreError


async def test_an_identity_is_made_once_with_the_ledger(store: Store) -> None:
    """The migration makes a random id, and a later upgrade leaves it as it is."""
    before = await installation_id(store)
    await upgrade(store)

    assert before == await installation_id(store) == str(UUID(before))


async def test_two_ledgers_are_two_installations(tmp_path: Path) -> None:
    """Each ledger has an id of its own."""
    found = []
    for name in ("a.db", "b.db"):
        store = Store(f"sqlite:///{tmp_path / name}")
        await upgrade(store)
        found.append(await installation_id(store))
        await store.close()

    assert 2 == len(set(found))


async def test_a_ledger_without_tables_has_no_identity_yet(tmp_path: Path) -> None:
    """Before a worker has created the tables, reading the id is refused."""
    store = Store(f"sqlite:///{tmp_path / 'new.db'}")

    with pytest.raises(StoreError):
        await installation_id(store)
    await store.close()
