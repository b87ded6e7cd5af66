"""A benchmark of hostile replies: every reader and every form of a provider's body, at several sizes.

``python -m bench.readers [--sizes 27000,1000000,4000000] [--all]`` prints, for every reader and size, the dearest of
the shapes in ``hostile_texts``: seconds until it was read or given up, and the longest time in which the event loop did
nothing else, in processor time of its thread. ``--all`` prints every shape. Then the same for bodies that a provider
may send instead of an answer.
"""

import asyncio
import contextlib
import json
import resource
import sys
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import NamedTuple, Self, cast

from pydantic import JsonValue

from activities.providers.catalogue import Provider
from activities.providers.errors import ProviderError
from activities.providers.http_exchange import send_call
from activities.providers.progress import CallProgress
from activities.providers.provider_client import ProviderClient
from activities.providers.replies import reply_of
from activities.reader_process import ReaderProcess
from activities.reply_readers import UnreadableError
from bench.hostile_texts import NEEDS, SHAPES
from bench.program import options
from protocols.model_call import ModelCall, ReaderRef

_TICK = 0.002
_PACKET = 65_536

Needs = Mapping[str, JsonValue]


class Gap:
    """The longest time between two turns of a task that only wants to run.

    In processor time of the event loop's thread, so that other programs on the machine are not counted.
    """

    def __init__(self) -> None:
        self.longest = 0.0

    @contextlib.asynccontextmanager
    async def watched(self) -> AsyncIterator[None]:
        """Watch the event loop during the block."""
        self.longest = 0.0
        task = asyncio.create_task(self._tick())
        await asyncio.sleep(_TICK)
        try:
            yield
        finally:
            await asyncio.sleep(_TICK)
            task.cancel()

    async def _tick(self) -> None:
        while True:
            began = time.thread_time()
            await asyncio.sleep(_TICK)
            self.longest = max(self.longest, time.thread_time() - began)


class Measured(NamedTuple):
    """One reading."""

    seconds: float
    gap: float
    shape: str
    outcome: str


async def read_shapes(readers: ReaderProcess, reader: str, size: int) -> list[Measured]:
    """Read every shape of ``size`` characters with ``reader``, the slowest first."""
    read_as, gap, found = ReaderRef.model_validate({"reader": reader, "needs": NEEDS[reader]}), Gap(), []
    for shape, text_of in SHAPES.items():
        text = text_of(size)[:size]
        async with gap.watched():
            began = time.perf_counter()
            try:
                await readers.read(text, read_as)
                outcome = "read"
            except UnreadableError:
                outcome = "unreadable"
            seconds = time.perf_counter() - began
        found.append(Measured(seconds, gap.longest, shape, outcome))
    return sorted(found, reverse=True)


async def measure_readers(sizes: list[int], *, every: bool) -> None:
    """Print a table of readers, sizes and shapes."""
    readers = ReaderProcess()
    await readers.read("x", ReaderRef(reader="council.synthesis"))
    _line("reader", "characters", "dearest shape", "seconds", "loop gap ms", "unreadable")
    for size in sizes:
        for reader in NEEDS:
            found = await read_shapes(readers, reader, size)
            gap, lost = max(one.gap for one in found), sum(one.outcome != "read" for one in found)
            for one in found if every else found[:1]:
                shown = one.gap if every else gap
                lost_of = one.outcome if every else f"{lost} of {len(found)}"
                _line(reader, f"{size:,}", one.shape, f"{one.seconds:.3f}", f"{shown * 1000:.0f}", lost_of)
    await readers.aclose()


