"""A benchmark of durability: the same council on Parley and in plain asyncio, in one run, as ratios.

``python -m bench.council`` starts the embedded server, a worker and the rehearsal server in a directory of its own,
holds the same councils both ways and prints two tables: the time of one council over its critical path at several
model latencies, and councils a second with sixteen at once.
"""

import argparse
import asyncio
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from bench.installation import BenchInstallation, open_installation
from bench.plain import PlainCouncil

STAGES = 3


async def timed(work: Callable[[], Awaitable[object]]) -> float:
    """Return the seconds that ``work`` takes."""
    begun = time.perf_counter()
    await work()
    return time.perf_counter() - begun


async def latencies(on: BenchInstallation, milliseconds: int, repeats: int) -> tuple[float, float]:
    """Return the median seconds of one council at a time, plain and durable in turn, to expose both to drift."""
    await on.set_latency(milliseconds)
    plain, durable = [], []
    async with PlainCouncil(on.rehearsal_url) as council:
        for _ in range(repeats + 1):
            plain.append(await timed(council.run))
            durable.append(await timed(on.run_council))
    return statistics.median(plain[1:]), statistics.median(durable[1:])


async def throughput(on: BenchInstallation, councils: int, at_once: int) -> tuple[float, float]:
    """Return the councils per second with ``at_once`` running, plain and durable."""
    await on.set_latency(0)
    async with PlainCouncil(on.rehearsal_url) as council:
        plain = await timed(lambda: crowd(council.run, councils, at_once))
    durable = await timed(lambda: crowd(on.run_council, councils, at_once))
    return councils / plain, councils / durable


async def crowd(work: Callable[[], Awaitable[object]], times: int, at_once: int) -> None:
    """Run ``work`` ``times`` times, ``at_once`` at a time."""
    room = asyncio.Semaphore(at_once)

    async def one() -> None:
        async with room:
            await work()

    await asyncio.gather(*(one() for _ in range(times)))


async def measure(repeats: int, councils: int, at_once: int) -> None:
    """Measure both tables and print them."""
    with tempfile.TemporaryDirectory(prefix="parley-bench-") as home:
        async with open_installation(Path(home)) as on:
            print(f"One council of 4 models at a time: 9 calls in {STAGES} stages, median of {repeats}\n")
            print("| model latency | critical path | plain asyncio | Parley | overhead | Parley / plain |")
            print("|---:|---:|---:|---:|---:|---:|")
            for latency in (0, 100, 1000):
                plain, durable = await latencies(on, latency, repeats)
                path = STAGES * latency
                print(
                    f"| {latency} ms | {path} ms | {plain * 1000:.0f} ms | {durable * 1000:.0f} ms "
                    f"| {durable * 1000 - path:.0f} ms | {durable / plain:.2f} |"
                )
            plain_rate, durable_rate = await throughput(on, councils, at_once)
            print(f"\n{councils} councils, {at_once} at once, model latency 0\n")
            print("| | councils a second | calls a second | ratio to plain |\n|---|---:|---:|---:|")
            print(f"| plain asyncio | {plain_rate:.1f} | {plain_rate * 9:.0f} | 1.00 |")
            print(f"| Parley | {durable_rate:.1f} | {durable_rate * 9:.0f} | {durable_rate / plain_rate:.2f} |")


def main() -> None:
    """Read the sizes and measure."""
    sizes = argparse.ArgumentParser(description=__doc__)
    sizes.add_argument("--repeats", type=int, default=7, help="councils per latency")
    sizes.add_argument("--councils", type=int, default=64, help="councils for the throughput")
    sizes.add_argument("--at-once", type=int, default=16)
    given = sizes.parse_args()
    asyncio.run(measure(given.repeats, given.councils, given.at_once))


if __name__ == "__main__":
    main()
