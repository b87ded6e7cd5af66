"""Locks on files, and the files with a process id, which are locked as long as their process lives.

The system lets a lock go with its process, however that ends. A file with the id of a killed process is therefore known
to be stale, even when the system has given its id to another program.
"""

import asyncio
import fcntl
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from runtime.home import make_private_directory

_A_CHECK = 0.25
"""Seconds: who checks whether a lock is free takes it for a moment."""
_STEP = 0.05


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

    async def take_patiently(self, *, within: float = _A_CHECK) -> bool:
        """Take the lock, waiting ``within`` so many seconds for another process."""
        return await comes(self.take, within)

    def share(self) -> bool:
        """Take a share in the lock, open to any number of processes; return whether it succeeded."""
        return self._take(fcntl.LOCK_SH)

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


async def comes(is_so: Callable[[], bool], within: float) -> bool:
    """Return whether ``is_so`` comes true ``within`` so many seconds."""
    with suppress(TimeoutError):
        async with asyncio.timeout(within):
            while not is_so():  # noqa: ASYNC110 - what another process does sets no event
                await asyncio.sleep(_STEP)
            return True
    return False


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
