"""A whole installation for a benchmark: embedded server, one worker process, scripted models of a chosen latency."""

import asyncio
import os
import socket
import subprocess
import sys
import uuid
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path

import httpx
from temporalio.client import Client

from bench.plain import council_input
from runtime.connect import connect
from runtime.server_address import resolve_server
from runtime.settings import Settings
from runtime.target import temporal_target
from workflows import search_attributes
from workflows.council import CouncilWorkflow

ROOT = Path(__file__).parents[1]
_READY_SECONDS = 30.0


class BenchInstallation:
    """A running installation for a benchmark."""

    def __init__(self, settings: Settings, client: Client) -> None:
        self.rehearsal_url = f"http://127.0.0.1:{settings.rehearsal_port}"
        self.settings = settings
        self.client = client
        self._models: subprocess.Popen[bytes] | None = None

    async def set_latency(self, milliseconds: int) -> None:
        """Set the models' time per answer."""
        self.close()
        port = str(self.settings.rehearsal_port)
        self._models = _process("rehearsal", "--port", port, "--latency-ms", str(milliseconds), env=dict(os.environ))
        async with asyncio.timeout(_READY_SECONDS), httpx.AsyncClient(trust_env=False) as http:
            while not await _answers(http, f"{self.rehearsal_url}/rehearsal/health"):  # noqa: ASYNC110 - another process
                await asyncio.sleep(0.05)

    async def run_council(self) -> None:
        """Run one council from start to verdict."""
        await self.client.execute_workflow(
            CouncilWorkflow.run, council_input(), id=f"council-bench-{uuid.uuid4().hex[:12]}", task_queue="parley"
        )

    def close(self) -> None:
        """Stop the models."""
        if self._models is not None:
            self._models.terminate()
            self._models.wait()


@asynccontextmanager
async def open_installation(home: Path, *, is_quiet: bool = False) -> AsyncIterator[BenchInstallation]:
    """Run an installation in ``home`` on free ports; stop everything at the end.

    A quiet worker writes its log to a file: where every call fails for a while, that is a line for each try.
    """
    settings = _settings(home)
    async with resolve_server(settings, temporal_target(settings), search_attributes.ALL) as found:
        client = await connect(settings, address=found.address)
        ready = home / "ready"
        told = {
            **_as_installed(),
            "TEMPORAL_ADDRESS": found.address,
            "PARLEY_HOME": str(home),
            "PARLEY_REHEARSAL_URL": f"http://127.0.0.1:{settings.rehearsal_port}",
            "PARLEY_WORKER_READY_FILE": str(ready),
            "PARLEY_LOG_LEVEL": "WARNING",
            "PARLEY_MAX_CONCURRENT_CALLS": "64",
        }
        worker = _process("worker", env=told, log=home / "worker.log" if is_quiet else None)
        on = BenchInstallation(settings, client)
        try:
            async with asyncio.timeout(_READY_SECONDS):
                while not await asyncio.to_thread(ready.exists):  # noqa: ASYNC110 - another process
                    await asyncio.sleep(0.05)
            yield on
        finally:
            on.close()
            worker.terminate()
            worker.wait()


def _settings(home: Path) -> Settings:
    names = ("server_port", "ui_port", "codec_port", "rehearsal_port")
    return Settings.model_validate({"home": home} | dict(zip(names, _free_ports(len(names)), strict=True)))


def _free_ports(count: int) -> list[int]:
    """Return free ports, different for two benchmarks at once."""
    with ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [int(one.getsockname()[1]) for one in sockets]


def _as_installed() -> dict[str, str]:
    """Return this environment with bytecode caching, because a workflow's module is loaded for every run."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def _process(module: str, *arguments: str, env: dict[str, str], log: Path | None = None) -> subprocess.Popen[bytes]:
    started = [sys.executable, "-m", module, *arguments]
    if log is None:
        return subprocess.Popen(started, cwd=ROOT, env=env, stdin=subprocess.DEVNULL)
    with log.open("ab") as out:
        return subprocess.Popen(started, cwd=ROOT, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=out)


async def _answers(http: httpx.AsyncClient, url: str) -> bool:
    try:
        return (await http.get(url)).is_success
    except httpx.HTTPError:
        return False
