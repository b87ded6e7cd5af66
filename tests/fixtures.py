"""What tests of several folders share: stores of both kinds, a clean environment, one real server.

The process that distributes the tests runs none, and begins two seconds earlier without these imports.
"""

import itertools
import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from ledger.store import Store
from parley.client import Parley
from runtime.server_flags import command
from tests.fakes.ending import with_parent
from tests.fakes.passes import skip_idle_passes
from tests.fakes.postgres import PostgresAbsentError, PrivatePostgres
from tests.fakes.server import RunningServer, end_left_servers, real_server
from tests.fakes.upgraded import UpgradedLedgers
from workflows import search_attributes

_MOST_EXAMPLES = int(os.environ.get("EXAMPLES", "100"))
"""How many values a property is tried with; ``make test`` has fewer than ``make check``."""
settings.register_profile("parley", deadline=None, max_examples=_MOST_EXAMPLES)  # no test fails on a busy machine
settings.load_profile("parley")

_stopped: list[PrivatePostgres] = []
_directories = itertools.count()


def pytest_configure(config: pytest.Config) -> None:
    """Have the SDK leave out what it would do for nothing, and servers end with this process."""
    patch = pytest.MonkeyPatch()
    config.add_cleanup(patch.undo)
    skip_idle_passes(patch)
    patch.setattr("runtime.server_process.command", lambda *given: with_parent(command(*given)))


def pytest_sessionfinish() -> None:
    """Remove the databases of the tests, of which a hundred took the last test beyond its limit, and end servers."""
    for server in _stopped:
        server.remove()
    end_left_servers()


@pytest.fixture
def tmp_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty directory, without the search for a free number and the link with which pytest makes its own."""
    return tmp_path_factory.mktemp(str(next(_directories)), numbered=False)


@pytest.fixture(scope="session")
def postgres() -> Iterator[PrivatePostgres]:
    """A running PostgreSQL server of our own."""
    try:
        server = PrivatePostgres()
    except PostgresAbsentError as absent:
        pytest.skip(str(absent))
    server.start()
    yield server
    server.halt()
    _stopped.append(server)


@pytest.fixture(scope="session")
def upgraded(tmp_path_factory: pytest.TempPathFactory) -> UpgradedLedgers:
    """Copies of upgraded ledgers."""
    return UpgradedLedgers(tmp_path_factory.mktemp("ledger"))


@pytest.fixture(params=["sqlite", "postgresql"])
async def url(request: pytest.FixtureRequest, upgraded: UpgradedLedgers, tmp_path: Path) -> AsyncIterator[str]:
    """The address of a database, once per kind: empty, or upgraded where the test has a ``store`` in it."""
    is_upgraded = "store" in request.fixturenames
    if request.param == "sqlite":
        path = tmp_path / "books.db"
        yield await upgraded.file(path) if is_upgraded else f"sqlite:///{path}"
        return
    server: PrivatePostgres = request.getfixturevalue("postgres")
    address = await (upgraded.database(server) if is_upgraded else server.database())
    yield address
    await server.drop(address)


@pytest.fixture
async def store(url: str) -> AsyncIterator[Store]:
    """An upgraded store."""
    opened = Store(url)
    yield opened
    await opened.close()


@pytest.fixture
def clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No setting and no key of the machine reaches a test, nothing a test sets stays, and no provider is asked."""
    for name in [name for name in os.environ if name.startswith(("PARLEY_", "TEMPORAL_")) or name.endswith("_API_KEY")]:
        monkeypatch.delenv(name)
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PARLEY_CHECK_MODELS", "false")
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="session")
async def real_parley_server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[RunningServer]:
    """One real server for all tests of the command line, the API and the studies."""
    async with real_server(tmp_path_factory.mktemp("server"), search_attributes.ALL) as running:
        yield running


@pytest.fixture
async def parley(real_parley_server: RunningServer) -> Parley:
    """A connection to the real server."""
    return await Parley.connect(real_parley_server.settings, address=real_parley_server.address)


@pytest.fixture
async def sqlite_store(sqlite_url: str) -> AsyncIterator[Store]:
    """An upgraded store in a SQLite file."""
    opened = Store(sqlite_url)
    yield opened
    await opened.close()


@pytest.fixture
async def sqlite_url(upgraded: UpgradedLedgers, tmp_path: Path) -> str:
    """The address of an upgraded SQLite file, for several stores at once."""
    return await upgraded.file(tmp_path / "several.db")
