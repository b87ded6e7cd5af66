"""One server per file, and who may stop it: two locks and a note.

The server itself does not refuse a second server on its file, so a lock does. The *server's* lock is inherited by the
server process and lives exactly as long as it does, however its starter ends. The *owner's* lock belongs to the process
that will stop the server. An owner that is killed leaves a running server and a free owner's lock: the next start, or a
process that uses the server, sees both, reads the note and takes the server over, with everything that runs on it. In
the *users'* lock every process that uses the server has a share. Who leaves and can have the whole of it was the last
one, and stops the server; a process that comes in that moment waits for the lock.

Other files with a process id are locked by their process as long as it lives, so one that a killed process left behind
is known to be stale even when the system has given its id to another program.
"""

import asyncio
import fcntl
import os
import shutil
from contextlib import suppress
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from runtime.home import make_private_directory, write_private

_TRIES = 5
_STEP = 0.05
_LEAST_FREE = 1_000_000
"""Bytes without which no server starts: the write-ahead log of an empty one is nearly as long."""


class ServerInfo(BaseModel):
    """The address, process and version of a server that was started here."""

    model_config = ConfigDict(frozen=True)

    pid: int
    port: int
    ui_port: int
    is_stopping: bool = False
    """Whether it was asked to end; it holds its lock until it has."""


class FileLock:
    """An advisory lock on a file that goes with its open handle."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._handle: int | None = None

    @property
    def is_held(self) -> bool:
        """Return whether this object has the lock."""
        return self._handle is not None

    @property
    def handle(self) -> int:
        """The open file, for a child that shares the lock."""
        assert self._handle is not None, "the lock is not held"  # noqa: S101 - a mistake of this package
        return self._handle

    def take(self) -> bool:
        """Take the lock if it is free and return whether it is ours."""
        return self._take(fcntl.LOCK_EX)

    async def take_patiently(self) -> bool:
        """Take the lock if it is free; retry briefly, because a check takes it for a moment."""
        for _ in range(_TRIES):
            if self.take():
                return True
            await asyncio.sleep(_STEP)
        return False

    def share(self) -> bool:
        """Take a share in the lock, open to any number of processes; return whether it succeeded."""
        return self._take(fcntl.LOCK_SH)

    async def share_patiently(self, *, within: float) -> bool:
        """Take a share, waiting ``within`` so many seconds for a process that holds the whole lock."""
        with suppress(TimeoutError):
            async with asyncio.timeout(within):
                while not self.share():  # noqa: ASYNC110 - another process's lock sets no event
                    await asyncio.sleep(_STEP)
                return True
        return False

    def become_only_holder(self) -> bool:
        """Turn our share into the whole lock and return whether no other process had a share."""
        if self._handle is None:
            return False
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def let_go(self) -> None:
        """Close our handle; a child that holds it too keeps the lock."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def is_free(self) -> bool:
        """Return whether no process has the lock now."""
        free = self.take()
        self.let_go()
        return free

    def _take(self, kind: int) -> bool:
        make_private_directory(self.path.parent)
        handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(handle, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(handle)
            return False
        self._handle = handle
        return True


class ServerFiles:
    """The files of a server in ``home``."""

    def __init__(self, home: Path) -> None:
        self.database = home / "temporal.db"
        self.log = home / "server.log"
        self.note = home / "server.json"
        self.server_lock = FileLock(home / "server.lock")
        self.owner_lock = FileLock(home / "server.owner.lock")
        self.users_lock = FileLock(home / "server.users.lock")

    def already_runs(self) -> str:
        """Return the error that a server already runs on the file, with its remedy."""
        note = read_info(self.note)
        who = f"process {note.pid}, port {note.port}" if note else "its process is not known"
        return (
            f"a server already runs on {self.database} ({who}). Use it as it is, stop the `parley up` that owns it, "
            "or set PARLEY_HOME to another directory."
        )

    def does_not_answer(self, port: int) -> str:
        """Return the error that another process's server does not answer, with its remedy."""
        note, home = read_info(self.note), self.database.parent
        if note is None:
            return (
                f"another process holds the server file in {home}, and its server does not answer on port {port}: it "
                "is being started, started again or stopped. Wait, or stop the `parley up` that owns it."
            )
        return (
            f"process {note.pid} holds the server file in {home} and does not answer on port {note.port}. Wait until "
            f"it has started or stopped. When it hangs, its owner starts another after: kill {note.pid}"
        )

    def last_words(self, since: int = 0) -> str:
        """Return the remedy for a full disk, else the path of the server's log and its panic or its last lines.

        Args:
            since: The size of the log, in bytes, when the server was started.
        """
        if shutil.disk_usage(self.log.parent).free < _LEAST_FREE:
            return f"The disk with {self.log.parent} is full; free some space, or set PARLEY_HOME to another directory."
        try:
            lines = self.log.read_bytes()[since:].decode(errors="replace").splitlines()
        except FileNotFoundError:
            lines = []
        # A program in Go prints the stacks of its goroutines after its panic.
        lines = [line for line in lines if line.startswith("panic:")][-1:] or lines[-3:]
        return f"Its log is {self.log}. Last lines: {' | '.join(line[:300] for line in lines)}"


def write_info(path: Path, note: ServerInfo) -> None:
    """Write ``note`` atomically."""
    write_private(path, note.model_dump_json())


def read_info(path: Path) -> ServerInfo | None:
    """Return the note at ``path``, or ``None`` without a readable one."""
    try:
        return ServerInfo.model_validate_json(path.read_bytes())
    except (FileNotFoundError, ValidationError):
        return None


class PidFile:
    """The file at ``path``, as its process holds it."""

    def __init__(self, path: Path) -> None:
        self._lock = FileLock(path)

    def write(self) -> bool:
        """Write this process's id and return whether that could be done; the file may be another live process's.

        Raises:
            OSError: the file cannot be written.
        """
        if not self._lock.take():
            return False
        os.ftruncate(self._lock.handle, 0)
        os.pwrite(self._lock.handle, f"{os.getpid()}\n".encode(), 0)
        return True

    def remove(self) -> None:
        """Remove the file if this process holds it."""
        if self._lock.is_held:
            with suppress(FileNotFoundError):
                self._lock.path.unlink()
            self._lock.let_go()


def worker_file(home: Path, number: int, kind: str) -> Path:
    """Return the path of the ``pid`` or ``log`` file of a worker, for example ``worker.pid`` and ``worker-2.pid``."""
    return home / (f"worker.{kind}" if number == 1 else f"worker-{number}.{kind}")


def running_process(path: Path) -> int | None:
    """Return the id of the live process that holds the file at ``path``, or ``None``."""
    if not path.exists() or FileLock(path).is_free():
        return None
    try:
        return int(path.read_text("ascii"))
    except (OSError, ValueError):
        return None


def remove_stale(path: Path) -> None:
    """Remove the file at ``path`` when no live process holds it."""
    if path.exists() and FileLock(path).is_free():
        with suppress(FileNotFoundError):
            path.unlink()
