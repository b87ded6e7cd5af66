"""A peer as a process: it reads sizes from its standard input and writes the seconds of each council.

The line ``8 1`` runs eight councils one after the other, ``64 16`` runs 64 with 16 at once.
"""

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable
from importlib.util import find_spec

import httpx

from bench.peers.council import MODELS, Ask, body

# httpcore looks for sniffio at every request, and a search that fails takes 0.4 ms. None in its place ends it at once.
if find_spec("sniffio") is None:
    sys.modules["sniffio"] = None  # type: ignore[assignment] # as the import system documents it


class Models:
    """Asks the models of one provider, with a client for each, as a connection list of a few is fastest."""

    def __init__(self, base_url: str) -> None:
        self._url = f"{base_url}/chat/completions"
        self._clients = {model: httpx.AsyncClient(timeout=None, trust_env=False) for model in MODELS}  # noqa: S113 - the provider answers

    async def ask(self, ask: Ask) -> str:
        """Return the text of one reply."""
        answer = await self._clients[ask.model].post(self._url, json=body(ask))
        text: str = answer.raise_for_status().json()["choices"][0]["message"]["content"]
        return text

    async def ask_all(self, requests: list[Ask]) -> list[str]:
        """Return the texts of all replies, asked for at once."""
        return list(await asyncio.gather(*(self.ask(one) for one in requests)))


async def many(council: Callable[[], Awaitable[object]], times: int, at_once: int) -> list[float]:
    """Run ``council`` so many times and return the seconds of each."""
    places = asyncio.Semaphore(at_once)

    async def one() -> float:
        async with places:
            started = time.perf_counter()
            await council()
            return time.perf_counter() - started

    return list(await asyncio.gather(*(one() for _ in range(times))))


async def run_as_requested(council: Callable[[], Awaitable[object]]) -> None:
    """Run councils as the standard input says, until it ends."""
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        times, at_once = map(int, line.split())
        print(json.dumps(await many(council, times, at_once)), flush=True)
