"""Interleaved rounds: each runs every load of every row once, so that a slow minute of the machine meets all rows."""

import asyncio
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from bench.peers.council import CALLS
from bench.peers.provider import Form
from bench.peers.running import PEERS, FakeProvider, Openers, Running, fake_provider
from bench.process_figures import processor_seconds

PROVIDER = "provider"
_SETTLING = 0.3
"""Seconds in which a server ends its work on councils that have ended, before its processor time is read."""
_WARMING = 2


class Row(NamedTuple):
    """A row of the table: a peer, and the events of a streamed reply."""

    peer: str
    chunks: int = 0

    @property
    def name(self) -> str:
        """Return the name in the table."""
        return f"{self.peer}, {self.chunks} chunks" if self.chunks else self.peer


class Load(NamedTuple):
    """Councils of models of one latency, with a number of them at once."""

    name: str
    latency_ms: int
    councils: int
    at_once: int = 1


ONE = Load("0 ms", 0, 8)
CROWD = Load("16 at once", 0, 64, 16)
LOADS = (ONE, Load("100 ms", 100, 3), Load("1000 ms", 1000, 1), CROWD)


class Sample(NamedTuple):
    """One load of one row in one round."""

    seconds: Sequence[float]
    """Of each council."""
    wall: float
    processor: Mapping[str, float]
    """Seconds that each process computed, by its role."""

    @property
    def a_second(self) -> float:
        """Return the councils per second."""
        return len(self.seconds) / self.wall

    def milliseconds_a_call(self, *roles: str) -> float:
        """Return the processor milliseconds per call, of ``roles`` or of every process but the provider."""
        chosen = roles or tuple(role for role in self.processor if role != PROVIDER)
        return sum(self.processor.get(role, 0.0) for role in chosen) * 1000 / len(self.seconds) / CALLS


Samples = Mapping[tuple[Row, Load], Sequence[Sample]]


async def measure(
    rows: Sequence[Row], loads: Sequence[Load], rounds: int, home: Path, openers: Openers = PEERS
) -> Samples:
    """Run all rounds and return the samples of every row and load, in the order of the rounds."""
    async with running(rows, home, openers) as (peers, provider):
        return await interleave(rows, loads, rounds, peers, provider)


@asynccontextmanager
async def running(
    rows: Sequence[Row], home: Path, openers: Openers = PEERS
) -> AsyncIterator[tuple[Mapping[str, Running], FakeProvider]]:
    """Run the provider and the peers of ``rows``, each after its first councils."""
    async with AsyncExitStack() as stack:
        provider = await stack.enter_async_context(fake_provider())
        peers = {}
        for name in dict.fromkeys(row.peer for row in rows):
            peers[name] = await stack.enter_async_context(openers[name](provider, home / name))
            await peers[name].run(_WARMING, 1)
        yield peers, provider


async def interleave(
    rows: Sequence[Row], loads: Sequence[Load], rounds: int, peers: Mapping[str, Running], provider: FakeProvider
) -> Samples:
    """Run all rounds on peers that run; each round begins with another row."""
    samples: dict[tuple[Row, Load], list[Sample]] = {(row, load): [] for row in rows for load in loads}
    for number in range(rounds):
        for load in loads:
            for row in (*rows[number % len(rows) :], *rows[: number % len(rows)]):
                await provider.answer_in(Form(load.latency_ms, row.chunks))
                samples[row, load].append(await sample(peers[row.peer], load, provider))
    return samples


async def sample(peer: Running, load: Load, provider: FakeProvider) -> Sample:
    """Run one load on one peer and return its times and what each process computed."""
    processes = {**peer.processes, PROVIDER: provider.process}
    before = {role: processor_seconds(pid) for role, pid in processes.items()}
    started = time.perf_counter()
    seconds = await peer.run(load.councils, load.at_once)
    wall = time.perf_counter() - started
    await asyncio.sleep(_SETTLING)
    return Sample(seconds, wall, {role: processor_seconds(pid) - before[role] for role, pid in processes.items()})
