"""A whole installation in real processes, to be killed: server, worker, rehearsal server, each with its own pid."""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from sqlalchemy import select
from temporalio.client import Client

from activities.providers.transport import trusted
from ledger.store import Store
from ledger.tables import JOURNAL
from runtime.connect import answers, connect
from runtime.server_address import keep_closed_runs, register_columns
from runtime.server_flags import command, environment
from runtime.settings import Settings
from tests.fakes.ending import with_parent
from tests.fakes.programs import ROOT, Program, start_program
from tests.fakes.server import settings_in, target_of
from workflows import search_attributes

_PATIENCE = 30.0
_LAB = """\
[providers.lab]
base_url = "{address}"
dialect = "openrouter"
key_variable = "LAB_API_KEY"
"""


@dataclass
class Installation:
    """Processes over one directory. ``start_…`` and ``kill_…`` may be called again and again."""

    settings: Settings
    extra: Mapping[str, str] = field(default_factory=dict)
    latency_ms: int = 0
    server_flags: Sequence[str] = ()
    """What the server is reported beyond our own flags."""
    _running: dict[str, subprocess.Popen[bytes] | Program] = field(default_factory=dict)

    @property
    def rehearsal_url(self) -> str:
        """Where the scripted models answer."""
        return f"http://127.0.0.1:{self.settings.rehearsal_port}"

    @property
    def environment(self) -> dict[str, str]:
        """The environment of every process of this installation."""
        settings = self.settings
        told = {
            "TEMPORAL_ADDRESS": f"127.0.0.1:{settings.server_port}",
            "PARLEY_HOME": str(settings.home),
            "PARLEY_SERVER_PORT": str(settings.server_port),
            "PARLEY_HTTP_PORT": str(settings.http_port),
            "PARLEY_SERVER_METRICS_PORT": str(settings.server_metrics_port),
            "PARLEY_UI_PORT": str(settings.ui_port),
            "PARLEY_CODEC_PORT": str(settings.codec_port),
            "PARLEY_REHEARSAL_PORT": str(settings.rehearsal_port),
            "PARLEY_REHEARSAL_URL": self.rehearsal_url,
            "PARLEY_LOG_FORMAT": "json",
            "PARLEY_CHECK_MODELS": "false",
            "PARLEY_GRACEFUL_SHUTDOWN_SECONDS": "5",
            "PYTHONPATH": str(ROOT),
        }
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PARLEY_", "TEMPORAL_"))}
        return {**kept, **told, **self.extra}

    async def start_server(self) -> None:
        """The real server on this installation's file; returns when it answers.

        While it was dead another program's connection may have been given one of its ports: then it is tried again.
        """
        arguments = command(self.settings, self.settings.home / "temporal.db", "default", search_attributes.ALL)

        async def is_there() -> bool:
            server = self._running.get("server")
            if server is None or server.poll() is not None:
                self._spawn("server", [*arguments, *self.server_flags], environment())
            return await answers(target_of(self.settings))

        await self._until(is_there)

    async def start_worker(self, code: Path = ROOT, program: Sequence[str] = ("worker",)) -> None:
        """A worker that runs the code in the directory ``code``, or another program; returns when it polls."""
        ready = self.settings.home / f"ready-{time.monotonic_ns()}"
        env = {**self.environment, "PARLEY_WORKER_READY_FILE": str(ready), "PYTHONPATH": str(code)}
        if code == ROOT:
            self._running["worker"] = start_program(program, env, self.settings.home / "worker.out")
        else:
            self._spawn("worker", [sys.executable, "-m", *program], env, code)
        await self._until(lambda: asyncio.to_thread(ready.exists))

    async def start_rehearsal(self, seed: int = 7) -> None:
        """Scripted models; returns when they answer."""
        arguments = ["--port", str(self.settings.rehearsal_port), "--seed", str(seed)]
        latency = ["--latency-ms", str(self.latency_ms)]
        out = self.settings.home / "rehearsal.out"
        self._running["rehearsal"] = start_program(["rehearsal", *arguments, *latency], self.environment, out)
        await self._until(self._is_rehearsing)

    def kill(self, name: str) -> None:
        """``kill -9``: nothing of the process gets a last word."""
        process = self._running.pop(name)
        process.kill()
        process.wait()

    def send(self, name: str, number: signal.Signals) -> None:
        """Send a process a signal, for example to stop it as it is."""
        self._running[name].send_signal(number)

    async def end(self, name: str) -> int:
        """Ask a process to end and wait until it has; its exit code."""
        process = self._running.pop(name)
        process.terminate()
        return await asyncio.to_thread(process.wait, _PATIENCE)

    async def killed(self, name: str) -> int:
        """Wait until a process has ended by itself; its exit code."""
        code = await asyncio.to_thread(self._running[name].wait, _PATIENCE)
        del self._running[name]
        return code

    async def client(self) -> Client:
        """A client with this installation's converter."""
        return await connect(self.settings, address=f"127.0.0.1:{self.settings.server_port}")

    async def ledger(self) -> dict[str, Any]:
        """The provider's side of the account."""
        account: dict[str, Any] = await self._get("/rehearsal/ledger")
        return account

    async def arrivals(self, since: int = 0) -> list[dict[str, Any]]:
        """Every request that arrived after number ``since``, in order."""
        answer = await self._get(f"/rehearsal/arrivals?since={since}")
        return list(answer["arrivals"] if isinstance(answer, dict) else answer)

    async def answered(self) -> frozenset[str]:
        """The keys of the calls that have an answer in the journal; a call that was only lost has none."""
        store = Store(self.settings.database_url, read_only=True)
        try:
            rows = await store.rows(select(JOURNAL.c.key).where(JOURNAL.c.answer.is_not(None)))
        finally:
            await store.close()
        return frozenset(row.key for row in rows)

    async def play(self, script: Mapping[str, Any]) -> None:
        """Have the scripted models follow ``script`` from now on; see ``rehearsal.faults.script``."""
        async with httpx.AsyncClient(verify=trusted(None), trust_env=False) as http:
            (await http.post(f"{self.rehearsal_url}/rehearsal/script", json=dict(script))).raise_for_status()

    def stop(self) -> None:
        """End everything in any state."""
        for name in list(self._running):
            with contextlib.suppress(ProcessLookupError):
                self.kill(name)

    async def _get(self, path: str) -> Any:
        async with httpx.AsyncClient(verify=trusted(None), trust_env=False) as http:
            return (await http.get(f"{self.rehearsal_url}{path}")).raise_for_status().json()

    async def _is_rehearsing(self) -> bool:
        try:
            await self._get("/rehearsal/health")
        except httpx.HTTPError:
            return False
        return True

    def _spawn(self, name: str, arguments: list[str], told: Mapping[str, str], directory: Path = ROOT) -> None:
        self.settings.home.mkdir(parents=True, exist_ok=True)
        with (self.settings.home / f"{name}.out").open("ab") as out:
            self._running[name] = subprocess.Popen(
                with_parent(arguments), cwd=directory, env=dict(told), stdin=subprocess.DEVNULL, stdout=out, stderr=out
            )

    async def _until(self, is_there: Any) -> None:
        async with asyncio.timeout(_PATIENCE):
            while not await is_there():  # noqa: ASYNC110 - another process's start sets no event
                await asyncio.sleep(0.05)


@asynccontextmanager
async def installation(
    home: Path,
    *,
    latency_ms: int = 0,
    extra: Mapping[str, str] | None = None,
    providers: Path | None = None,
    limits: Mapping[str, float] | None = None,
    server_flags: Sequence[str] = (),
) -> AsyncIterator[Installation]:
    """Everything running in ``home``; everything ended at the end.

    ``providers`` is written as a providers file with one provider ``lab``: the scripted models behind a key, with the
    ``limits`` that the server is to keep for them.
    """
    everything = Installation(settings_in(home), extra or {}, latency_ms, server_flags)
    if providers is not None:
        address = f"{everything.rehearsal_url}/openrouter/api/v1"
        rates = "".join(f"{name} = {rate}\n" for name, rate in (limits or {}).items())
        providers.write_text(  # noqa: ASYNC240 - a small local file
            _LAB.format(address=address) + rates
        )
    try:
        await everything.start_server()
        client = await everything.client()
        await keep_closed_runs(client)
        await register_columns(client, search_attributes.ALL)
        await everything.start_rehearsal()
        await everything.start_worker()
        yield everything
    finally:
        everything.stop()
