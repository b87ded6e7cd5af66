"""The two databases that can store the ledger, with the same methods.

SQLite runs in one thread of its own, with one connection: the file has one writer anyway, a queue in the process is
fairer and faster than SQLite's busy handler, and a whole transaction costs one trip to the thread. Other processes
wait for each other up to ``BUSY_SECONDS``. WAL with ``synchronous=NORMAL``: what was committed survives a killed
process; only a crash of the whole machine can take the last commits, and it takes those of a Temporal server in the
same mode along. A transaction begins with ``BEGIN IMMEDIATE``, so that it never has to give up half-way for
another writer; a lone statement needs none.

A brief transaction, which writes a few rows, is done at once in the thread of the event loop: the way to the other
thread and back takes longer, because two threads of one interpreter disturb each other at every statement. It waits
for no other process there, and moving commits into the file, which flushes both, is left to the thread. SQLite flushes
one page there: the head of its log, when the log begins anew after such a move.

PostgreSQL runs through asyncpg with a small pool; the same synchronous work runs on its connections through
SQLAlchemy's bridge.
"""

import asyncio
import os
import sqlite3
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final, TypeVar, cast
from urllib.parse import quote

from sqlalchemy import URL, Connection, create_engine, event
from sqlalchemy.exc import OperationalError

from ledger.store_errors import StoreAddressError, StoreBusyError

BUSY_SECONDS: Final = 10.0
"""How long a statement waits for another process to let go of the SQLite file."""

_AT_ONCE = ("PRAGMA busy_timeout=0", "PRAGMA wal_autocheckpoint=0")
_PATIENTLY = (f"PRAGMA busy_timeout={BUSY_SECONDS * 1000:.0f}", "PRAGMA wal_autocheckpoint=1000")
"""Whether a commit waits for other processes, and moves what was committed into the file, which flushes both."""

T = TypeVar("T")


class SqliteFile:
    """A SQLite file. It and its folder are made when they are missing, for the owner's eyes only."""

    clock = "((julianday('now') - 2440587.5) * 86400.0)"
    """SQL for seconds since 1970, by the database's own clock and not by a transaction's start."""

    def __init__(self, url: URL, *, read_only: bool) -> None:
        path = Path(str(url.database)).absolute()
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="books")
        self._engine = create_engine(
            _read_only(path) if read_only else _writable(path),
            pool_size=1,
            max_overflow=0,
            pool_reset_on_return=None,  # every transaction here ends itself
            hide_parameters=True,
            connect_args={"timeout": BUSY_SECONDS, "isolation_level": None, "check_same_thread": False},
        )
        self._path, self._file = path, path.stat()
        self._connection: Connection | None = None
        self._pragmas: Sequence[str] = ()
        self._in_thread: set[Future[Any]] = set()
        if not read_only:
            event.listen(self._engine, "connect", _set_pragmas)

    def at_once(self, work: Callable[[Connection], T]) -> T | None:
        """Run brief ``work`` before this returns; ``None`` if it would wait for others, and then nothing was done."""
        if self._connection is None or self._in_thread:
            return None
        try:
            return self._run(work, _AT_ONCE)
        except (sqlite3.OperationalError, OperationalError) as error:
            if _is_busy(error):
                return None
            raise

    async def run(self, work: Callable[[Connection], T], *, is_lone: bool) -> T:
        """Run ``work`` in a transaction, or as a lone statement, to its end even if the caller is cancelled."""
        running = self._thread.submit(self._run, work, _PATIENTLY, is_lone=is_lone)
        self._in_thread.add(running)
        running.add_done_callback(self._in_thread.discard)
        return await asyncio.wrap_future(running)

    async def close(self) -> None:
        """Close the connection."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._close)
        self._thread.shutdown(wait=False)

    def _run(self, work: Callable[[Connection], T], pragmas: Sequence[str], *, is_lone: bool = False) -> T:
        if not os.path.samestat(self._file, self._path.stat()):  # what is written would be gone with this process
            raise StoreBusyError("the ledger's file was replaced; put it back, or start again what writes to it")
        if self._connection is None:
            self._connection = self._engine.connect()
        # Not SQLAlchemy's transaction: to begin and to end it takes longer than the statements of a call.
        file = file_of(self._connection)
        if pragmas is not self._pragmas:
            for pragma in pragmas:
                file.execute(pragma)
            self._pragmas = pragmas
        if is_lone:
            return work(self._connection)
        file.execute("BEGIN IMMEDIATE")
        try:
            result = work(self._connection)
            file.execute("COMMIT")
        except BaseException:
            file.rollback()
            raise
        return result

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._engine.dispose()


_LOST_CLIENTS = {
    "idle_in_transaction_session_timeout": "10000",
    "tcp_keepalives_idle": "30",
    "tcp_keepalives_interval": "10",
    "tcp_keepalives_count": "3",
}
"""Milliseconds and seconds after which the server ends the session of a machine that has lost its power or network.

