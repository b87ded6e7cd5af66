"""Brief transactions: SQLite does them at once, and leaves to its thread whatever waits."""

import asyncio
import random
import sqlite3
import threading
from pathlib import Path

import pytest
from sqlalchemy import Connection, func, select

from ledger.databases import file_of
from ledger.leases import Leases
from ledger.store import Store
from ledger.store_errors import StoreRefusedError
from ledger.tables import JOURNAL
from tests.fakes.payments import identity

_ROWS = select(func.count()).select_from(JOURNAL)
_PAGES = 1_000
"""Pages after which SQLite moves what was committed into its file."""


def thread_of(_: Connection) -> str:
    """Return the name of the thread in which it is called."""
    return threading.current_thread().name


def size_of(file: Path) -> int:
    """Return the bytes of ``file``."""
    return file.stat().st_size


@pytest.fixture
async def used(sqlite_store: Store) -> Store:
    """A store whose connection is open."""
    await sqlite_store.rows(_ROWS)
    return sqlite_store


def written(key: str) -> dict[str, object]:
    """A row of the journal."""
    return {"key": key, "workflow_id": "w", "call_id": "c", "owner": "o", "beat": 0.0}


async def test_a_brief_transaction_is_done_in_the_thread_of_its_caller(used: Store) -> None:
    """It needs no other thread where nothing else uses the file; any other transaction is done in the file's thread."""
    here = threading.current_thread().name
    assert used.at_once(thread_of) == here
    assert await used.transaction(thread_of) != here


async def test_a_brief_transaction_comes_after_what_began_before_it(used: Store) -> None:
    """While the file's thread works the connection is its own: nothing is done beside it, and the caller learns so."""
    begun, go_on = threading.Event(), threading.Event()

    def long(_: Connection) -> None:
        begun.set()
        go_on.wait(10)

    first = asyncio.create_task(used.transaction(long))
    await asyncio.to_thread(begun.wait, 10)
    second = used.at_once(thread_of)
    cancelled = asyncio.create_task(used.transaction(thread_of))
    await asyncio.sleep(0)
    cancelled.cancel()
    await asyncio.sleep(0)
    third = used.at_once(thread_of)
    claim = asyncio.create_task(Leases(used).claim(identity("opinion-p1"), "owner"))
    for _ in range(20):
        await asyncio.sleep(0)
    assert (second, third, claim.done()) == (None, None, False)
    go_on.set()
    await first

    assert await claim is None
    assert used.at_once(thread_of) == threading.current_thread().name


async def test_a_brief_transaction_waits_for_another_process_without_the_event_loop(
    used: Store, tmp_path: Path, sqlite_url: str
) -> None:
    """Another process that writes holds up the payment that needs the file, and nothing else of the worker."""
    other = sqlite3.connect(sqlite_url.removeprefix("sqlite:///"), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    claim = asyncio.create_task(Leases(used).claim(identity("opinion-p1"), "owner"))
    for _ in range(20):
        await asyncio.sleep(0.005)
    assert not claim.done()
    other.execute("COMMIT")
    other.close()

    assert await claim is None
    assert (await used.rows(_ROWS))[0][0] == 1


async def test_a_brief_transaction_at_fault_leaves_nothing_and_is_not_tried_again(used: Store) -> None:
    """An error that is no lock is the caller's; the thread does not repeat what was refused."""
    tries: list[str] = []

    def broken(connection: Connection) -> None:
        tries.append(thread_of(connection))
        connection.execute(JOURNAL.insert().values(**written("half")))
        file_of(connection).execute("INSERT INTO nothing VALUES (1)")

    with pytest.raises(StoreRefusedError):
        used.at_once(broken)

    assert len(tries) == 1
    assert (await used.rows(_ROWS))[0][0] == 0


async def test_what_brief_transactions_wrote_is_moved_into_the_file_by_the_thread(used: Store, sqlite_url: str) -> None:
    """No brief commit moves what was written into the file, which flushes both; the next beat does."""
    file = Path(sqlite_url.removeprefix("sqlite:///"))
    leases, paid, unpaid = Leases(used), identity("opinion-p0"), identity("opinion-p1")
    for call in (paid, unpaid):
        assert await leases.claim(call, "owner") is None
    before = size_of(file)
    assert await leases.settle(paid, "owner", random.Random(0).randbytes(_PAGES * 8192), ()) is None
    assert size_of(file) == before
    await leases.beat({unpaid.key: "owner"})

    assert size_of(file) > before + _PAGES * 4096
