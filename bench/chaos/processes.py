"""The processes of a chaos run: ``parley up`` with its server and worker, and the rehearsal server."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import structlog

from bench.program import control_models
from runtime.settings import Settings

ROOT = Path(__file__).parents[2]
_FIRST_PORT = 27_333
_READY_SECONDS = 60.0
_STEP = 0.1

_log = structlog.get_logger(__name__)


class Processes:
    """``parley up``, started again whenever it ends, and scripted models that outlive it.

    Args:
        home: The directory of the installation.
        latency_ms: How long a scripted model takes.
    """

    def __init__(self, home: Path, latency_ms: int) -> None:
        settings = Settings(home=home, server_port=_FIRST_PORT)
        self.rehearsal_url = settings.rehearsal_address
        self.settings = settings.model_copy(update={"rehearsal_url": self.rehearsal_url})
        self.restarts_of_up = 0
        self._latency_ms = latency_ms
        self._rehearsal: subprocess.Popen[bytes] | None = None
        self._up: subprocess.Popen[bytes] | None = None

    @property
    def environment(self) -> dict[str, str]:
        """Return the environment of every process of this installation."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PARLEY_", "TEMPORAL_"))}
        return {
            **kept,
            "PARLEY_SERVER_PORT": str(_FIRST_PORT),
            "PARLEY_HOME": str(self.settings.home),
            "PARLEY_REHEARSAL_URL": self.rehearsal_url,
            "PARLEY_LOG_FORMAT": "json",
            "PARLEY_GRACEFUL_SHUTDOWN_SECONDS": "10",
        }

    async def start(self) -> None:
        """Start the scripted models and ``parley up``; return when a worker is ready."""
        self._rehearsal = self._spawn(
            "rehearsal",
            *("--port", str(self.settings.rehearsal_port), "--latency-ms", str(self._latency_ms), "--seed", "7"),
        )
        await self._until(self._is_rehearsing)
        self._up = self._spawn("starter.cli", "up")
        await self._until(self._has_worker)

    async def restart_up(self) -> None:
        """Start ``parley up`` again whenever it has ended, as its user would."""
        while True:
            if self._up is not None and self._up.poll() is not None:
                _log.info("up_ended", code=self._up.returncode)
                self.restarts_of_up += 1
                self._up = self._spawn("starter.cli", "up")
            await asyncio.sleep(2.0)

    def pid(self, name: str) -> int | None:
        """Return the process id of ``up``, ``server``, ``worker`` or ``rehearsal``; ``None`` without one."""
        own = {"up": self._up, "rehearsal": self._rehearsal}
        if name in own:
            process = own[name]
            return None if process is None or process.poll() is not None else process.pid
        try:
            if name == "server":
                return int(json.loads((self.settings.home / "server.json").read_text())["pid"]) or None
            return int((self.settings.home / "worker.pid").read_text())
        except (OSError, ValueError):
            return None

    def send(self, name: str, number: signal.Signals) -> int | None:
        """Send a signal to a process and return its id; ``None`` when it is not there."""
        pid = self.pid(name)
        if pid is None:
            return None
        with suppress(ProcessLookupError):
            os.kill(pid, number)
            return pid
        return None

    async def control_models(self, method: str, path: str, body: object = None) -> Any:
        """Call a control address of the rehearsal server and return its answer."""
        return await control_models(self.rehearsal_url, method, path, body)

    async def stop(self) -> None:
        """End ``parley up`` as Ctrl-C does, then the models."""
        for process in (self._up, self._rehearsal):
            if process is not None and process.poll() is None:
                process.send_signal(signal.SIGTERM)
                try:
                    await asyncio.to_thread(process.wait, 60)
                except subprocess.TimeoutExpired:
                    process.kill()

    def left(self) -> list[str]:
        """Return the command lines of the remaining processes of this home."""
        return [command for command in _commands() if str(self.settings.home) in command]

    def _spawn(self, module: str, *arguments: str) -> subprocess.Popen[bytes]:
        name = module.partition(".")[0] if not arguments or module == "rehearsal" else arguments[0]
        with (self.settings.home / f"{name}.out").open("ab") as out:
            return subprocess.Popen(
                [sys.executable, "-m", module, *arguments],
                cwd=ROOT,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
            )

    async def _is_rehearsing(self) -> bool:
        try:
            await self.control_models("GET", "health")
        except httpx.HTTPError:
            return False
        return True

    async def _has_worker(self) -> bool:
        return self.pid("worker") is not None and "Ready" in (self.settings.home / "up.out").read_text("utf-8")

    async def _until(self, is_there: Any) -> None:
        async with asyncio.timeout(_READY_SECONDS):
            while not await is_there():  # noqa: ASYNC110 - another process's start sets no event
                await asyncio.sleep(_STEP)


def _commands() -> Iterator[str]:
    """Return the command line and environment of every readable process on this machine."""
    for process in Path("/proc").glob("[0-9]*"):
        if int(process.name) == os.getpid():
            continue
        with suppress(OSError):
            content = (process / "environ").read_bytes() + b"\0" + (process / "cmdline").read_bytes()
            yield content.replace(b"\0", b" ").decode(errors="replace")
