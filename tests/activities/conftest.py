"""A store for what needs no second database."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from ledger.migrations.upgrade import upgrade
from ledger.store import Store


@pytest.fixture
async def sqlite_store(tmp_path: Path) -> AsyncIterator[Store]:
    """An upgraded store in a SQLite file."""
    opened = Store(f"sqlite:///{tmp_path / 'lone.db'}")
    await upgrade(opened)
    yield opened
    await opened.close()


@pytest.fixture
async def sqlite_url(tmp_path: Path) -> str:
    """The address of an upgraded SQLite file, for several stores at once."""
    url = f"sqlite:///{tmp_path / 'several.db'}"
    store = Store(url)
    await upgrade(store)
    await store.close()
    return url
