"""A provider's side of the wire: a transport that answers from a script, piece by piece, as slowly as requested."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any, cast

import httpx

from activities.providers.call_slots import CallSlots
from activities.providers.catalogue import Provider
from activities.providers.pool import Pool
from activities.providers.provider_client import ProviderClient

Piece = bytes | float | Exception
"""Bytes to send, seconds to be silent, or a fault of the connection."""

JSON = {"content-type": "application/json"}
EVENTS = {"content-type": "text/event-stream"}


class Body(httpx.AsyncByteStream):
    """A response body that plays its pieces."""

    def __init__(self, pieces: Sequence[Piece]) -> None:
        self._pieces = pieces
        self.is_closed = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self._pieces:
            if isinstance(piece, Exception):
                raise piece
            if isinstance(piece, bytes):
                yield piece
            else:
                await asyncio.sleep(piece)

    async def aclose(self) -> None:
        """The client let go."""
        self.is_closed = True


class WireClient:
    """A provider's client over a transport of httpx, in place of the network."""

    def __init__(self, provider: Provider, transport: httpx.AsyncBaseTransport) -> None:
        self._url, self._transport = f"{provider.base_url}/chat/completions", transport

    async def send(self, body: bytes, headers: Mapping[str, str]) -> httpx.Response:
        """Send one request."""
        request = httpx.Request("POST", self._url, headers=headers, content=body)
        return await self._transport.handle_async_request(request)

    async def aclose(self) -> None:
        """Close the transport."""
        await self._transport.aclose()


def pool_over(transport: httpx.AsyncBaseTransport, places: CallSlots | None = None) -> Pool:
    """A pool that reaches every provider over ``transport``."""
    return Pool(clients=lambda provider: cast("ProviderClient", WireClient(provider, transport)), places=places)


class Wire(httpx.AsyncBaseTransport):
    """Answers every request by ``answer``; keeps the requests in the order they came."""

    def __init__(self, answer: Callable[[httpx.Request], httpx.Response]) -> None:
        self._answer = answer
        self.requests: list[httpx.Request] = []
        self.asked = asyncio.Event()
        """Set when the first request has come."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Answer one request."""
        self.requests.append(request)
        self.asked.set()
        return self._answer(request)

    def pool(self) -> Pool:
        """A pool that reaches every provider over this wire."""
        return pool_over(self)


def answering(
    *pieces: Piece, status: int = 200, headers: Mapping[str, str] = EVENTS
) -> Callable[[httpx.Request], httpx.Response]:
    """A script with one response, given anew to every request."""
    return lambda _request: httpx.Response(status, headers=dict(headers), stream=Body(pieces))


def failing(fault: Exception) -> Callable[[httpx.Request], httpx.Response]:
    """A script whose connection is never made."""

    def fail(_request: httpx.Request) -> httpx.Response:
        raise fault

    return fail


def json_answer(body: Any, status: int = 200, **headers: str) -> Callable[[httpx.Request], httpx.Response]:
    """A script that answers with JSON."""
    return answering(json.dumps(body).encode(), status=status, headers={**JSON, **headers})


def event(body: Any) -> bytes:
    """One event of a stream."""
    return b"data: " + json.dumps(body).encode() + b"\n\n"


def chunk(content: str | None = None, finish: str | None = None, **rest: Any) -> bytes:
    """One chunk of a streamed answer; ``rest`` is beside the choices."""
    delta = {} if content is None else {"content": content}
    return event({"id": "gen-1", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}], **rest})


def accounts(**usage: Any) -> bytes:
    """The chunk that carries only the usage."""
    return event({"id": "gen-1", "choices": [], "usage": usage})


DONE = b"data: [DONE]\n\n"


def spoken(*words: str) -> tuple[bytes, ...]:
    """A whole good stream."""
    told = accounts(prompt_tokens=7, completion_tokens=3, cost=0.25)
    return (*(chunk(word) for word in words), chunk(None, "stop"), told, DONE)
