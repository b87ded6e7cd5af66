import asyncio
import os
import sqlite3
import stat
import sys
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Connection, select, text

from ledger import databases
from ledger.call_rows import call_row
from ledger.database_faults import classify
from ledger.group_commits import GroupCommits
from ledger.leases import Leases
from ledger.migrations.upgrade import upgrade
from ledger.store import Store, packed, unpacked
from ledger.store_errors import StoreAddressError, StoreBusyError, StoreFullError, StoreNoEntryError, StoreRefusedError
from ledger.tables import CALLS, storable
from tests.fakes.payments import answer, failure, identity
from tests.fakes.postgres import PrivatePostgres

KILLED = """
import asyncio, os, signal, sys
from sqlalchemy import text
from ledger.store import Store
async def main():
    store = Store(f"sqlite:///{sys.argv[1]}")
    await store.change(text("create table t (n integer)"))
    await store.change(text("insert into t values (7)"))
    os.kill(os.getpid(), signal.SIGKILL)
asyncio.run(main())
"""


def test_a_new_ledger_is_for_its_owner_alone(tmp_path: Path) -> None:
    """The file and its folder are made, readable by no one else."""
    Store(f"sqlite:///{tmp_path / 'deep' / 'books.db'}")
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "deep", tmp_path / "deep" / "books.db")]
    assert modes == [0o700, 0o600]


async def test_files_beside_the_ledger_are_private_too(sqlite_store: Store, tmp_path: Path) -> None:
    """The write-ahead log and its index take the mode of the file."""
    await sqlite_store.change(text("delete from journal"))
    beside = [tmp_path / name for name in ("several.db", "several.db-wal", "several.db-shm")]
    assert [stat.S_IMODE(path.stat().st_mode) for path in beside] == [0o600] * 3


_CLIENT = """
import sqlite3, sys
ledger = sqlite3.connect(sys.argv[1])
ledger.execute("delete from journal")
ledger.commit()
print(ledger.execute("select count(*) from noted").fetchone()[0])
ledger.close()
"""


async def test_a_second_store_of_a_process_leaves_the_locks_of_the_first(sqlite_store: Store, tmp_path: Path) -> None:
    """What is written after another process has closed the ledger is found there by the next one."""

    async def client() -> str:
        arguments = ("-c", _CLIENT, str(tmp_path / "several.db"))
        process = await asyncio.create_subprocess_exec(sys.executable, *arguments, stdout=asyncio.subprocess.PIPE)
        return (await process.communicate())[0].decode().strip()

    await sqlite_store.change(text("create table noted (n integer)"))
    second = Store(f"sqlite:///{tmp_path / 'several.db'}")
    await second.change(text("insert into noted values (1)"))
    await second.close()

    assert await client() == "1"
    await sqlite_store.change(text("insert into noted values (2)"))
    assert await client() == "2"


def test_a_ledger_that_is_a_directory_is_refused(tmp_path: Path) -> None:
    """The message names the place, before any statement is run."""
    with pytest.raises(StoreAddressError, match=f"the ledger '{tmp_path}' is not a file that can be read and written"):
        Store(f"sqlite:///{tmp_path}")


async def test_what_runs_ends_before_a_store_is_closed(url: str) -> None:
    """A statement that is on its way when the store is closed has its result, and leaves no connection open."""
    store = Store(url)
    is_file = url.startswith("sqlite")
    slow = "with recursive n(x) as (select 1 union all select x + 1 from n where x < 99999) select count(*) from n"
    on_its_way = asyncio.create_task(store.rows(text(slow if is_file else "select count(*) from pg_sleep(0.2)")))
    await asyncio.sleep(0)
    await store.close()
    await asyncio.sleep(0)  # the result of SQLite's thread reaches its waiter in the next turn
    await asyncio.sleep(0)

    assert on_its_way.done()
    assert await on_its_way == [(99_999,) if is_file else (1,)]


async def test_what_runs_alone_stays_on_one_connection(postgres: PrivatePostgres) -> None:
    """PostgreSQL is asked where it was asked last, because every other connection prepares the statement again."""
    store = Store(await postgres.database())
    process = text("select pg_backend_pid(), pg_sleep(0.05)")
    assert 3 == len({rows[0][0] for rows in await asyncio.gather(*(store.rows(process) for _ in range(3)))})
    assert 1 == len({(await store.rows(process))[0][0] for _ in range(3)})
    await store.close()


