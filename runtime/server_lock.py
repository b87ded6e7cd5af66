"""One server per file, and who may stop it: three locks and a note.

The server itself does not refuse a second server on its file, so a lock does. The *server's* lock is inherited by the
server process and lives exactly as long as it does, however its starter ends. The *owner's* lock belongs to the process
that will stop the server. An owner that is killed leaves a running server and a free owner's lock: the next start, or a
process that uses the server, sees both, reads the note and takes the server over, with everything that runs on it. In
the *users'* lock every process that uses the server has a share. Who leaves and can have the whole of it was the last
one, and stops the server; a process that comes in that moment waits for the lock.
"""

from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from runtime.disk_space import full_folders
from runtime.file_locks import FileLock


class ServerInfo(BaseModel):
    """The address, process and version of a server that was started here."""

    model_config = ConfigDict(frozen=True)

    pid: int
    port: int
    ui_port: int
    is_stopping: bool = False
    """Whether it was asked to end; it holds its lock until it has."""


class ServerFiles:
    """The files of a server in ``home``."""

    def __init__(self, home: Path) -> None:
        self.database = home / "temporal.db"
        self.log = home / "server.log"
        self.note = home / "server.json"
        self.server_lock = FileLock(home / "server.lock")
        self.owner_lock = FileLock(home / "server.owner.lock")
        self.users_lock = FileLock(home / "server.users.lock")

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
        if full_folders([self.log.parent]):
            return f"The disk with {self.log.parent} is full; free some space, or set PARLEY_HOME to another directory."
        try:
            lines = self.log.read_bytes()[since:].decode(errors="replace").splitlines()
        except FileNotFoundError:
            lines = []
        # A program in Go prints the stacks of its goroutines after its panic.
        lines = [line for line in lines if line.startswith("panic:")][-1:] or lines[-3:]
        return f"Its log is {self.log}. Last lines: {' | '.join(line[:300] for line in lines)}"


def read_info(path: Path) -> ServerInfo | None:
    """Return the note at ``path``, or ``None`` without a readable one."""
    try:
        return ServerInfo.model_validate_json(path.read_bytes())
    except (FileNotFoundError, ValidationError):
        return None
