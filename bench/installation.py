"""A whole installation for a benchmark: embedded server, worker processes, models of a chosen latency."""

import asyncio
import logging
import os
import socket
import subprocess
import sys
import uuid
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import NamedTuple

import httpx
import structlog
from temporalio.client import Client

from bench.distance import distant
from bench.peers.council import CALLS, MODELS, QUESTION
from protocols.council import prompts
from protocols.council.model import CouncilInput
from protocols.panel import Panel
from runtime.connect import connect
from runtime.ports import BESIDE
from runtime.server_address import resolve_server
from runtime.server_lock import ServerFiles, read_info
from runtime.settings import Settings
from runtime.target import temporal_target
from workflows import search_attributes
from workflows.council import CouncilWorkflow

ROOT = Path(__file__).parents[1]
_READY_SECONDS = 60.0
_CALLS_AT_ONCE = 200


class Plan(NamedTuple):
    """The installation that a benchmark starts."""

    provider_url: str | None = None
    """Another provider of the models than the rehearsal server."""
    ledger: str | None = None
    """The address of another database than SQLite."""
    workers: int = 1
    command: Sequence[str] = ("worker",)
    """The module of a worker and its arguments."""
    more: Mapping[str, str] = {}
    """Further variables of the worker's environment."""
    one_way_ms: float = 0.0
    """Milliseconds of a message between the Temporal server and the workers."""
    is_quiet: bool = False
    """Whether a worker logs to a file: where every call fails for a while, it writes a line for each try."""


class BenchInstallation:
    """A running installation for a benchmark."""

    def __init__(self, settings: Settings, client: Client, workers: Sequence[subprocess.Popen[bytes]]) -> None:
        self.rehearsal_url = f"http://127.0.0.1:{settings.rehearsal_port}"
        self.settings = settings
        self.client = client
        self._workers = workers
        self._models: subprocess.Popen[bytes] | None = None

    @property
    def processes(self) -> dict[str, int]:
        """Return the ids of server and workers."""
        names = ("worker", *(f"worker {number}" for number in range(2, len(self._workers) + 1)))
        workers = {name: worker.pid for name, worker in zip(names, self._workers, strict=True)}
        return {**workers, "server": server_process(self.settings)}

    async def set_latency(self, milliseconds: int) -> None:
        """Set the time per answer of the rehearsal server's models."""
        self.close()
        port = str(self.settings.rehearsal_port)
        self._models = _process(
            ["rehearsal", "--port", port, "--latency-ms", str(milliseconds)], env=dict(os.environ), log=None
        )
        async with asyncio.timeout(_READY_SECONDS), httpx.AsyncClient(trust_env=False) as http:
            while not await _answers(http, f"{self.rehearsal_url}/rehearsal/health"):  # noqa: ASYNC110 - another process
                await asyncio.sleep(0.05)

    async def run_council(self) -> str:
        """Run one council from start to verdict and return its id.

        Raises:
            RuntimeError: it is another council than its peers': with further calls, or with fewer.
        """
        name = f"council-bench-{uuid.uuid4().hex[:12]}"
        result = await self.client.execute_workflow(CouncilWorkflow.run, the_council(), id=name, task_queue="parley")
        if result.spent.calls != CALLS:
            raise RuntimeError(
                f"the council made {result.spent.calls} calls instead of {CALLS}: {result.degraded.summary}"
            )
        return name

    def close(self) -> None:
        """Stop the models."""
        if self._models is not None:
            self._models.terminate()
            self._models.wait()


def the_council() -> CouncilInput:
    """Return Parley's input of the council that every peer runs."""
    models = tuple(f"rehearsal:{name}" for name in MODELS)
    return CouncilInput(question=QUESTION, title="bench", panel=Panel.of(models, models[0]), prompts=prompts.PACK)


@asynccontextmanager
async def open_installation(home: Path, plan: Plan = Plan()) -> AsyncIterator[BenchInstallation]:  # noqa: B008 - it is not changed
    """Run an installation in ``home`` on free ports; stop everything at the end."""
    async with (
        server(home) as (settings, client, _),
        distant(settings.server_port, plan.one_way_ms) as port,
        _workers(settings, f"127.0.0.1:{port}", plan) as workers,
    ):
        on = BenchInstallation(settings, client, workers)
        try:
            yield on
        finally:
            on.close()


@asynccontextmanager
async def server(home: Path) -> AsyncIterator[tuple[Settings, Client, str]]:
    """Run a Temporal server on a file in ``home``, on free ports."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    await asyncio.to_thread(home.mkdir, exist_ok=True)
    settings = settings_in(home)
    async with resolve_server(settings, temporal_target(settings), search_attributes.ALL) as found:
        yield settings, await connect(settings, address=found.address), found.address


def server_process(settings: Settings) -> int:
    """Return the id of the server's process; 0 without one."""
    note = read_info(ServerFiles(settings.home).note)
    return note.pid if note else 0


@asynccontextmanager
async def _workers(settings: Settings, address: str, plan: Plan) -> AsyncIterator[Sequence[subprocess.Popen[bytes]]]:
    ready = [settings.home / f"ready-{number}" for number in range(plan.workers)]
    started = []
    try:
        for file in ready:
            environment = _environment(settings, address, plan) | {"PARLEY_WORKER_READY_FILE": str(file)}
            log = settings.home / "worker.log" if plan.is_quiet else None
            started.append(_process(plan.command, env=environment, log=log))
        async with asyncio.timeout(_READY_SECONDS):
            while not await asyncio.to_thread(all, map(Path.exists, ready)):  # noqa: ASYNC110 - another process
                await asyncio.sleep(0.05)
        yield started
    finally:
        for worker in started:
            worker.terminate()
        for worker in started:
            worker.wait()


def _environment(settings: Settings, address: str, plan: Plan) -> dict[str, str]:
    return {
        **_as_installed(),
        "TEMPORAL_ADDRESS": address,
        "PARLEY_HOME": str(settings.home),
        "PARLEY_REHEARSAL_URL": plan.provider_url or f"http://127.0.0.1:{settings.rehearsal_port}",
        "PARLEY_LOG_LEVEL": "WARNING",
        "PARLEY_MAX_CONCURRENT_CALLS": str(_CALLS_AT_ONCE),
        **({"PARLEY_DATABASE_URL": plan.ledger} if plan.ledger else {}),
        **plan.more,
    }


def settings_in(home: Path, **given: object) -> Settings:
    """Return settings with free ports for an installation in ``home``."""
    ports = zip(("server_port", *BESIDE), free_ports(1 + len(BESIDE)), strict=True)
    return Settings.model_validate({"home": home, **given} | dict(ports))


def free_ports(count: int) -> list[int]:
    """Return free ports, different for two benchmarks at once."""
    with ExitStack() as opened:
        sockets = [opened.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [int(one.getsockname()[1]) for one in sockets]


def _as_installed() -> dict[str, str]:
    """Return this environment with bytecode caching, because a workflow's module is loaded for every run."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def _process(command: Sequence[str], env: Mapping[str, str], log: Path | None) -> subprocess.Popen[bytes]:
    started = [sys.executable, "-m", *command]
    if log is None:
        return subprocess.Popen(started, cwd=ROOT, env=env, stdin=subprocess.DEVNULL)
    with log.open("ab") as out:
        return subprocess.Popen(started, cwd=ROOT, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=out)


async def _answers(http: httpx.AsyncClient, url: str) -> bool:
    try:
        return (await http.get(url)).is_success
    except httpx.HTTPError:
        return False
