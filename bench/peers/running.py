"""The peers as a run sees them: processes whose councils are started, timed and counted.

A peer that is a process of its own runs its councils itself; those of a Temporal worker are started by this process,
their client. ``PEERS`` is in the order of the table.
"""

import asyncio
import json
import os
import sys
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from bench.distance import distant
from bench.installation import ROOT, Plan, open_installation, server, server_process
from bench.peers.bare_worker import COMPRESSIONS, QUEUE, BareCouncil, connect
from bench.peers.process import many
from bench.peers.provider import Form
from bench.postgresql import postgresql

BENCH_ENVIRONMENT = ROOT / ".venv-bench/bin/python"
_PATH = "/openrouter/api/v1"
_LINE = 1_000_000
"""The longest line that a peer writes: the seconds of a few thousand councils."""

Council = Callable[[], Awaitable[object]]


@dataclass(frozen=True)
class Running:
    """A peer that runs."""

    run: Callable[[int, int], Awaitable[list[float]]]
    """Runs so many councils, so many at once, and returns the seconds of each."""
    processes: Mapping[str, int]
    """The ids of all its processes, the client's too."""


@dataclass(frozen=True)
class FakeProvider:
    """The provider that all peers share."""

    url: str
    process: int

    @property
    def base_url(self) -> str:
        """Return the address that a client of OpenAI's protocol is given."""
        return self.url + _PATH

    async def answer_in(self, form: Form) -> None:
        """Set the form of the replies from now on."""
        async with httpx.AsyncClient(trust_env=False) as http:
            (await http.put(self.url, json=form._asdict())).raise_for_status()


@asynccontextmanager
async def fake_provider() -> AsyncIterator[FakeProvider]:
    """Run the provider."""
    async with _process(sys.executable, "bench.peers.provider") as process:
        port = int(await _line_of(process))
        yield FakeProvider(f"http://127.0.0.1:{port}", process.pid)


@asynccontextmanager
async def _in_own_process(python: str, module: str, provider: FakeProvider, home: Path) -> AsyncIterator[Running]:
    await asyncio.to_thread(home.mkdir)
    async with _process(python, f"bench.peers.{module}", provider.base_url, str(home)) as process:

        async def run(times: int, at_once: int) -> list[float]:
            assert process.stdin is not None  # noqa: S101 - it was asked for
            process.stdin.write(f"{times} {at_once}\n".encode())
            seconds: list[float] = json.loads(await _line_of(process))
            return seconds

        yield Running(run, {"worker": process.pid})


def _plain(provider: FakeProvider, home: Path) -> "Opened":
    return _in_own_process(sys.executable, "plain", provider, home)


def _langgraph(provider: FakeProvider, home: Path) -> "Opened":
    return _in_own_process(str(BENCH_ENVIRONMENT), "langgraph_council", provider, home)


def _dbos(provider: FakeProvider, home: Path) -> "Opened":
    return _in_own_process(str(BENCH_ENVIRONMENT), "dbos_council", provider, home)


@asynccontextmanager
async def bare(
    provider: FakeProvider, home: Path, compression: str = "gzip", one_way_ms: float = 0.0
) -> AsyncIterator[Running]:
    """Run a bare worker, whose messages to and from the server take ``one_way_ms``."""
    async with (
        server(home) as (settings, _, address),
        distant(settings.server_port, one_way_ms) as port,
        _process(
            sys.executable, "bench.peers.bare_worker", provider.base_url, f"127.0.0.1:{port}", compression
        ) as process,
    ):
        await _line_of(process)
        client = await connect(address, COMPRESSIONS[compression])

        async def council() -> None:
            await client.execute_workflow(BareCouncil.run, id=f"bare-{uuid.uuid4().hex[:12]}", task_queue=QUEUE)

        yield _started_here(council, {"worker": process.pid, "server": server_process(settings)})


def _bare_uncompressed(provider: FakeProvider, home: Path) -> "Opened":
    return bare(provider, home, "none")


@asynccontextmanager
async def parley(provider: FakeProvider, home: Path, plan: Plan = Plan()) -> AsyncIterator[Running]:  # noqa: B008 - it is not changed
    """Run an installation of Parley with the models of ``provider``."""
    async with open_installation(home, plan._replace(provider_url=provider.url)) as on:
        yield _started_here(on.run_council, on.processes)


@asynccontextmanager
async def _parley_on_postgresql(provider: FakeProvider, home: Path) -> AsyncIterator[Running]:
    async with postgresql() as ledger, parley(provider, home, Plan(ledger=ledger.url)) as running:
        yield Running(running.run, {**running.processes, "PostgreSQL": ledger.process})


def _two_workers(provider: FakeProvider, home: Path) -> "Opened":
    return parley(provider, home, Plan(workers=2))


def _started_here(council: Council, processes: Mapping[str, int]) -> Running:
    return Running(lambda times, at_once: many(council, times, at_once), {**processes, "client": os.getpid()})


@asynccontextmanager
async def _process(python: str, module: str, *arguments: str) -> AsyncIterator[asyncio.subprocess.Process]:
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        python, "-m", module, *arguments, cwd=ROOT, stdin=pipe, stdout=pipe, limit=_LINE
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


async def _line_of(process: asyncio.subprocess.Process) -> bytes:
    """Return the next line of a process.

    Raises:
        RuntimeError: it ended instead.
    """
    assert process.stdout is not None  # noqa: S101 - it was asked for
    if not (line := await process.stdout.readline()):
        raise RuntimeError(f"the process ended with {await process.wait()} and wrote no line")
    return line


Opened = AbstractAsyncContextManager[Running]
Openers = Mapping[str, Callable[[FakeProvider, Path], Opened]]
"""The start of each peer, by its name, with the provider of its models and a directory."""

PEERS: Openers = {
    "plain": _plain,
    "langgraph": _langgraph,
    "dbos": _dbos,
    "bare": bare,
    "bare-uncompressed": _bare_uncompressed,
    "parley": parley,
    "parley-postgresql": _parley_on_postgresql,
    "parley-2-workers": _two_workers,
}
