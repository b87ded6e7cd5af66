"""A Temporal server of our own, on this machine, for as long as somebody needs it.

``embedded_server`` starts one on ``<home>/temporal.db``, waits until it answers, and stops it at the end. A server that
an earlier process left behind on that file is taken over instead, so that killing ``parley up`` loses nothing: the next
start continues the same history.
"""

import asyncio
import os
import signal
import socket
import subprocess
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import structlog
from temporalio.common import SearchAttributeKey

from runtime.connect import answers
from runtime.errors import PortInUseError, ServerFailedError, ServerLockedError
from runtime.server_flags import HOST, command, environment
from runtime.server_lock import FileLock, ServerNote, read_note, write_note
from runtime.settings import Settings
from runtime.target import Target

log = structlog.get_logger(__name__)

_READY_SECONDS = 30.0
_STOP_SECONDS = 15.0
_STEP = 0.05


class ServerFiles:
    """What a server keeps in ``home``."""

    def __init__(self, home: Path) -> None:
        self.database = home / "temporal.db"
        self.log = home / "server.log"
        self.note = home / "server.json"
        self.server_lock = FileLock(home / "server.lock")
        self.owner_lock = FileLock(home / "server.owner.lock")


@asynccontextmanager
async def embedded_server(
    settings: Settings, namespace: str = "default", columns: Iterable[SearchAttributeKey[Any]] = ()
) -> AsyncIterator[ServerNote]:
    """A running server on this installation's file; stopped at the end by whoever owns it.

    Raises:
        ServerLockedError: a server runs on the file, and the process that owns it is alive.
        PortInUseError: something else listens on ``server_port`` or ``ui_port``.
        ServerProgramMissingError: there is no ``temporal`` program.
        ServerFailedError: it did not come up; the message ends with its own last words.
    """
    files = ServerFiles(settings.home)
    if not await _take(files.owner_lock):
        raise ServerLockedError(_already_runs(files))
    try:
        process, note = await _started_or_taken_over(
            files, command(settings, files.database, namespace, columns), settings
        )
        try:
            yield note
        finally:
            await _stop(files, note, process)
    finally:
        files.owner_lock.let_go()


def owned_server(settings: Settings) -> ServerNote | None:
    """The server that another process of this installation runs or is starting, if there is one."""
    files = ServerFiles(settings.home)
    if not files.owner_lock.path.exists() or files.owner_lock.is_free():
        return None
    return read_note(files.note) or ServerNote(pid=0, port=settings.server_port, ui_port=settings.ui_port)


def is_left_behind(settings: Settings) -> bool:
    """Whether a server runs on this installation's file that nobody owns any more."""
    files = ServerFiles(settings.home)
    return files.server_lock.path.exists() and not files.server_lock.is_free()


def refuse_taken_port(port: int, setting: str) -> None:
    """Raise ``PortInUseError`` naming ``setting`` when something listens on ``port`` of this machine."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            raise PortInUseError(
                f"something else listens on port {port} of this machine. Stop it, or set {setting} to a free port."
            ) from None


async def _take(lock: FileLock) -> bool:
    # Somebody who only looks whether the lock is free holds it for a moment.
    for _ in range(5):
        if lock.take():
            return True
        await asyncio.sleep(_STEP)
    return False


async def _started_or_taken_over(
    files: ServerFiles, arguments: list[str], settings: Settings
) -> tuple[subprocess.Popen[bytes] | None, ServerNote]:
    if await _take(files.server_lock):
        try:
            process, note = _start(files, arguments, settings)
        finally:
            files.server_lock.let_go()
        await _ready(files, note, process)
        log.info("server_started", pid=note.pid, address=f"{HOST}:{note.port}", database=str(files.database))
        return process, note
    note_left = read_note(files.note)
    if note_left is None:
        raise ServerLockedError(_already_runs(files))
    await _ready(files, note_left, None)
    log.info("server_taken_over", pid=note_left.pid, address=f"{HOST}:{note_left.port}")
    return None, note_left


def _start(files: ServerFiles, arguments: list[str], settings: Settings) -> tuple[subprocess.Popen[bytes], ServerNote]:
    refuse_taken_port(settings.server_port, "PARLEY_SERVER_PORT")
    refuse_taken_port(settings.ui_port, "PARLEY_UI_PORT")
    files.note.unlink(missing_ok=True)
    with files.log.open("ab") as lines:
        process = subprocess.Popen(  # noqa: S603 - our own command line
            arguments,
            stdin=subprocess.DEVNULL,
            stdout=lines,
            stderr=lines,
            env=environment(),
            pass_fds=(files.server_lock.handle,),
            start_new_session=True,  # Ctrl-C is for us; the server goes last
        )
    note = ServerNote(pid=process.pid, port=settings.server_port, ui_port=settings.ui_port)
    write_note(files.note, note)
    return process, note


async def _ready(files: ServerFiles, note: ServerNote, process: subprocess.Popen[bytes] | None) -> None:
    target = Target(address=f"{HOST}:{note.port}", namespace="default", configured=False)
    try:
        async with asyncio.timeout(_READY_SECONDS):
            while not await answers(target):
                if process is not None and process.poll() is not None:
                    raise ServerFailedError(f"the server ended with code {process.returncode}. {_last_words(files)}")
                await asyncio.sleep(_STEP)
    except TimeoutError:
        await _stop(files, note, process)
        raise ServerFailedError(
            f"the server did not answer within {_READY_SECONDS:.0f} s. {_last_words(files)}"
        ) from None


async def _stop(files: ServerFiles, note: ServerNote, process: subprocess.Popen[bytes] | None) -> None:
    # The lock is held exactly as long as the server lives, so the pid is the server's while it is not free.
    for number in (signal.SIGTERM, signal.SIGKILL):
        if files.server_lock.is_free():
            break
        with suppress(ProcessLookupError):
            os.kill(note.pid, number)
        with suppress(TimeoutError):
            async with asyncio.timeout(_STOP_SECONDS):
                while not files.server_lock.is_free():  # noqa: ASYNC110 - another process's end sets no event
                    await asyncio.sleep(_STEP)
    if process is not None:
        process.wait()
    files.note.unlink(missing_ok=True)
    log.info("server_stopped", pid=note.pid)


def _already_runs(files: ServerFiles) -> str:
    note = read_note(files.note)
    who = f"process {note.pid}, port {note.port}" if note else "its process is not known"
    return (
        f"a server already runs on {files.database} ({who}). Use it as it is, stop the `parley up` that owns it, "
        "or set PARLEY_HOME to another directory."
    )


def _last_words(files: ServerFiles) -> str:
    try:
        lines = files.log.read_text(errors="replace").splitlines()[-3:]
    except FileNotFoundError:
        lines = []
    return f"Its log is {files.log}. Last lines: {' | '.join(line[:300] for line in lines)}"
