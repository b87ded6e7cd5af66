"""The process behind the embedded server: started or taken over, waited for, and stopped.

The holder of the owner's lock has one of these. It may be started again after it ended, on the same file and ports.
"""

import asyncio
import os
import signal
import subprocess
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import structlog
from temporalio.common import SearchAttributeKey

from runtime.connect import answers
from runtime.errors import PortInUseError, ServerError, ServerFailedError, ServerLockedError
from runtime.file_locks import comes
from runtime.home import PRIVATE_UMASK, open_to_append, write_private
from runtime.ports import is_free, ports_to_set
from runtime.processes import is_working
from runtime.server_flags import HOST, command, environment
from runtime.server_lock import ServerFiles, ServerInfo, read_info
from runtime.settings import PREFIX, Settings
from runtime.target import Target

log = structlog.get_logger(__name__)

_READY_SECONDS = 30.0
_STOP_SECONDS = 15.0
_STEP = 0.05
_WATCH_STEP = 0.2
_PAUSES_FOR_PORTS = (0.5, 2.0)

_left_running: list[subprocess.Popen[bytes]] = []
"""Children that outlive this process's use of them; a handle that is thrown away would complain that they run."""


class ServerProcess:
    """A server on ``settings.home``: a child of this process, or what a killed owner left behind.

    Args:
        settings: Where it keeps its file and on which ports it listens.
        namespace: That it has beside ``default``.
        columns: Search attributes of a new server.
    """

    def __init__(self, settings: Settings, namespace: str, columns: Iterable[SearchAttributeKey[Any]]) -> None:
        self.files = ServerFiles(settings.home)
        self._settings = settings
        self._namespace = namespace
        self._columns = tuple(columns)
        self._child: subprocess.Popen[bytes] | None = None
        self._note: ServerInfo | None = None
        self._log_size = 0

    async def start(self) -> ServerInfo:
        """Take over the server that runs on the file, else start one; returns when it answers.

        Raises:
            ServerLockedError: a server runs on the file and left no note.
            PortInUseError: something else listens on one of the ports.
            ServerProgramMissingError: there is no ``temporal`` program.
            ServerFailedError: it did not come up; the message ends with its own last words.
        """
        try:
            note = await self._ready_in_some_start()
        except ServerError:
            await self.stop()
            raise
        except OSError as error:
            await self.stop()
            raise ServerFailedError(
                f"the server cannot be started: {error}. {self.files.last_words(self._log_size)}"
            ) from None
        event = "server_taken_over" if self._child is None else "server_started"
        log.info(event, pid=note.pid, address=f"{HOST}:{note.port}", database=str(self.files.database))
        return note

    @property
    def port(self) -> int:
        """Return the port on which the server listens or will listen."""
        return self._settings.server_port

    def keep_ports(self, note: ServerInfo) -> None:
        """Start the server on the ports of ``note``, where other processes look for it."""
        self._settings = self._settings.model_copy(update={"server_port": note.port, "ui_port": note.ui_port})

    def is_left_behind(self) -> bool:
        """Return whether a server runs on the file that this object has not started."""
        return self._note is None and self.files.server_lock.path.exists() and not self.files.server_lock.is_free()

    def find_left_behind(self) -> None:
        """Detect a server on the file, to let ``stop`` end it."""
        if self.is_left_behind():
            self._note = read_info(self.files.note)

    async def ended(self) -> str:
        """Wait until it ends; its exit code, in words when only a parent could know it. No zombie is left."""
        while not self._has_ended():  # noqa: ASYNC110 - another process's end sets no event
            await asyncio.sleep(_WATCH_STEP)
        code = self._code()
        self._forget()
        return code

    def leave(self) -> None:
        """Keep the handle of a server that runs on for another owner, or is just ending."""
        if self._child is not None:
            _left_running[:] = [*(child for child in _left_running if child.poll() is None), self._child]

    async def ask_to_stop(self) -> None:
        """Ask it to end without waiting for that; end it when it cannot act on it.

        It closes its file and ends within a second or two. A start that comes meanwhile waits for it.
        """
        if self._note is None:
            return
        if self._has_ended() or not is_working(self._note.pid):
            await self.stop()
            return
        self.ask_to_stop_at_once()
        self.leave()
        self._child = self._note = None

    def ask_to_stop_at_once(self) -> None:
        """Ask it to end as the last act of a process; nothing happens when there is none."""
        if self._note is not None:
            write_private(self.files.note, self._note.model_copy(update={"is_stopping": True}).model_dump_json)
            self._signal(self._note.pid, signal.SIGTERM)
            log.info("server_asked_to_stop", pid=self._note.pid)

    async def stop(self) -> None:
        """Ask it to end, and end it when it has not in time; nothing happens when there is none."""
        if self._note is None:
            return
        for number in (signal.SIGTERM, signal.SIGKILL):
            if self._has_ended():
                break
            self._signal(self._note.pid, number)
            await comes(self._has_ended, _STOP_SECONDS)
        log.info("server_stopped", pid=self._note.pid)
        self.leave()  # a busy machine may take longer to end even a killed one
        self._forget()

    async def _ready_in_some_start(self) -> ServerInfo:
        """Start the server again after a pause while its ports, or those for its own connections, are not free."""
        for pause in _PAUSES_FOR_PORTS:
            try:
                return await self._ready(await self._spawned_or_taken_over())
            except (ServerFailedError, PortInUseError) as error:
                # A server that is just ending, of this or of another home, frees its ports one by one.
                if not isinstance(error, PortInUseError) and "failed assigning ephemeral port" not in str(error):
                    raise
                log.info("server_start_repeated", pause=pause, cause=str(error))
                await self.stop()
                await asyncio.sleep(pause)
        return await self._ready(await self._spawned_or_taken_over())

    async def _spawned_or_taken_over(self) -> ServerInfo:
        if await self.files.server_lock.take_patiently() or await self._outlast():
            try:
                return self._spawn()
            finally:
                self.files.server_lock.let_go()
        note = read_info(self.files.note)
        if note is None:
            raise ServerLockedError(
                f"a server already runs on {self.files.database} (its process is not known). Use it as it is, stop the "
                "`parley up` that owns it, or set PARLEY_HOME to another directory."
            )
        self._note = note
        self.keep_ports(note)
        return note

    async def _outlast(self) -> bool:
        """Wait for a server that was asked to end, end it when it has not in time, and return whether it is gone."""
        lock, note = self.files.server_lock, read_info(self.files.note)
        if note is None or not note.is_stopping:
            return False
        if await lock.take_patiently(within=_STOP_SECONDS):
            return True
        self._signal(note.pid, signal.SIGKILL)
        return await lock.take_patiently()

    def _spawn(self) -> ServerInfo:
        settings = self._settings
        arguments = command(settings, self.files.database, self._namespace, self._columns)
        for name in ("server_port", "ui_port", "http_port", "server_metrics_port"):
            refuse_taken_port(settings, name)
        self.files.note.unlink(missing_ok=True)
        with os.fdopen(open_to_append(self.files.log), "ab") as lines:
            self._log_size = lines.tell()
            self._child = subprocess.Popen(  # noqa: S603 - our own command line
                arguments,
                stdin=subprocess.DEVNULL,
                stdout=lines,
                stderr=lines,
                env=environment(),
                pass_fds=(self.files.server_lock.handle,),
                umask=PRIVATE_UMASK,
                start_new_session=True,  # Ctrl-C is for us; the server goes last
            )
        self._note = ServerInfo(pid=self._child.pid, port=settings.server_port, ui_port=settings.ui_port)
        write_private(self.files.note, self._note.model_dump_json)
        return self._note

    async def _ready(self, note: ServerInfo) -> ServerInfo:
        target = Target(address=f"{HOST}:{note.port}", namespace="default", configured=False)
        try:
            async with asyncio.timeout(_READY_SECONDS):
                while not await answers(target):
                    if self._has_ended():
                        raise ServerFailedError(
                            f"the server ended with {self._code()}. {self.files.last_words(self._log_size)}"
                        )
                    await asyncio.sleep(_STEP)
        except TimeoutError:
            raise ServerFailedError(
                f"the server did not answer within {_READY_SECONDS:.0f} s. {self.files.last_words(self._log_size)}"
            ) from None
        return note

    def _has_ended(self) -> bool:
        # The lock lives exactly as long as the server, whichever process is its parent.
        return self.files.server_lock.is_free() if self._child is None else self._child.poll() is not None

    def _code(self) -> str:
        return "an exit code that is not known" if self._child is None else f"exit code {self._child.returncode}"

    def _signal(self, pid: int, number: signal.Signals) -> None:
        if self._child is not None:
            self._child.send_signal(number)
            return
        with suppress(ProcessLookupError):
            os.kill(pid, number)

    def _forget(self) -> None:
        self._child = self._note = None
        self.files.note.unlink(missing_ok=True)


def refuse_taken_port(settings: Settings, name: str) -> None:
    """Raise ``PortInUseError`` with the remedy when something listens on the port that the setting ``name`` gives."""
    if is_free(port := getattr(settings, name)):
        return
    is_set = name != "server_port" and name in settings.model_fields_set
    remedy = f"{PREFIX}{name.upper()} to a free port" if is_set else ports_to_set()
    raise PortInUseError(f"something else listens on port {port} of this machine. Stop it, or set {remedy}.")
