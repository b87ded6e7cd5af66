import asyncio
import signal
import sqlite3
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from sqlalchemy import select, text
from structlog.testing import capture_logs

from ledger.journal import Journal
from ledger.leases import LeaseTerms
from ledger.migrations.upgrade import upgrade
from ledger.store import Store
from ledger.tables import CALLS, JOURNAL
from protocols.model_call import Answered
from tests.fakes.payments import Payments, Waiting, answer, identity
from tests.fakes.postgres import PrivatePostgres

pytestmark = pytest.mark.long

BRISK = LeaseTerms(lease=0.4, beat=0.1, confirm=0.5, poll_first=0.01, poll_most=0.05)
CALL = identity()


@pytest.fixture
async def hasty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Store]:
    """A SQLite store that waits for a lock only a moment, so that a short lock is a busy store."""
    monkeypatch.setattr("ledger.databases._PATIENTLY", ("PRAGMA busy_timeout=50",))
    opened = Store(f"sqlite:///{tmp_path / 'hasty.db'}")
    await upgrade(opened)
    yield opened
    await opened.close()


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Another program holds the SQLite file for writing."""
    with closing(sqlite3.connect(path, isolation_level=None)) as holder:
        holder.execute("begin immediate")
        yield
        holder.execute("rollback")


async def calls(store: Store) -> int:
    """How many lines the ledger has."""
    return len(await store.rows(select(CALLS.c.key)))


async def started(url: str, payments: Path, seconds: float) -> asyncio.subprocess.Process:
    """A process that asks for the call."""
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.fakes.paying_process", url, str(payments), str(seconds)),
        stdout=asyncio.subprocess.PIPE,
        cwd=Path.cwd(),
    )


async def paid(payments: Path, count: int) -> list[str]:
    """Wait until ``count`` payments have started, and who began them."""
    while len(begun := _lines(payments)) < count:  # noqa: ASYNC110 - other processes write it
        await asyncio.sleep(0.02)
    return begun


async def said(process: asyncio.subprocess.Process) -> str:
    """What a process got in the end; its log is before that."""
    out, _ = await process.communicate()
    return out.decode().splitlines()[-1]


async def test_a_paid_answer_waits_for_a_locked_database(hasty: Store, tmp_path: Path) -> None:
    """While the database is locked the answer waits, with a warning; then there is exactly one row of each."""
    payments = Payments()
    caller = asyncio.create_task(Journal(hasty, BRISK).once(CALL, payments))
    await payments.running.wait()
    with locked(tmp_path / "hasty.db"), capture_logs() as logs:
        payments.finish()
        while "answer_waits_for_store" not in {entry["event"] for entry in logs}:  # noqa: ASYNC110 - a log sets no event
            await asyncio.sleep(0.02)
        waited = not caller.done()
    assert (waited, await caller, await calls(hasty)) == (True, answer(), 1)


async def test_a_call_waits_for_a_locked_database_before_it_is_paid(hasty: Store, tmp_path: Path) -> None:
    """Nothing is paid that could not be kept: without a lease there is no payment."""
    payments = Payments(quick=True)
    with locked(tmp_path / "hasty.db"):
        caller = asyncio.create_task(Journal(hasty, BRISK).once(CALL, payments))
        await asyncio.sleep(0.5)
        begun = payments.begun
    assert (begun, await caller, payments.begun) == (0, answer(), 1)


async def test_a_caller_is_given_the_reason_why_the_store_cannot_be_used(hasty: Store, tmp_path: Path) -> None:
    """It gets it before a payment and after it, and an empty one when the store can be used again."""
    payments, caller = Payments(), Waiting()
    with locked(tmp_path / "hasty.db"):
        call = asyncio.create_task(Journal(hasty, BRISK).once(CALL, payments, caller=caller))
        while not caller.reasons:  # noqa: ASYNC110 - a reason sets no event
            await asyncio.sleep(0.02)
    await payments.running.wait()
    with locked(tmp_path / "hasty.db"):
        payments.finish()
        while len(caller.reasons) < len(["busy", "", "busy"]):  # noqa: ASYNC110 - the same
            await asyncio.sleep(0.02)
    assert await call == answer()
    before, between, after = caller.reasons
    assert (before[0], between, after[1]) == (after[0], ("", False), not before[1])
    assert "locked" in before[0]


async def test_an_owner_that_could_not_beat_is_not_taken_for_dead(hasty: Store, tmp_path: Path) -> None:
    """A lock that keeps the owner from beating keeps everyone from judging it."""
    payments, again = Payments(), Payments(answer("paid twice"), quick=True)
    first = asyncio.create_task(Journal(hasty, BRISK).once(CALL, payments))
    await payments.running.wait()
    second = asyncio.create_task(Journal(hasty, BRISK).once(CALL, again))
    with locked(tmp_path / "hasty.db"):
        await asyncio.sleep(3 * BRISK.lease)
    await asyncio.sleep(3 * BRISK.lease)
    payments.finish()
    assert [await first, await second] == [answer(), answer()]
    assert again.begun == 0


async def test_a_database_that_was_away_for_seconds_loses_nothing(tmp_path: Path) -> None:
    """With the patience of a real store a lock of seconds is waited out without a word."""
    store = Store(f"sqlite:///{tmp_path / 'books.db'}")
    await upgrade(store)
    payments = Payments()
    caller = asyncio.create_task(Journal(store).once(CALL, payments))
    await payments.running.wait()
    with locked(tmp_path / "books.db"), capture_logs() as logs:
        payments.finish()
        await asyncio.sleep(3)
    assert (await caller, await calls(store), logs) == (answer(), 1, [])
    await store.close()


async def test_a_full_database_keeps_the_answer_waiting(hasty: Store) -> None:
    """Without room the answer waits; when there is room again it is kept."""
    payments = Payments(answer("words " * 3 + "".join(map(chr, range(0x4E00, 0x9000)))))
    caller = asyncio.create_task(Journal(hasty, BRISK).once(CALL, payments))
    await payments.running.wait()
    (pages,) = (await hasty.rows(text("pragma page_count")))[0]
    await hasty.rows(text(f"pragma max_page_count = {pages}"))
    with capture_logs() as logs:
        payments.finish()
        await asyncio.sleep(0.3)
    await hasty.rows(text("pragma max_page_count = 1000000"))
    assert (await caller).text.startswith("words")
    assert "no space" in str([entry["reason"] for entry in logs if entry["event"] == "answer_waits_for_store"])


async def test_an_answer_that_can_never_be_stored_is_still_returned(sqlite_store: Store) -> None:
    """When the database refuses for good, the caller gets what was paid for, with an error in the log."""
    await sqlite_store.change(text("drop table calls"))
    with capture_logs() as logs:
        assert await Journal(sqlite_store, BRISK).once(CALL, Payments(quick=True)) == answer()
    assert [(entry["event"], entry["log_level"]) for entry in logs] == [("answer_not_stored", "error")]
    assert await sqlite_store.rows(select(JOURNAL.c.key)) == []


async def test_a_lease_that_cannot_be_given_back_dies_by_itself(hasty: Store, tmp_path: Path) -> None:
    """A failed payment is reported even when its lease stays; the next attempt takes that over."""
    journal, holding = Journal(hasty, BRISK), asyncio.Event()

    async def fail_while_locked() -> Answered:
        await holding.wait()
        raise ConnectionResetError

    caller = asyncio.create_task(journal.once(CALL, fail_while_locked))
    await asyncio.sleep(0.2)
    with locked(tmp_path / "hasty.db"), capture_logs() as logs:
        holding.set()
        with pytest.raises(ConnectionResetError):
            await caller
    assert "lease_left_behind" in {entry["event"] for entry in logs}
    assert await journal.once(CALL, Payments(quick=True)) == answer()


async def test_an_answer_waits_for_a_database_that_is_being_restored(postgres: PrivatePostgres) -> None:
    """While it has another name its server refuses every login; what was paid meanwhile is kept, and paid once."""
    url = await postgres.database()
    name = url.split("/")[3].partition("?")[0]
    store = Store(url)
    await upgrade(store)
    journal, payments = Journal(store, BRISK), Payments()
    waiting = asyncio.create_task(journal.once(CALL, payments))
    await payments.running.wait()
    await postgres.rename(name, "away")
    with capture_logs() as logs:
        payments.finish()
        while not any(line["event"] == "answer_waits_for_store" for line in logs):  # noqa: ASYNC110 - a log sets no event
            await asyncio.sleep(0.05)
        await postgres.rename("away", name)
        assert await waiting == answer()
    assert await journal.once(CALL, payments) == answer()
    assert payments.begun == 1
    await store.close()


async def test_an_answer_waits_for_a_server_that_crashed(postgres: PrivatePostgres) -> None:
    """A PostgreSQL that goes down while a call is paid gets the answer when it is up again."""
    store = Store(await postgres.database())
    await upgrade(store)
    payments = Payments()
    caller = asyncio.create_task(Journal(store, BRISK).once(CALL, payments))
    await payments.running.wait()
    postgres.halt()
    try:
        payments.finish()
        await asyncio.sleep(0.5)
        waited = not caller.done()
    finally:
        postgres.start()
    assert (waited, await caller, await calls(store)) == (True, answer(), 1)
    await store.close()


async def test_of_two_processes_one_pays(store: Store, url: str, tmp_path: Path) -> None:
    """Two processes that ask for the same call pay once and print the same answer."""
    racers = [await started(url, tmp_path / "paid", 0.5) for _ in range(2)]
    texts = {await said(racer) for racer in racers}
    (payer,) = await paid(tmp_path / "paid", 1)
    assert (texts, await calls(store)) == ({f"paid by {payer}"}, 1)


async def test_a_killed_payer_is_replaced_and_counted_once(store: Store, url: str, tmp_path: Path) -> None:
    """When who pays is killed by force, another process pays once more, and the ledger has one line."""
    first = await started(url, tmp_path / "paid", 600)
    await paid(tmp_path / "paid", 1)
    waiting = [await started(url, tmp_path / "paid", 0.1) for _ in range(2)]
    first.send_signal(signal.SIGKILL)
    await first.communicate()
    texts = {await said(process) for process in waiting}
    _, payer = await paid(tmp_path / "paid", 2)
    assert (texts, await calls(store)) == ({f"paid by {payer}"}, 1)


async def test_a_frozen_payer_that_wakes_in_time_is_not_replaced(sqlite_store: Store, tmp_path: Path) -> None:
    """SIGSTOP for less than the lease: no one else pays."""
    url = sqlite_store.shown
    first = await started(url, tmp_path / "paid", 3)
    await paid(tmp_path / "paid", 1)
    second = await started(url, tmp_path / "paid", 0)
    first.send_signal(signal.SIGSTOP)
    await asyncio.sleep(2.5)
    first.send_signal(signal.SIGCONT)
    texts = {await said(process) for process in (first, second)}
    assert (len(texts), len(await paid(tmp_path / "paid", 1)), await calls(sqlite_store)) == (1, 1, 1)


def _lines(path: Path) -> list[str]:
    return path.read_text().split() if path.exists() else []
