"""An HTTP exchange: the request, the reply and the writing of its bytes.

A fault changes one HTTP exchange. The gentle ones only change the body; the rough ones write raw bytes to the transport
or tear it down. After rough treatment a handler returns ``Gone``: nothing is left to send
and the connection is closed.
"""

import asyncio
import socket
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any, NamedTuple, NoReturn

from aiohttp import web

from rehearsal.dialects.completions import Completion
from rehearsal.dialects.shape import Dialect, Json, RateState, dump, sse

MARK = {"X-Parley-Rehearsal": "1"}
"""On every response: no client may take a rehearsal for a provider."""

DONE = b"data: [DONE]\n\n"

_FINEST_WAIT = 0.01
_LOOK_UP = 0.1


class Piece(NamedTuple):
    """Bytes to be sent, after a wait in seconds."""

    data: bytes
    wait: float = 0.0


class Gone(web.Response):
    """A closed connection: nothing more can be sent."""

    async def prepare(self, request: web.BaseRequest) -> NoReturn:  # noqa: ARG002 - the server passes it
        """End the connection."""
        raise ConnectionResetError("the scene ended the connection")


@dataclass(frozen=True)
class HttpExchange:
    """One arrival, ready to be played."""

    request: web.Request
    dialect: Dialect
    completion: Completion
    streaming: bool
    include_usage: bool
    seconds: float
    """From now to the last byte, when nothing goes wrong."""
    rate: RateState
    args: Mapping[str, Any]
    """The fault's arguments, complete and of the right kind."""
    url: str
    closing: asyncio.Event

    @property
    def headers(self) -> dict[str, str]:
        """The headers of an answer in this dialect."""
        return {**MARK, **self.dialect.headers(self.completion, self.rate)}

    def whole(self) -> Json:
        """Return the answer as one body."""
        return self.dialect.whole(self.completion)

    def events(self) -> list[Json]:
        """Return the answer as events."""
        return self.dialect.events(self.completion, include_usage=self.include_usage)

    def chunks(self, edit: Callable[[Json], Json | None] | None = None) -> list[bytes]:
        """Return the answer's bytes in parts; ``edit`` changes each body or event, or drops it."""
        if not self.streaming:
            body = self.whole()
            return _portions(dump(edit(body) if edit else body))
        events: list[Json | None] = [edit(e) if edit else e for e in self.events()]
        opening = self.dialect.opening_comment
        return [*([opening] if opening else []), *(sse(e) for e in events if e is not None), DONE]

    async def send(
        self, status: int, body: bytes, kind: str = "application/json", headers: Mapping[str, str] | None = None
    ) -> web.StreamResponse:
        """Send one whole response."""
        response = web.Response(status=status, body=body, headers={**MARK, **(headers or {})})
        response.headers["Content-Type"] = kind
        await response.prepare(self.request)
        await response.write_eof()
        return response

    async def play(self, chunks: Sequence[bytes]) -> web.StreamResponse:
        """Send an answer's chunks at the pace of the scene."""
        if self.streaming:
            return await self.stream(paced(chunks, self.seconds))
        await self.pause(self.seconds)
        return await self.send(200, b"".join(chunks), headers=self.headers)

    async def stream(self, pieces: Sequence[Piece], *, cut: bool = False) -> web.StreamResponse:
        """Send pieces as a chunked response; ``cut`` ends the connection without ending the response."""
        response = web.StreamResponse(headers=self.headers)
        response.content_type = "text/event-stream" if self.streaming else "application/json"
        response.enable_chunked_encoding()
        await response.prepare(self.request)
        for piece in pieces:
            await self.pause(piece.wait)
            await response.write(piece.data)
        if cut:
            return Gone()
        await response.write_eof()
        return response

    async def pause(self, seconds: float) -> None:
        """Wait, and look up now and then; raises as ``check`` does."""
        while seconds > 0:
            step = min(seconds, _LOOK_UP)
            await asyncio.sleep(step)
            seconds -= step
            self.check()

    def check(self) -> None:
        """Raise ``ConnectionResetError`` if the client has left or the server closes."""
        transport = self.request.transport
        if transport is None or transport.is_closing() or self.closing.is_set():
            raise ConnectionResetError("the client has left, or the house is closing")

    def write_raw(self, data: bytes) -> None:
        """Write to the connection past the HTTP server."""
        self.check()
        if self.request.transport is not None:
            self.request.transport.write(data)

    def reset(self) -> Gone:
        """Reset the TCP connection; unsent data is lost."""
        transport = self.request.transport
        if transport is not None:
            wire = transport.get_extra_info("socket")
            wire.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            transport.abort()
        return Gone()


def paced(chunks: Sequence[bytes], seconds: float) -> list[Piece]:
    """Distribute chunks over ``seconds``; send them at once without a duration."""
    if seconds <= 0 or not chunks:
        return [Piece(b"".join(chunks))]
    groups = max(1, min(len(chunks), int(seconds / _FINEST_WAIT)))
    size = ceil(len(chunks) / groups)
    parts = [b"".join(chunks[i : i + size]) for i in range(0, len(chunks), size)]
    return [Piece(part, seconds / len(parts)) for part in parts]


def _portions(body: bytes, count: int = 16) -> list[bytes]:
    size = max(1, ceil(len(body) / count))
    return [body[i : i + size] for i in range(0, len(body), size)]
