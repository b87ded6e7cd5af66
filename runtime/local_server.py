"""A Temporal server of our own, on this machine, for as long as a process of this installation needs it.

One process owns the server: it starts it on ``<home>/temporal.db``, starts it again on the same file and ports when it
ends unasked, and stops it when it was the last that used it. Every other process that uses it is a standby: when
the owner ends or is killed, one of them becomes the owner, of the server that runs on or of a new one on the same file
and ports. A server that a killed owner left behind while no other process used it is taken over by the next start.
Workers and clients find a server that was started again by themselves.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, NoReturn

import structlog
from temporalio.common import SearchAttributeKey

from runtime.background import run_in_background
from runtime.connect import answers
from runtime.disk_space import report_full_disks
from runtime.errors import PortInUseError, ServerError, ServerFailedError, ServerLockedError
from runtime.file_locks import comes
from runtime.server_flags import HOST
from runtime.server_lock import ServerFiles, ServerInfo, read_info
from runtime.server_process import ServerProcess
from runtime.settings import Settings
from runtime.shutdown import called_on_leaving
from runtime.target import Target

log = structlog.get_logger(__name__)

_PAUSES = (1.0, 2.0, 4.0, 8.0, 16.0, 30.0)
"""Seconds before each new start; after the last one, no process tries any more."""
_STEADY_SECONDS = 60.0
"""A server that ran so long did come up: its end is the first again."""
_STAND_BY_STEP = 0.5
_STEP = 0.1
_STOP_SECONDS = 30.0
"""For how long a process that is stopping the server is waited for."""


def ignore_messages(message: str) -> None:
    """Discard ``message``."""


@asynccontextmanager
async def joined_server(
    settings: Settings,
    namespace: str,
    columns: Iterable[SearchAttributeKey[Any]],
    notify: Callable[[str], None],
    *,
    within: float,
    outwaited: bool,
) -> AsyncIterator[tuple[ServerInfo, bool]]:
    """Use the server on this installation's file, as its owner or as a standby; yield its note and whether it is owned.

    When it ends before the block, it is started again, and ``notify`` is called; after a minute without success the
    block is cancelled. When this process was the last that used it, it is asked to end, ``outwaited`` or not.
    """
    server = ServerProcess(settings, namespace, columns)
    async with _user_of(server, outwaited=outwaited):
        note = await _find_or_own(server, within)
        is_owned = server.files.owner_lock.is_held
        kept = run_in_background(_keep(server, notify) if is_owned else _stand_by(server, note, notify))
        async with kept, run_in_background(report_full_disks(settings.written_folders, notify)):
            yield note, is_owned


def owned_server(settings: Settings) -> ServerInfo | None:
    """Return the server that another process of this installation runs or is starting, if any.

    Its process id is 0 while there is none.
    """
    files = ServerFiles(settings.home)
    if not files.owner_lock.path.exists() or files.owner_lock.is_free():
        return None
    return read_info(files.note) or ServerInfo(pid=0, port=settings.server_port, ui_port=settings.ui_port)


def is_left_behind(settings: Settings) -> bool:
    """Return whether a server runs on this installation's file without an owner."""
    files = ServerFiles(settings.home)
    return files.server_lock.path.exists() and not files.server_lock.is_free()


@asynccontextmanager
async def _user_of(server: ServerProcess, *, outwaited: bool) -> AsyncIterator[None]:
    """Register this process as a user of the server; wait for a process that is stopping it."""
    if not await comes(server.files.users_lock.share, _STOP_SECONDS):
        raise ServerLockedError(
            f"another process has been stopping the server on {server.files.database} for {_STOP_SECONDS:.0f} s. "
            "Try again when it has ended."
        )
    with called_on_leaving(partial(_leave_at_once, server)):
        try:
            yield
        finally:
            await _leave(server, outwaited=outwaited)


async def _leave(server: ServerProcess, *, outwaited: bool) -> None:
    """Stop the server when no other process uses it; else leave it to the others."""
    files = server.files
    try:
        if _is_last_user(server):
            await (server.stop() if outwaited else server.ask_to_stop())
        elif files.owner_lock.is_held:
            server.leave()
            log.info("server_left_to_others", database=str(files.database))
    finally:
        files.owner_lock.let_go()
        files.users_lock.let_go()


def _is_last_user(server: ServerProcess) -> bool:
    """Return whether no other process uses the server; then it is this one's to stop."""
    files = server.files
    is_last = files.users_lock.become_only_holder() and (files.owner_lock.is_held or files.owner_lock.take())
    if is_last:
        server.find_left_behind()
    return is_last


def _leave_at_once(server: ServerProcess) -> None:
    if _is_last_user(server):
        server.ask_to_stop_at_once()


async def _find_or_own(server: ServerProcess, within: float) -> ServerInfo:
    """Return a note whose server answers; own it when no other process does."""
    files = server.files
    try:
        async with asyncio.timeout(within):
            while True:
                if files.owner_lock.take():
                    break
                note = read_info(files.note)
                if note is not None and not note.is_stopping:
                    address = f"{HOST}:{note.port}"
                    if await answers(Target(address=address, namespace="default", configured=False)):
                        return note
                await asyncio.sleep(_STEP)
    except TimeoutError:
        raise ServerLockedError(files.does_not_answer(server.port)) from None
    return await server.start()


async def _stand_by(server: ServerProcess, note: ServerInfo, notify: Callable[[str], None]) -> NoReturn:
    """Take over the server when its owner has ended, and keep it running from then on."""
    owner = server.files.owner_lock
    while not owner.take():  # noqa: ASYNC110 - another process's end sets no event
        await asyncio.sleep(_STAND_BY_STEP)
    server.keep_ports(note)
    if not server.is_left_behind():
        notify("the process that ran the Temporal server has ended; starting the server again here")
    await _start_again(server, iter((0.0, *_PAUSES)), notify)
    log.info("server_owned", database=str(server.files.database))
    await _keep(server, notify)


async def _keep(server: ServerProcess, notify: Callable[[str], None]) -> NoReturn:
    clock = asyncio.get_running_loop().time
    pauses = iter(_PAUSES)
    while True:
        since = clock()
        code = await server.ended()
        if clock() - since >= _STEADY_SECONDS:
            pauses = iter(_PAUSES)
        log.info("server_ended", code=code, after_seconds=round(clock() - since))
        notify(f"the Temporal server ended ({code}); starting it again")
        await _start_again(server, pauses, notify)
        notify("the Temporal server answers again; running deliberations continue")


async def _start_again(server: ServerProcess, pauses: Iterator[float], notify: Callable[[str], None]) -> None:
    for pause in pauses:
        await asyncio.sleep(pause)
        try:
            await server.start()
        except (PortInUseError, ServerError) as error:
            log.info("server_not_started", reason=str(error))
            notify(f"the Temporal server could not be started again: {error}")
        else:
            return
    raise ServerFailedError(
        f"the Temporal server ended and {len(_PAUSES)} new starts did not help. Correct what its log "
        f"reports; then `parley up` continues. {server.files.last_words()}"
    )
