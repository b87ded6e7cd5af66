"""A pipe for a worker's reports of a running event loop to its parent process.

The worker writes one byte a second, and another one when it polls. A pipe needs no file, so it works on a full disk;
it names no process, so nothing stale can be read from it; and it closes when either side dies.
"""

import asyncio
import os
from contextlib import suppress
from typing import Self

INTERVAL_SECONDS = 1.0
"""Between two bytes of a worker that turns."""

_READY = b"R"
_CHUNK = 4096


class LivenessPipe:
    """The reading side, in the process that started the worker.

    ``write_end`` is handed to the worker and closed here after that.
    """

    def __init__(self) -> None:
        self._read_end, self.write_end = os.pipe()
        os.set_blocking(self._read_end, False)
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._read_end, self._read)
        self._is_reading = True
        self.beats = 0
        """How often something was read."""
        self.is_ready = False
        """Whether the worker has reported that it polls."""

    def close_write_end(self) -> None:
        """Leave the writing side to the worker alone."""
        with suppress(OSError):
            os.close(self.write_end)

    def close(self) -> None:
        """Stop reading."""
        if self._is_reading:
            self._is_reading = False
            self._loop.remove_reader(self._read_end)
            os.close(self._read_end)

    async def silence(self, seconds: float) -> None:
        """Wait until nothing was read for ``seconds`` in which this process itself could run.

        Turns of this process's own loop are counted, not the clock: time in which the machine slept, or in which it
        was so busy that this process did not run either, says nothing about the worker.
        """
        silent = 0.0
        while silent < seconds:
            before = self.beats
            await asyncio.sleep(INTERVAL_SECONDS)
            silent = 0.0 if self.beats != before else silent + INTERVAL_SECONDS

    def _read(self) -> None:
        read = os.read(self._read_end, _CHUNK)
        if not read:
            self.close()
            return
        self.beats += 1
        self.is_ready = self.is_ready or _READY in read


class LivenessReports:
    """The writing side, in the worker; an ``async with`` writes until its end.

    Args:
        write_end: Of the pipe; ``None`` in a worker without a supervisor.
    """

    def __init__(self, write_end: int | None) -> None:
        self._write_end = write_end
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        if self._write_end is not None:
            os.set_blocking(self._write_end, False)
            self._task = asyncio.create_task(self._report())
        return self

    async def __aexit__(self, *_error: object) -> None:
        if self._task is not None:
            self._task.cancel()

    def report_ready(self) -> None:
        """Report that the worker polls."""
        self._write(_READY)

    async def _report(self) -> None:
        while True:
            self._write(b".")
            await asyncio.sleep(INTERVAL_SECONDS)

    def _write(self, sign: bytes) -> None:
        if self._write_end is not None:
            # A full pipe: the reader is busy. A broken one: it is gone, which the worker notices by its parent's id.
            with suppress(BlockingIOError, BrokenPipeError):
                os.write(self._write_end, sign)
