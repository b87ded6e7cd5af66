"""An installation on several machines: servers and scripted models here, and two workers on machines of their own."""

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
from temporalio.client import Client

from bench.installation import settings_in
from bench.machines.network import ROOT, Machine, Network
from bench.postgresql import postgresql
from bench.program import control_models
from runtime.connect import answers, connect
from runtime.server_flags import HOST, command, environment
from runtime.settings import Settings
from runtime.target import temporal_target
from workflows import search_attributes

_READY_SECONDS = 90.0
_STEP = 0.1


class Installation:
    """A running installation of which two machines have a worker each."""

    def __init__(self, settings: Settings, client: Client, network: Network, machines: list[Machine]) -> None:
        self.settings = settings
        self.client = client
        self.first, self.second = machines
        self.servers = network.servers
        self._models = network.models

    async def start_worker(self, machine: Machine) -> None:
        """Start a worker on ``machine``, and return when it polls."""
        machine.mend()
        home, port = self.settings.home / machine.name, str(self.settings.rehearsal_port)
        home.mkdir(mode=0o700, exist_ok=True)
        ready = home / "ready"
        ready.unlink(missing_ok=True)
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PARLEY_", "TEMPORAL_"))}
        machine.start([sys.executable, "-m", "bench.machines.forward", port, self._models], kept, home / "forward.log")
        own = {
            "TEMPORAL_ADDRESS": f"{self.servers}:{self.settings.server_port}",
            "PARLEY_ALLOW_PLAINTEXT": "true",
            "PARLEY_DATABASE_URL": self.settings.database_url,
            "PARLEY_BLOBS": str(self.settings.home / "blobs"),
            "PARLEY_HOME": str(home),
            "PARLEY_REHEARSAL_URL": f"http://127.0.0.1:{port}",
            "PARLEY_WORKER_READY_FILE": str(ready),
        }
        machine.start([sys.executable, "-m", "worker"], kept | own, home / "worker.log")
        async with asyncio.timeout(_READY_SECONDS):
            while not await asyncio.to_thread(ready.exists):  # noqa: ASYNC110 - another process
                await asyncio.sleep(_STEP)

    async def models(self, method: str, path: str) -> Any:
        """Call a control address of the scripted models."""
        return await control_models(f"http://{self._models}:{self.settings.rehearsal_port}", method, path)


@asynccontextmanager
async def installed(home: Path, *, latency_ms: int) -> AsyncIterator[Installation]:
    """Start an installation in ``home`` whose models take ``latency_ms`` for an answer.

    Raises:
        FileNotFoundError: PostgreSQL is not installed.
    """
    network = Network()
    with network.connected("first", "second") as machines:
        async with postgresql(network.servers, network.all) as ledger:
            settings = settings_in(home, database_url=ledger.url, check_models=False)
            server = command(settings, home / "temporal.db", "default", search_attributes.ALL)
            scripted = ("--host", network.models, "--allow-remote", "--port", str(settings.rehearsal_port))
            running = [
                _started([everywhere(part) for part in server], environment(), home / "server.log"),
                _started(
                    [sys.executable, "-m", "rehearsal", *scripted, "--latency-ms", str(latency_ms)],
                    dict(os.environ),
                    home / "rehearsal.log",
                ),
            ]
            try:
                target = temporal_target(settings)
                if not await answers(target, within=_READY_SECONDS, patiently=True):
                    raise RuntimeError(f"the Temporal server did not answer; its log is {home / 'server.log'}")
                on = Installation(settings, await connect(settings, address=target.address), network, machines)
                await _until_answered(on)
                await asyncio.gather(*(on.start_worker(machine) for machine in machines))
                yield on
            finally:
                for one in running:
                    one.kill()
                    one.wait()


def everywhere(part: str) -> str:
    """Return ``part`` of the server's command line, with all addresses in place of this machine's alone."""
    return "0.0.0.0" if part == HOST else part  # noqa: S104 - the network is inside this computer


async def _until_answered(on: Installation) -> None:
    async with asyncio.timeout(_READY_SECONDS):
        while True:
            try:
                await on.models("GET", "health")
            except httpx.HTTPError:
                await asyncio.sleep(_STEP)
            else:
                return


def _started(arguments: list[str], variables: dict[str, str], log: Path) -> subprocess.Popen[bytes]:
    with log.open("ab") as out:
        return subprocess.Popen(arguments, cwd=ROOT, env=variables, stdin=subprocess.DEVNULL, stdout=out, stderr=out)
