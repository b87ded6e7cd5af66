"""A clean environment, and one real server, for the tests of the command line."""

from pathlib import Path

import pytest

from ledger.migrations.upgrade import upgrade
from ledger.store import Store
from tests.fakes.server import RunningServer


@pytest.fixture(autouse=True)
def bare_environment(clean_environment: None) -> None:
    """Nothing of the machine reaches a test, and nothing that a test sets stays."""


@pytest.fixture
def server(real_parley_server: RunningServer) -> RunningServer:
    """The real server that these tests share."""
    return real_parley_server


@pytest.fixture
def url(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """Where the settings look for the ledger."""
    address = f"sqlite:///{tmp_path / 'books.db'}"
    monkeypatch.setenv("PARLEY_DATABASE_URL", address)
    return address


@pytest.fixture
async def empty(url: str) -> str:
    """A ledger in which nothing is."""
    store = Store(url)
    await upgrade(store)
    await store.close()
    return url