async def test_a_closed_store_opens_no_connection(url: str) -> None:
    """What a payment writes after the store was closed is refused, and what waited in a group with it."""
    store = Store(url)
    await store.rows(text("select 1"))
    group: GroupCommits[int] = GroupCommits(store, lambda _, rows: rows)
    waiting = [asyncio.create_task(group.add(key, 1)) for key in "ab"]
    await store.close()
    with pytest.raises(StoreRefusedError, match="the ledger is closed"):
        await store.rows(text("select 1"))
    refused = await asyncio.gather(*waiting, group.add("c", 1), return_exceptions=True)
    assert [type(one) for one in refused] == [StoreRefusedError] * 3


async def test_a_file_that_another_process_locks_is_busy_and_then_free(
    sqlite_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A lock that lasts is a busy store, for statements of SQLAlchemy and for those past it; then both work again."""
    monkeypatch.setattr("ledger.databases._PATIENTLY", ("PRAGMA busy_timeout=1",))
    store = Store(sqlite_url)
    leases = Leases(store)
    with closing(sqlite3.connect(tmp_path / "several.db", isolation_level=None)) as other:
        other.execute("begin immediate")
        for write in (leases.claim(identity(), "me"), store.transaction(lambda _: None)):
            with pytest.raises(StoreBusyError, match="locked"):
                await write
        other.execute("rollback")
    assert await leases.claim(identity(), "me") is None
    await store.close()


async def test_a_transaction_whose_end_fails_leaves_nothing(sqlite_url: str) -> None:
    """Where the commit itself is refused, nothing is written, and the next transaction begins as always."""
    store = Store(sqlite_url)
    await store.change(text("create table child (of text references journal (key) deferrable initially deferred)"))
    orphan = text("insert into child values ('absent')")
    with pytest.raises(StoreRefusedError, match="SQLITE_CONSTRAINT"):
        await store.transaction(lambda connection: connection.execute(orphan))
    assert await Leases(store).claim(identity(), "me") is None
    assert await store.rows(text("select count(*) from child")) == [(0,)]
    await store.close()


async def test_sqlite_writes_ahead_and_keeps_what_it_commits(sqlite_store: Store) -> None:
    """A SQLite ledger runs in WAL mode with synchronous NORMAL, foreign keys and ten seconds of patience."""
    said = [
        (await sqlite_store.rows(text(f"pragma {name}")))[0][0]
        for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
    ]
    assert said == ["wal", 1, 1, 10_000]


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("mysql://me@there/books", "begins with 'mysql'"),
        ("postgresql://me@there:99999/books", "names the port 99999"),
        ("postgresql://me:sekret@there:port/books", "cannot be read"),
        ("postgresql://me@there/books?sslmode=require", "has the option 'sslmode'"),
        ("sqlite://", "names no database"),
        ("sqlite:///:memory:", "names no database"),
        ("postgresql://me:canary@there", "names no database"),
        ("canary without a scheme", "cannot be read"),
    ],
)
def test_an_address_of_no_use_is_refused_without_being_repeated(url: str, says: str) -> None:
    """A URL that names no usable database is refused in words that hold no password."""
    with pytest.raises(StoreAddressError, match=says) as refused:
        Store(url)
    assert "canary" not in str(refused.value)


def test_a_place_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    """A ledger that cannot be made is refused with its path and the system's reason."""
    (tmp_path / "file").touch()
    with pytest.raises(StoreAddressError, match=r"books\.db"):
        Store(f"sqlite:///{tmp_path / 'file' / 'books.db'}")


def test_the_address_is_shown_without_its_password() -> None:
    """What people see of a URL holds no password."""
    assert "canary" not in Store("postgresql://me:canary@localhost/books").shown


def test_reading_makes_nothing(tmp_path: Path) -> None:
    """A ledger that is not there is an error for a reader, and is not made."""
    with pytest.raises(StoreAddressError, match="no ledger"):
        Store(f"sqlite:///{tmp_path / 'none.db'}", read_only=True)
    assert not list(tmp_path.iterdir())


async def test_a_ledger_that_was_moved_takes_nothing_until_it_is_back(sqlite_store: Store, tmp_path: Path) -> None:
    """What is written to a file that is gone, or that another has replaced, would be lost with its process."""
    insertion = text("insert into noted values (1)")
    await sqlite_store.change(text("create table noted (n integer)"))
    ledger = tmp_path / "several.db"
    away = ledger.rename(tmp_path / "away")
    with pytest.raises(StoreBusyError, match="FileNotFoundError"):
        await sqlite_store.change(insertion)
    ledger.touch()
    with pytest.raises(StoreBusyError, match="was replaced; put it back"):
        sqlite_store.at_once(lambda connection: connection.execute(insertion))
    away.replace(ledger)
    await sqlite_store.change(insertion)
    assert [(1,)] == await sqlite_store.rows(text("select n from noted"))


def names_in(folder: Path) -> list[str]:
    """The names of the files in ``folder``."""
    return [path.name for path in folder.iterdir()]


async def test_a_ledger_in_a_place_that_cannot_be_written_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A copy that no process uses, on a medium or in a folder without the right to write, needs no file beside it."""
    kept = tmp_path / "kept.db"
    writer = Store(f"sqlite:///{kept}")
    await writer.change(text("create table noted (n integer)"))
    await writer.close()
    monkeypatch.setattr(os, "access", lambda *_: False)
    reader = Store(f"sqlite:///{kept}", read_only=True)
    assert [] == await reader.rows(text("select n from noted"))
    assert ["kept.db"] == names_in(tmp_path)
    await reader.close()


async def test_reading_changes_nothing(store: Store, url: str) -> None:
    """A store opened for reading refuses to write."""
    reader = Store(url, read_only=True)
    with pytest.raises((StoreRefusedError, StoreBusyError)):
        await reader.change(text("delete from calls"))
    await reader.close()


async def test_a_transaction_that_raises_leaves_nothing(store: Store) -> None:
    """A transaction is all or nothing."""
    row = call_row(identity(), answer(), stage="opinion", round_number=1)

    def half(connection: Connection) -> None:
        connection.execute(CALLS.insert(), row)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await store.transaction(half)
    assert await store.rows(select(CALLS)) == []


async def test_clocks_of_the_databases_count_seconds_since_1970(store: Store) -> None:
    """A beat is in seconds since 1970 by the database's clock, finer than a second."""
    await Leases(store).claim(identity(), "me")
    seen = await Leases(store).look(identity().key)
    assert seen is not None
    assert seen.beat > 1_600_000_000
    assert 0 <= seen.age < 30


async def test_no_column_refuses_what_a_provider_sent(store: Store) -> None:
    """NUL, lone surrogates and counts beyond 64 bits are made storable by the columns themselves."""
    served = answer(tokens=2**70).model_copy(update={"served_model": "m\x00\ud800"})
    lost = failure("no\x00 way")
    for call, reply in (("a\x00", served), ("b", lost)):
        await store.change(CALLS.insert(), call_row(identity(call), reply, stage="s\x00", round_number=1))
    kept = await store.rows(select(CALLS.c.call_id, CALLS.c.served_model, CALLS.c.message).order_by(CALLS.c.call_id))
    assert [tuple(row) for row in kept] == [("a\ufffd", "m\ufffd\ufffd", None), ("b", None, "no\ufffd way")]


def test_storable_text_stays_as_it_is() -> None:
    """Text that can be kept, astral characters included, is not touched."""
    assert storable("naïve 🜚 \t\n") == "naïve 🜚 \t\n"
    assert storable("plain \t\n") == "plain \t\n"
    assert storable("a\x00b") == "a\ufffdb"


def test_blobs_come_back_as_they_went() -> None:
    """Packing is lossless, and damaged bytes are refused by name."""
    assert unpacked(packed(b"x" * 100_000)) == b"x" * 100_000
    with pytest.raises(StoreRefusedError, match="damaged"):
        unpacked(b"not compressed")


async def test_a_full_database_is_reported_from_a_busy_one(sqlite_store: Store) -> None:
    """SQLite without room is a full store."""
    await sqlite_store.rows(text("pragma max_page_count = 1"))
    with pytest.raises(StoreFullError, match="no space"):
        await sqlite_store.change(text("insert into journal values ('k', 'w', 'c', 'o', 0, zeroblob(1000000))"))


async def test_a_file_of_another_kind_is_refused_with_a_remedy(tmp_path: Path) -> None:
    """A file that SQLite cannot read is not asked again, and the message names what to do."""
    (tmp_path / "parley.db").write_text("no database " * 100, "utf-8")
    store = Store(f"sqlite:///{tmp_path / 'parley.db'}")
    with pytest.raises(StoreAddressError, match="no SQLite database; move it away, or correct PARLEY_DATABASE_URL"):
        await store.change(text("create table t (n integer)"))
    await store.close()


async def test_a_broken_statement_is_refused_without_its_values(store: Store) -> None:
    """A statement that can never work is distinguished, and its values are not in the message or its causes."""
    row = call_row(identity(), answer(), stage="canary", round_number=1)
    await store.change(CALLS.insert(), row)
    with pytest.raises(StoreRefusedError) as refused:
        await store.change(CALLS.insert(), row)
    assert "canary" not in str(refused.value)
    assert refused.value.__suppress_context__


def test_system_errors_are_reported_apart() -> None:
    """A disk without room is full; a connection that is refused is busy."""
    with pytest.raises(StoreFullError), classify():
        raise OSError(28, "No space left on device")
    with pytest.raises(StoreBusyError), classify():
        raise ConnectionRefusedError(111, "Connection refused")


async def test_a_server_that_went_away_is_busy_until_it_is_back(postgres: PrivatePostgres) -> None:
    """A PostgreSQL that is down is tried again later, and works when it is up again."""
    store = Store(await postgres.database())
    await store.rows(text("select 1"))
    postgres.halt()
    try:
        for _ in range(2):  # the open connection that was cut, then a new one that is refused
            with pytest.raises(StoreBusyError):
                await store.rows(text("select 1"))
    finally:
        postgres.start()
    assert (await store.rows(text("select 1")))[0][0] == 1
    await store.close()


async def test_a_killed_process_keeps_what_it_committed(tmp_path: Path) -> None:
    """What was committed is there after kill -9 of the process that wrote it."""
    path = tmp_path / "killed.db"
    killed = await asyncio.create_subprocess_exec(sys.executable, "-c", KILLED, str(path))
    returncode = await killed.wait()
    with closing(sqlite3.connect(path)) as after:
        kept = after.execute("select n from t").fetchall()
    assert (returncode, kept) == (-9, [(7,)])


async def test_a_silent_transaction_holds_no_locks(postgres: PrivatePostgres, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without power or network leaves its locks to the server, which ends its session; that is no refusal."""
    url = await postgres.database()
    monkeypatch.setitem(databases._LOST_CLIENTS, "idle_in_transaction_session_timeout", "200")
    lost, other = Store(url), Store(url)
    await other.change(text("create table t (n integer primary key)"))
    assert isinstance(lost._engine, databases.PostgresServer)
    async with lost._engine._engine.connect() as connection:
        await connection.execute(text("insert into t values (1)"))
        async with asyncio.timeout(20):
            await other.change(text("insert into t values (1)"))
        with pytest.raises(StoreBusyError), classify():
            await connection.execute(text("insert into t values (2)"))
    assert [(1,)] == await lost.rows(text("select n from t"))
    await lost.close()
    await other.close()


async def test_a_refused_login_names_what_to_correct(postgres: PrivatePostgres) -> None:
    """It may pass, as while a password is changed; a worker that starts waits for nothing."""
    url = await postgres.database()
    for wrong in (url.replace("parley@", "nobody:sekret@"), url.replace("books", "no_books")):
        store = Store(wrong)
        with pytest.raises(StoreNoEntryError, match="correct user, password or name in PARLEY_DATABASE_URL") as refused:
            await upgrade(store)
        assert "sekret" not in str(refused.value)
        await store.close()


async def test_a_server_that_does_not_run_is_said() -> None:
    """A refused connection names the setting, and may pass."""
    store = Store("postgresql://me:sekret@127.0.0.1:9/books")
    with pytest.raises(StoreBusyError, match="does it run, and is PARLEY_DATABASE_URL right") as refused:
        await store.rows(text("select 1"))
    assert "sekret" not in str(refused.value)
    await store.close()