Until then its locks stay, by default for two hours. No transaction of ours waits for anything but the database.
"""


class PostgresServer:
    """A PostgreSQL database."""

    clock = "extract(epoch from clock_timestamp())::float8"

    def __init__(self, url: URL, *, read_only: bool) -> None:
        from sqlalchemy.ext.asyncio import create_async_engine  # noqa: PLC0415 - imports the ORM, which a file needs not

        self._engine = create_async_engine(
            url,
            pool_size=10,
            max_overflow=0,  # a connection beyond the pool is opened and closed for a single statement
            pool_use_lifo=True,  # each connection prepares its statements itself, so those that have done it come first
            hide_parameters=True,
            connect_args={
                "timeout": 10,
                "command_timeout": 60,
                "server_settings": {"default_transaction_read_only": "on" if read_only else "off", **_LOST_CLIENTS},
            },
        )
        self._lone = self._engine.execution_options(isolation_level="AUTOCOMMIT")
        self._running: set[asyncio.Future[None]] = set()

    def at_once(self, work: Callable[[Connection], T]) -> T | None:
        """Return ``None``, because every statement is a journey; see ``SqliteFile``."""

    async def run(self, work: Callable[[Connection], T], *, is_lone: bool) -> T:
        """Run ``work`` in one transaction; see ``SqliteFile``."""
        ended = asyncio.get_running_loop().create_future()
        self._running.add(ended)
        try:
            async with (self._lone if is_lone else self._engine).begin() as connection:
                return await connection.run_sync(work)
        finally:
            self._running.discard(ended)
            ended.set_result(None)

    async def close(self) -> None:
        """Close every connection after the work on it: the pool would leave one open that is in use."""
        if self._running:
            await asyncio.wait(self._running)
        await self._engine.dispose()


def _read_only(path: Path) -> URL:
    if not path.is_file():
        raise StoreAddressError(f"there is no ledger at {str(path)!r}; a worker makes it when it starts: parley up")
    # SQLite wants to make files beside the ledger. Where they cannot be made and are not there, no process writes.
    file = path.resolve()
    is_kept = not os.access(file.parent, os.W_OK) and not file.with_name(f"{file.name}-wal").exists()
    fixed = {"immutable": "1"} if is_kept else {}
    return URL.create("sqlite", database=f"file:{quote(str(path))}", query={"mode": "ro", "uri": "true", **fixed})


def _writable(path: Path) -> URL:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # A present file is not opened: closing it would drop SQLite's locks of this process on it, and the next process
        # that closes the ledger would remove the log to which the connections of this one still write.
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        if not (path.is_file() and os.access(path, os.R_OK | os.W_OK)):
            raise StoreAddressError(f"the ledger {str(path)!r} is not a file that can be read and written") from None
    except OSError as error:
        raise StoreAddressError(f"the ledger {str(path)!r} cannot be opened: {error.strerror}") from error
    return URL.create("sqlite", database=str(path))


def _set_pragmas(connection: Any, _record: object) -> None:
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _is_busy(error: sqlite3.OperationalError | OperationalError) -> bool:
    """Return whether another process writes; nothing of the transaction was done then."""
    origin = error.orig if isinstance(error, OperationalError) else error
    return getattr(origin, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY


def file_of(connection: Connection) -> sqlite3.Connection:
    """Return the SQLite connection below ``connection``, for statements that are run without SQLAlchemy."""
    return cast("sqlite3.Connection", connection.connection.dbapi_connection)