def hostile_bodies() -> Iterator[tuple[str, str, Iterator[bytes]]]:
    """Yield name, content type and packets of what a provider may send."""
    stream, body = "text/event-stream", "application/json"
    choice = '{"choices":[{"delta":{"content":"x"}}]}'
    yield "one event of 60 MB of {}", stream, _packets("data: " + "{}" * 30_000_000)
    yield "events of 8 MB of objects", stream, _packets(("data: [" + "{}," * 2_600_000 + "{}]\n\n") * 4)
    yield "events of a million characters", stream, _packets(("data: [" + "{}," * 130_000 + "{}]\n\n") * 40)
    yield "10 MB of tiny events", stream, _packets("data:{}\n\n" * 1_200_000)
    yield "choices without end", stream, _packets('data: {"choices":[' + "{}," * 390_000 + "{}]}\n\n")
    yield "names of 4 MB", stream, _packets(f"data: {json.dumps({'model': 'sk-' * 1_300_000, 'choices': []})}\n\n" * 8)
    yield "a complaint of 4 MB", stream, _packets(f"data: {json.dumps({'error': {'message': 'sk-a' * 1_000_000}})}\n\n")
    yield "a body of 8 MB of objects", body, _packets('{"choices":[' + "{}," * 2_600_000 + "{}]}")
    yield "a body of lists in lists", body, _packets("[" * 4_000_000)
    for name, text in {"carriage returns": "\r", "NUL": "\0a", "thoughts": "<think>a</think>", "blanks": " "}.items():
        content = json.dumps(text * (3_900_000 // len(text)))
        whole = f'{{"choices":[{{"message":{{"content":{content}}},"finish_reason":"stop"}}]}}'
        yield f"4 MB of {name} in a body", body, _packets(whole)
    yield "4 MB of content in a stream", stream, _packets(f"data: {choice}\n\n" * 300_000)


def _packets(text: str) -> Iterator[bytes]:
    return (text[at : at + _PACKET].encode() for at in range(0, len(text), _PACKET))


class _Endpoint:
    """A provider that answers one request with ``packets``."""

    def __init__(self, kind: str, packets: Iterator[bytes]) -> None:
        self.status_code, self.headers, self.stream = 200, {"content-type": kind}, _sent(packets)

    async def send(self, *_request: object) -> Self:
        """Answer."""
        return self

    async def aclose(self) -> None:
        """End nothing."""


async def _sent(packets: Iterator[bytes]) -> AsyncIterator[bytes]:
    for packet in packets:
        await asyncio.sleep(0)
        yield packet


async def measure_bodies() -> None:
    """Print a table of bodies."""
    provider = Provider(name="lab", base_url="http://127.0.0.1:9/v1")
    call = ModelCall.model_validate({
        "call_id": "opinion-p1", "participant": "p1", "model": "lab:small", "stage": "opinion",
        "messages": [{"role": "user", "content": "Why?"}], "read_as": {"reader": "council.opinion"},
    })  # fmt: skip
    gap = Gap()
    _line("body", "", "outcome", "seconds", "loop gap ms", "memory MB")
    for name, kind, packets in hostile_bodies():
        client = cast("ProviderClient", _Endpoint(kind, packets))
        async with gap.watched():
            began = time.perf_counter()
            try:
                chunk = await send_call(client, call, provider, None, call_key="x", pulse=CallProgress())
                await asyncio.to_thread(reply_of, chunk, call, provider, 1)
                outcome = "answered"
            except ProviderError as error:
                outcome = error.error_type
            seconds = time.perf_counter() - began
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        _line(name, "", outcome, f"{seconds:.3f}", f"{gap.longest * 1000:.0f}", f"{peak}")


def _line(*cells: str) -> None:
    widths = (32, 12, 30, 9, 12, 12)
    sys.stdout.write("".join(f"{cell:<{width}}" for cell, width in zip(cells, widths, strict=True)) + "\n")
    sys.stdout.flush()


def main() -> None:
    """Run as a program."""
    arguments = options(__doc__)
    arguments.add_argument("--sizes", default="27000,1000000,4000000")
    arguments.add_argument("--all", action="store_true")
    chosen = arguments.parse_args()
    asyncio.run(measure_readers([int(size) for size in chosen.sizes.split(",")], every=chosen.all))
    asyncio.run(measure_bodies())


if __name__ == "__main__":
    main()
