"""A rehearsal server of our own, kept alive for as long as a command needs scripted models."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing, suppress
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from importlib.util import find_spec
from typing import NoReturn
from urllib.parse import urlsplit

from parley.errors import ProcessFailedError
from parley.subprocesses import Child
from runtime.background import run_in_background
from runtime.distribution import missing_package
from runtime.errors import PortInUseError
from runtime.server_process import refuse_taken_port
from runtime.settings import Settings

_READY_SECONDS = 30.0
_STOP_SECONDS = 10.0
_LOOK_SECONDS = 2.0
_ANSWER_SECONDS = 2.0


@asynccontextmanager
async def rehearsal_server(settings: Settings) -> AsyncIterator[asyncio.Event]:
    """Start a rehearsal server whenever ``rehearsal_port`` is silent; yield an event that is set once one answers."""
    started: list[Child] = []
    is_ready = asyncio.Event()
    try:
        async with run_in_background(_keep_rehearsal(settings, started, is_ready)):
            yield is_ready
    finally:
        for child in started:
            await child.stop(patience=_STOP_SECONDS)


async def is_rehearsal_server(url: str) -> bool:
    """Return whether a rehearsal server answers at ``url``.

    A command that only asks needs no other request, and to import httpx takes it a tenth of its time.
    """
    return await asyncio.to_thread(_is_healthy, url)


def _is_healthy(url: str) -> bool:
    parts = urlsplit(url)
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    try:
        with closing(kind(parts.netloc, timeout=_ANSWER_SECONDS)) as connection:
            connection.request("GET", f"{parts.path}/rehearsal/health")
            return connection.getresponse().status == HTTPStatus.OK
    except (OSError, HTTPException):
        return False


async def _keep_rehearsal(settings: Settings, started: list[Child], is_ready: asyncio.Event) -> NoReturn:
    """Start a rehearsal server whenever the one on the port is gone; later the port may be busy for a moment."""
    await _ensure_rehearsal(settings, started)
    is_ready.set()
    while True:
        await asyncio.sleep(_LOOK_SECONDS)
        with suppress(ProcessFailedError):
            await _ensure_rehearsal(settings, started)


async def _ensure_rehearsal(settings: Settings, started: list[Child]) -> None:
    if await is_rehearsal_server(settings.rehearsal_address):
        return
    while started:
        await started.pop().stop(patience=_STOP_SECONDS)
    try:
        refuse_taken_port(settings, "rehearsal_port")
    except PortInUseError as taken:
        if await is_rehearsal_server(settings.rehearsal_address):  # another command has just started it
            return
        raise ProcessFailedError(f"the rehearsal server cannot start: {taken}") from None
    if find_spec("aiohttp") is None:
        raise ProcessFailedError(missing_package(ModuleNotFoundError(name="aiohttp")))
    arguments = ["--port", str(settings.rehearsal_port), "--recordings", str(settings.home / "recordings")]
    child = await Child.start("rehearsal", arguments, log=settings.home / "rehearsal.log", variables={})
    started.append(child)
    await child.ready(lambda: is_rehearsal_server(settings.rehearsal_address), within=_READY_SECONDS)
