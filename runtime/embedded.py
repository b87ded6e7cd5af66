"""A Temporal server of our own, on this machine, for as long as somebody needs it.

``embedded_server`` starts one on ``<home>/temporal.db``, waits until it answers, and stops it at the end. A server that
an earlier process left behind on that file is taken over instead, so that killing ``parley up`` loses nothing: the next
start continues the same history. A server that ends unasked is started again on the same file and ports; workers and
clients find it again by themselves.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager
from typing import Any, NoReturn

import structlog
from temporalio.common import SearchAttributeKey

from runtime.errors import PortInUseError, ServerError, ServerFailedError, ServerLockedError
from runtime.server_lock import ServerFiles, ServerNote, read_note
from runtime.server_process import ServerProcess
from runtime.settings import Settings

log = structlog.get_logger(__name__)

_PAUSES = (1.0, 2.0, 4.0, 8.0, 16.0, 30.0)
"""Seconds before each new start; when none is left, nobody tries any more."""
_STEADY_SECONDS = 60.0
"""A server that ran so long did come up: its end is the first again."""


def unheard(message: str) -> None:
    """Where what is said goes when nobody listens."""


@asynccontextmanager
async def embedded_server(
    settings: Settings,
    namespace: str = "default",
    columns: Iterable[SearchAttributeKey[Any]] = (),
    say: Callable[[str], None] = unheard,
) -> AsyncIterator[ServerNote]:
    """A running server on this installation's file; stopped at the end by whoever owns it.

    When it ends before that, it is started again; ``say`` is told. The lock stays ours all the while.

    Raises:
        ServerLockedError: a server runs on the file, and the process that owns it is alive.
        PortInUseError: something else listens on ``server_port`` or ``ui_port``.
        ServerProgramMissingError: there is no ``temporal`` program.
        ServerFailedError: it did not come up, or ended and could not be started again for about a minute; then the
            block is cancelled. The message names its log.
    """
    server = ServerProcess(settings, namespace, columns)
    owner = server.files.owner_lock
    if not await owner.take_patiently():
        raise ServerLockedError(server.files.already_runs())
    try:
        try:
            note = await server.start()
            async with _kept(server, say):
                yield note
        finally:
            await server.stop()
    finally:
        owner.let_go()


def owned_server(settings: Settings) -> ServerNote | None:
    """The server that another process of this installation runs or is starting, if there is one.

    Its process id is 0 while there is none.
    """
    files = ServerFiles(settings.home)
    if not files.owner_lock.path.exists() or files.owner_lock.is_free():
        return None
    return read_note(files.note) or ServerNote(pid=0, port=settings.server_port, ui_port=settings.ui_port)


def is_left_behind(settings: Settings) -> bool:
    """Whether a server runs on this installation's file that nobody owns any more."""
    files = ServerFiles(settings.home)
    return files.server_lock.path.exists() and not files.server_lock.is_free()


@asynccontextmanager
async def _kept(server: ServerProcess, say: Callable[[str], None]) -> AsyncIterator[None]:
    """Replace the server whenever it ends inside the block; when that fails, the block ends with the error.

    At the end of the block nobody watches any more, so that stopping the server is no death.
    """
    body = asyncio.current_task()
    assert body is not None, "there is no task to tell"  # noqa: S101 - a coroutine always has one
    lost: list[Exception] = []

    async def keep() -> None:
        try:
            await _keep(server, say)
        except (ServerError, OSError) as error:
            lost.append(error)
            body.cancel()

    keeping = asyncio.create_task(keep())
    try:
        yield
    except asyncio.CancelledError:
        # Somebody else may have cancelled the block too, and then that is what counts.
        if not lost or body.uncancel() > 0:
            raise
        raise lost[0] from None
    finally:
        keeping.cancel()
        await asyncio.wait({keeping})


async def _keep(server: ServerProcess, say: Callable[[str], None]) -> NoReturn:
    clock = asyncio.get_running_loop().time
    pauses = iter(_PAUSES)
    while True:
        since = clock()
        code = await server.ended()
        if clock() - since >= _STEADY_SECONDS:
            pauses = iter(_PAUSES)
        log.info("server_ended", code=code, after_seconds=round(clock() - since))
        say(f"the Temporal server ended ({code}); starting it again")
        await _start_again(server, pauses, say)
        say("the Temporal server is there again; everything goes on where it was")


async def _start_again(server: ServerProcess, pauses: Iterator[float], say: Callable[[str], None]) -> None:
    for pause in pauses:
        await asyncio.sleep(pause)
        try:
            await server.start()
        except (PortInUseError, ServerError) as error:
            log.info("server_not_started", reason=str(error))
            say(f"the Temporal server could not be started again: {error}")
        else:
            return
    raise ServerFailedError(
        f"the Temporal server ended and {len(_PAUSES)} new starts did not help. When its log's complaint is "
        f"seen to, `parley up` goes on where it was. {server.files.last_words()}"
    )
