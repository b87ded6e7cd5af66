"""Programs that a command starts for itself, a worker for example, and stops again.

A child has a session of its own, so that Ctrl-C reaches it once, through its parent. It is told the parent's process
id (``PARLEY_PARENT_PID``) and ends by itself when that process is gone. It runs without the present directory on its
module path: a ``worker.py`` that happens to lie there is not ours.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Self

from pydantic import SecretStr

from runtime.settings import PREFIX, Settings
from starter.errors import ProcessFailedError

_STEP = 0.05
_LAST_LINES = 3


class Child:
    """A program that was started."""

    def __init__(self, name: str, process: asyncio.subprocess.Process, log: Path) -> None:
        self.name = name
        self._process = process
        self._log = log

    @classmethod
    async def start(cls, name: str, arguments: Sequence[str], *, log: Path, variables: Mapping[str, str]) -> Self:
        """Start our own module ``name`` with ``arguments``; what it prints is appended to ``log``.

        Raises:
            ProcessFailedError: the log cannot be written or the program cannot be started.
        """
        try:
            log.parent.mkdir(parents=True, exist_ok=True)
            with log.open("ab") as lines:
                process = await asyncio.create_subprocess_exec(
                    sys.executable,
                    *("-P", "-m", name, *arguments),
                    stdin=asyncio.subprocess.DEVNULL,
                    stdout=lines,
                    stderr=lines,
                    env={**os.environ, **variables, f"{PREFIX}PARENT_PID": str(os.getpid())},
                    start_new_session=True,
                )
        except OSError as error:
            raise ProcessFailedError(f"the {name} cannot be started: {error}") from None
        return cls(name, process, log)

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    async def ready(self, file: Path, *, within: float) -> None:
        """Wait until it has written ``file``.

        Raises:
            ProcessFailedError: it ended, or ``within`` seconds are over; ends with its last words.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(within):
                while not file.exists():  # noqa: ASYNC240 - one look at a local directory
                    if self._process.returncode is not None:
                        raise ProcessFailedError(f"the {self.name} ended at its start ({self._ending()})")
                    await asyncio.sleep(_STEP)
                return
        raise ProcessFailedError(f"the {self.name} was not ready within {within:.0f} s ({self._ending()})")

    async def ended(self) -> str:
        """Wait until it ends by itself; how it ended, and where it says more."""
        return f"code {await self._process.wait()}, its log is {self._log}"

    async def stop(self, *, patience: float) -> None:
        """Ask it to end, and end it when it has not after ``patience`` seconds."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            if self._process.returncode is not None:
                return
            with suppress(ProcessLookupError):
                self._process.send_signal(number)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._process.wait(), patience)

    def _ending(self) -> str:
        code = self._process.returncode
        how = "still running" if code is None else f"code {code}"
        return f"{how}. Its log is {self._log}. Last lines: {' | '.join(_last_lines(self._log))}"


def as_variables(settings: Settings) -> dict[str, str]:
    """``settings`` as a child reads them: what was set here is set there."""
    told = {name: getattr(settings, name) for name in settings.model_fields_set}
    told["home"] = settings.home
    return {f"{PREFIX}{name.upper()}": _plain(value) for name, value in told.items() if value is not None}


def _plain(value: object) -> str:
    return value.get_secret_value() if isinstance(value, SecretStr) else str(value)


def _last_lines(log: Path) -> list[str]:
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - 4096))
            lines = file.read().decode(errors="replace").splitlines()
    except OSError:
        return []
    return [line[:300] for line in lines[-_LAST_LINES:]]
