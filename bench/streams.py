"""Streams that the client of a worker reads at once: ``python -m bench.streams [--streams 400] [--chunks 500]``.

There is no Temporal and no journal: the figures are of the reading alone, from the socket to the whole text. Every
stream has a connection that was used before.
"""

import asyncio
import statistics
import time

from activities.providers.catalogue import Provider
from activities.providers.http_exchange import send_call
from activities.providers.pool import Pool
from activities.providers.progress import CallProgress
from bench.peers.provider import Form
from bench.peers.running import FakeProvider, fake_provider
from bench.process_figures import processor_seconds
from bench.program import options
from protocols.model_call import ModelCall
from runtime import event_loop
from runtime.garbage_collection import collect_less

_CALL = ModelCall.model_validate(
    {
        "call_id": "opinion-p1",
        "participant": "p1",
        "model": "lab:small",
        "stage": "opinion",
        "messages": [{"role": "user", "content": "Why?"}],
        "read_as": {"reader": "council.opinion"},
        "patience": {"total": None, "first_token": 60, "between_chunks": 60},
    }
)


async def read(provider: FakeProvider, form: Form, streams: int) -> tuple[list[float], float]:
    """Read so many replies at once and return the seconds of each, and the processor seconds of this process."""
    pool, lab = Pool(), Provider(name="lab", base_url=provider.base_url)

    async def one() -> float:
        pulse, started = CallProgress(), time.perf_counter()
        async with pool.lend(lab, pulse) as client:
            await send_call(client, _CALL, lab, None, call_key="k", pulse=pulse)
        return time.perf_counter() - started

    await asyncio.gather(*(one() for _ in range(streams)))  # every stream has a connection that was used
    await provider.answer_in(form)
    before = time.process_time()
    try:
        return list(await asyncio.gather(*(one() for _ in range(streams)))), time.process_time() - before
    finally:
        await pool.aclose()


async def measure(streams: int, form: Form) -> str:
    """Return the line of a table."""
    async with fake_provider() as provider:
        theirs = processor_seconds(provider.process)
        seconds, used = await read(provider, form, streams)
        theirs = processor_seconds(provider.process) - theirs
    own = form.latency_ms / 1000
    late = f"{statistics.median(seconds) / own:.2f} ({max(seconds) / own:.2f})" if own else "–"
    wall = max(seconds)
    chunks = streams * max(form.chunks, 1)
    return (
        f"| {streams} | {form.chunks} | {own:g} | {late} | {used * 1000 / streams:.2f} | {used * 1e6 / chunks:.1f} "
        f"| {used / wall:.2f} | {theirs / wall:.2f} |"
    )


def main() -> None:
    """Read the sizes, measure and print a table."""
    arguments = options(__doc__)
    arguments.add_argument("--streams", type=int, default=400)
    arguments.add_argument("--chunks", type=int, default=500)
    arguments.add_argument("--seconds", type=float, default=5)
    asked = arguments.parse_args()
    print("| streams | chunks | seconds | time ÷ own (slowest) | ms a reply | µs a chunk | cores | provider's cores |")
    print("|---:|---:|---:|---:|---:|---:|---:|---:|")
    collect_less()
    print(event_loop.run(measure(asked.streams, Form(asked.seconds * 1000, asked.chunks))))


if __name__ == "__main__":
    main()
