"""Programs that a command starts for itself, a worker for example, and stops again.

A child has a session of its own, so that Ctrl-C reaches it once, through its parent. It gets the parent's process
id (``PARLEY_PARENT_PID``) and ends by itself when that process is gone. It runs without the present directory on its
module path: a ``worker.py`` that happens to lie there is not ours. A child that is watched gets the writing side of a
pipe (``PARLEY_LIVENESS_FD``) and shows over it that its event loop turns.
"""

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import Process
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Self

from pydantic import SecretStr

from parley.errors import ProcessFailedError
from runtime.distribution import own_module
from runtime.home import PRIVATE_UMASK, open_to_append
from runtime.liveness import LivenessPipe
from runtime.processes import is_traced
from runtime.settings import PREFIX, Settings

_CANNOT_START = "_cannot_start"
"""The end of the event with which a program logs why it ends at its start."""
_STEP = 0.05
_LAST_LINES = 3
_KILL_SECONDS = 10.0


class Child:
    """A program that was started."""

    def __init__(
        self, name: str, process: Process, log: Path, pipe: LivenessPipe | None = None, before: int = 0
    ) -> None:
        self.name = name
        self._process = process
        self._log, self._before = log, before
        self._pipe = pipe

    @classmethod
    async def start(
        cls, name: str, arguments: Sequence[str], *, log: Path, variables: Mapping[str, str], watched: bool = False
    ) -> Self:
        """Start our own module ``name`` with ``arguments``; what it prints is appended to ``log``.

        Raises:
            ProcessFailedError: the log cannot be written or the program cannot be started.
        """
        pipe = None
        try:
            pipe = LivenessPipe() if watched else None
            handed = {} if pipe is None else {f"{PREFIX}LIVENESS_FD": str(pipe.write_end)}
            with os.fdopen(open_to_append(log), "ab") as lines:
                before = lines.tell()  # bytes of earlier programs
                process = await asyncio.create_subprocess_exec(
                    sys.executable,
                    *("-P", "-m", own_module(name), *arguments),
                    stdin=asyncio.subprocess.DEVNULL,
                    stdout=lines,
                    stderr=lines,
                    env={**os.environ, **variables, **handed, f"{PREFIX}PARENT_PID": str(os.getpid())},
                    pass_fds=() if pipe is None else (pipe.write_end,),
                    umask=PRIVATE_UMASK,
                    start_new_session=True,
                )
        except OSError as error:
            if pipe is not None:
                pipe.close()
            raise ProcessFailedError(f"the {name} cannot be started: {error}") from None
        finally:
            if pipe is not None:
                pipe.close_write_end()
        return cls(name, process, log, pipe, before)

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    async def ready(self, is_ready: Callable[[], Awaitable[bool]] | None = None, *, within: float) -> None:
        """Wait until ``is_ready`` says so; without it, until a watched child reports that it is ready.

        Raises:
            ProcessFailedError: it ended, or ``within`` seconds are over; quotes the last lines of its log.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(within):
                while not (await is_ready() if is_ready else self._pipe and self._pipe.is_ready):
                    if self._process.returncode is not None:
                        if reason := self.last_reason(_CANNOT_START):
                            raise ProcessFailedError(f"the {self.name} cannot start: {reason}")
                        raise ProcessFailedError(f"the {self.name} ended at its start ({self._ending()})")
                    await asyncio.sleep(_STEP)
                return
        why = self.last_reason() or self._ending()
        raise ProcessFailedError(f"the {self.name} was not ready within {within:.0f} s: {why}")

    async def ended(self) -> str:
        """Wait until it ends by itself and return how, and where its log is."""
        return f"code {await self._process.wait()}, its log is {self._log}"

    async def hung(self, seconds: float) -> str:
        """Wait until a watched child has shown no life for ``seconds``, and no debugger holds it; then return that."""
        if self._pipe is None or not seconds:
            await asyncio.Event().wait()
            raise AssertionError
        await self._pipe.silence(seconds)
        while is_traced(self.pid):
            await self._pipe.silence(seconds)
        return f"it did not answer for {seconds:.0f} s, its log is {self._log}"

    async def stop(self, *, patience: float) -> None:
        """Ask it to end, and end it when it has not after ``patience`` seconds."""
        await self._end((signal.SIGTERM, signal.SIGKILL), patience)

    async def kill(self) -> None:
        """End it at once; a program that is stopped or stuck takes no other request."""
        await self._end((signal.SIGKILL,), _KILL_SECONDS)

    async def _end(self, signals: Sequence[signal.Signals], patience: float) -> None:
        for number in signals:
            if self._process.returncode is not None:
                break
            with suppress(ProcessLookupError):
                self._process.send_signal(number)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._process.wait(), patience)
        if self._pipe is not None:
            self._pipe.close()

    def last_reason(self, event: str = "") -> str:
        """Return the reason in its last event, whose name ends with ``event``; blank for any other line."""
        with suppress(ValueError, IndexError):  # the last line is no JSON, or there is none
            said = json.loads(self._lines()[-1])
            if isinstance(said, dict) and str(said.get("event")).endswith(event):
                return str(said.get("reason", "")).rstrip(".")
        return ""

    def _lines(self) -> list[str]:
        try:
            with self._log.open("rb") as file:
                size = self._log.stat().st_size
                file.seek(max(self._before if self._before <= size else 0, size - 4096))
                return file.read().decode(errors="replace").splitlines()
        except OSError:
            return []

    def _ending(self) -> str:
        code = self._process.returncode
        how = "still running" if code is None else f"code {code}"
        last = (line[:300] for line in self._lines()[-_LAST_LINES:])
        return f"{how}. Its log is {self._log}. Last lines: {' | '.join(last)}"


def as_variables(settings: Settings) -> dict[str, str]:
    """Return ``settings`` as environment variables of a child process."""
    values = {name: getattr(settings, name) for name in settings.model_fields_set}
    values["home"] = settings.home
    plain = {name: one.get_secret_value() if isinstance(one, SecretStr) else one for name, one in values.items()}
    return {f"{PREFIX}{name.upper()}": str(value) for name, value in plain.items() if value is not None}
