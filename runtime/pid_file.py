"""A file with a process id, and a lock on it that proves the process lives.

The process holds the lock as long as it lives, so a file that a killed process left behind is known to be stale even
when the system has given its id to another program.
"""

import os
from contextlib import suppress
from pathlib import Path

from runtime.server_lock import FileLock


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
