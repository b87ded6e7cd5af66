"""Replies are read in a process of their own, so that no reply can stop the worker; short ones by ``brief_reading``.

A reader is regular expressions and decoders over untrusted text. However long it takes, the worker's event
loop continues: heartbeats and leases of all other calls are kept. A reader that exceeds its budget, or that
ends its process, makes the reply unreadable; its caller keeps the text.
"""

import asyncio
import os
import signal
import sys
from contextlib import suppress
from typing import Any, Protocol

import structlog
from pydantic import JsonValue

from activities.brief_reading import TooLongToReadError, is_brief, read_briefly
from activities.reader_server import HEADER, pack, unpack
from activities.reply_readers import UnreadableError
from protocols.model_call import ReaderRef

READING_SECONDS = 0.5
"""Processor time that the reading of one reply may take."""

_WALL_SECONDS = 60.0
"""For a process that was stopped or lost; a loaded machine reads far within it."""
_LARGEST_READING = 32_000_000
_PASSED_ON = ("PATH", "PYTHONPATH", "LANG", "LC_ALL", "SYSTEMROOT")
"""All that it is given of the environment: no key is where replies are read."""
_TRIES = 2
_STARTS = 20
_PAUSE = 1.0
"""Seconds between two tries to start the process."""

_log = structlog.get_logger(__name__)


class Readers(Protocol):
    """A reader of replies."""

    async def read(self, text: str, read_as: ReaderRef) -> JsonValue:
        """Return what the reader understands in ``text``; raise ``UnreadableError`` when it cannot."""

    async def aclose(self) -> None:
        """Release what it holds."""


class ReaderProcess:
    """One process that reads one reply after the other; started when first needed, and again when it ended."""

    def __init__(self, seconds: float = READING_SECONDS) -> None:
        """Make it ready to start; one reply may take ``seconds`` of processor time."""
        self._seconds = seconds
        self._process: asyncio.subprocess.Process | None = None
        self._turn = asyncio.Lock()

    async def read(self, text: str, read_as: ReaderRef) -> JsonValue:
        """Return what the reader understands in ``text``, as JSON.

        Raises:
            UnreadableError: the reader broke on this text, or took too long.
        """
        if is_brief(text, read_as):
            with suppress(TooLongToReadError):
                return read_briefly(text, read_as)
        request = pack({"reader": read_as.reader, "needs": read_as.needs, "text": text, "seconds": self._seconds})
        async with self._turn:
            for _ in range(_TRIES):
                reply = await self._asked(request, read_as.reader)
                if reply is None:
                    continue  # the process was ended from outside, which is no property of this text
                if "fault" in reply:
                    raise UnreadableError(reply["fault"])
                reading: JsonValue = reply["reading"]
                return reading
        raise UnreadableError(f"reader {read_as.reader!r} ended its process on the text")

    async def aclose(self) -> None:
        """End the process."""
        async with self._turn:
            await self._end()

    async def _asked(self, request: bytes, reader: str) -> dict[str, Any] | None:
        """Return the process's reply; ``None`` if it ended without one for another reason than its budget."""
        process = await self._running()
        try:
            async with asyncio.timeout(_WALL_SECONDS):
                return await _exchanged(process, request)
        except (asyncio.IncompleteReadError, OSError, TimeoutError):
            code = await self._end()
            _log.warning("reader_process_ended", reader=reader, exit_code=code)
            if code == -signal.SIGVTALRM:
                said = f"reader {reader!r} took more than {self._seconds:g} s of processor time"
                return {"fault": said}
            return None
        except asyncio.CancelledError:
            await self._end()  # its reply to this request would be taken for that to the next
            raise

    async def _running(self) -> asyncio.subprocess.Process:
        if self._process is None or self._process.returncode is not None:
            await self._end()
            self._process = await self._started()
        return self._process

    async def _started(self) -> asyncio.subprocess.Process:
        """Start the process; a machine that has no place for one is asked again, because the reply was paid for."""
        pipe = asyncio.subprocess.PIPE
        command = (sys.executable, "-P", "-m", f"{__package__}.reader_server")
        environ = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
        for _ in range(_STARTS):
            try:
                return await asyncio.create_subprocess_exec(
                    *command, stdin=pipe, stdout=pipe, stderr=asyncio.subprocess.DEVNULL, env=environ
                )
            except OSError as error:
                _log.warning("reader_process_not_started", reason=str(error))
                await asyncio.sleep(_PAUSE)
        raise UnreadableError("no process could be started to read it")

    async def _end(self) -> int | None:
        process, self._process = self._process, None
        if process is None:
            return None
        # A process that ended by itself keeps its exit code: it is waited for before it is killed.
        has_ended = process.stdout is not None and process.stdout.at_eof()
        with suppress(TimeoutError):
            async with asyncio.timeout(_GRACE_SECONDS if has_ended else 0):
                await process.wait()
        with suppress(ProcessLookupError):
            process.kill()
        if process.stdin is not None:
            process.stdin.close()
        await process.communicate()
        return process.returncode


_GRACE_SECONDS = 5.0


async def _exchanged(process: asyncio.subprocess.Process, request: bytes) -> dict[str, Any]:
    if process.stdin is None or process.stdout is None:
        raise OSError("the process has no pipes")
    process.stdin.write(request)
    await process.stdin.drain()
    (size,) = HEADER.unpack(await process.stdout.readexactly(HEADER.size))
    if size > _LARGEST_READING:
        raise OSError("the reading is too large")
    return unpack(await process.stdout.readexactly(size))
