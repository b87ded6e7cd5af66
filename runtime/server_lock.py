"""One server per file, and who may stop it: two locks and a note.

The server itself does not refuse a second server on its file, so a lock does. The *server's* lock is handed to the
server process and lives exactly as long as it does, however its starter ends. The *owner's* lock is held by the process
that will stop the server. An owner that is killed leaves a running server and a free owner's lock: the next start sees
both, reads the note and takes the server over, with everything that runs on it.
"""

import asyncio
import fcntl
import os
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

_TRIES = 5
_STEP = 0.05


class ServerNote(BaseModel):
    """What a starter writes down about the server it started."""

    model_config = ConfigDict(frozen=True)

    pid: int
    port: int
    ui_port: int


class FileLock:
    """An advisory lock on a file that goes with its open handle."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._handle: int | None = None

    @property
    def handle(self) -> int:
        """The open file, to be handed to a child that shall hold the lock too."""
        assert self._handle is not None, "the lock is not held"  # noqa: S101 - a mistake of this package
        return self._handle

    def take(self) -> bool:
        """Take the lock if it is free and say whether it is ours."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(handle)
            return False
        self._handle = handle
        return True

    async def take_patiently(self) -> bool:
        """Take the lock if it is free; somebody who only looks whether it is holds it for a moment."""
        for _ in range(_TRIES):
            if self.take():
                return True
            await asyncio.sleep(_STEP)
        return False

    def let_go(self) -> None:
        """Close our handle; a child that holds it too keeps the lock."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def is_free(self) -> bool:
        """Whether nobody holds the lock now."""
        free = self.take()
        self.let_go()
        return free


class ServerFiles:
    """What a server keeps in ``home``."""

    def __init__(self, home: Path) -> None:
        self.database = home / "temporal.db"
        self.log = home / "server.log"
        self.note = home / "server.json"
        self.server_lock = FileLock(home / "server.lock")
        self.owner_lock = FileLock(home / "server.owner.lock")

    def already_runs(self) -> str:
        """That there is a server on the file, and what a person can do about it."""
        note = read_note(self.note)
        who = f"process {note.pid}, port {note.port}" if note else "its process is not known"
        return (
            f"a server already runs on {self.database} ({who}). Use it as it is, stop the `parley up` that owns it, "
            "or set PARLEY_HOME to another directory."
        )

    def last_words(self) -> str:
        """Where the server's log is, and how it ends."""
        try:
            lines = self.log.read_text(errors="replace").splitlines()[-3:]
        except FileNotFoundError:
            lines = []
        return f"Its log is {self.log}. Last lines: {' | '.join(line[:300] for line in lines)}"


def write_note(path: Path, note: ServerNote) -> None:
    """Write ``note`` at once or not at all."""
    beside = path.with_suffix(".new")
    beside.write_text(note.model_dump_json())
    beside.replace(path)


def read_note(path: Path) -> ServerNote | None:
    """The note at ``path``, or ``None`` when there is none that can be read."""
    try:
        return ServerNote.model_validate_json(path.read_bytes())
    except (FileNotFoundError, ValidationError):
        return None
