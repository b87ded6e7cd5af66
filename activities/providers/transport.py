"""The transport under httpx: the connections are aiohttp's, which read a stream at a fifth of httpcore's cost.

Every fault of a connection has the name that httpx gives it, and the cause of it beside: ``gateway_errors`` reads both.
A connection is never opened through a proxy of the environment, sends no cookie and follows no redirect.
"""

import socket
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any

import aiohttp
import httpx

from activities.providers.read_pace import ReadPace

_LONGEST_HEADER = 65_536
_SILENT_SECONDS = 60
_PROBE_SECONDS = 15
_PROBES = 4
_IDLE: int = getattr(socket, "TCP_KEEPIDLE", 0x10)
"""Seconds of silence before the first probe; macOS calls the option TCP_KEEPALIVE, which is this number."""

PROBES = (
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
    (socket.IPPROTO_TCP, _IDLE, _SILENT_SECONDS),
    (socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, _PROBE_SECONDS),
    (socket.IPPROTO_TCP, socket.TCP_KEEPCNT, _PROBES),
)
"""A provider that vanished without a word is noticed within two minutes, also while a model thinks for hours."""

_SET_BY_HTTPX = ("Accept", "Accept-Encoding", "Content-Type", "User-Agent")

_NAMES: tuple[tuple[type[Exception], type[httpx.RequestError]], ...] = (
    (aiohttp.ServerTimeoutError, httpx.ConnectTimeout),
    (aiohttp.ClientConnectorError, httpx.ConnectError),
    (aiohttp.ServerDisconnectedError, httpx.RemoteProtocolError),
    (aiohttp.ClientPayloadError, httpx.RemoteProtocolError),
    (aiohttp.ClientResponseError, httpx.RemoteProtocolError),
    (aiohttp.InvalidURL, httpx.UnsupportedProtocol),
    (aiohttp.ClientError, httpx.ReadError),
    (OSError, httpx.ReadError),
    (ValueError, httpx.LocalProtocolError),  # a header with a line break in it
)
"""The first that fits counts."""


class AiohttpTransport(httpx.AsyncBaseTransport):
    """A transport that keeps the connections of one event loop."""

    def __init__(self, tls: ssl.SSLContext, pace: ReadPace) -> None:
        self._tls, self._pace = tls, pace
        self._session: aiohttp.ClientSession | None = None

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send ``request`` and return its response as soon as its header is there."""
        if self._session is None:
            self._session = self._open()
        limits = request.extensions.get("timeout", {})
        with _named_by_httpx():
            response = await self._session.request(
                request.method,
                str(request.url),
                headers=request.headers.multi_items(),
                data=await request.aread(),
                allow_redirects=False,
                skip_auto_headers=_SET_BY_HTTPX,
                timeout=aiohttp.ClientTimeout(total=None, connect=limits.get("connect")),
            )
        return httpx.Response(response.status, headers=response.raw_headers, stream=_Body(response, self._pace))

    async def aclose(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()

    def _open(self) -> aiohttp.ClientSession:
        return aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, ssl=self._tls, socket_factory=probed_socket),
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            max_line_size=_LONGEST_HEADER,
            max_field_size=_LONGEST_HEADER,
        )


def probed_socket(address: tuple[Any, ...]) -> socket.socket:
    """Return a socket for ``address``, as ``getaddrinfo`` gives it, with ``PROBES`` switched on."""
    family, kind, protocol, *_ = address
    opened = socket.socket(family, kind, protocol)
    for option in PROBES:
        opened.setsockopt(*option)
    return opened


class _Body(httpx.AsyncByteStream):
    """The body of a response, in the pieces in which it arrives."""

    def __init__(self, response: aiohttp.ClientResponse, pace: ReadPace) -> None:
        self._response, self._pace = response, pace

    async def __aiter__(self) -> AsyncIterator[bytes]:
        with _named_by_httpx(), self._pace.one_more():
            while piece := await self._response.content.readany():
                yield piece
                await self._pace.wait(self._response)

    async def aclose(self) -> None:
        """Close the connection, unless the whole body was read: then it is kept for another request."""
        self._response.close()


@contextmanager
def _named_by_httpx() -> Iterator[None]:
    try:
        yield
    except (aiohttp.ClientError, OSError, ValueError) as error:
        name = next(name for kind, name in _NAMES if isinstance(error, kind))
        raise name(type(error).__name__) from error
