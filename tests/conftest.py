"""The stores that books are tested on: a SQLite file, and PostgreSQL where its programs are."""

import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from activities.migrations.upgrade import upgrade
from activities.store import Store
from tests.fakes.postgres import PostgresAbsentError, PrivatePostgres

os.environ["PARLEY_CHECK_MODELS"] = "false"  # no test asks a provider beyond this machine


@pytest.fixture(scope="session")
def postgres() -> Iterator[PrivatePostgres]:
    """A running PostgreSQL server of our own."""
    try:
        server = PrivatePostgres()
    except PostgresAbsentError as absent:
        pytest.skip(str(absent))
    server.start()
    yield server
    server.stop()


@pytest.fixture(params=["sqlite", "postgresql"])
async def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty database, once per kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'books.db'}"
    server: PrivatePostgres = request.getfixturevalue("postgres")
    return await server.database()


@pytest.fixture
async def store(url: str) -> AsyncIterator[Store]:
    """An upgraded store."""
    opened = Store(url)
    await upgrade(opened)
    yield opened
    await opened.close()
