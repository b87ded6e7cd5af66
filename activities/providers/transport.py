"""The parts of a connection: sockets, the names of faults, and responses.

Every fault of a connection has the name that httpx gives it, and the cause of it beside: ``gateway_errors`` reads both.
"""

import functools
import socket
import ssl
from collections.abc import AsyncIterator, Iterable
from typing import Any

import aiohttp
import httpx
from aiohttp.connector import Connection
from aiohttp.http import HttpProcessingError, RawResponseMessage

from activities.providers.read_pace import ReadPace

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

_NAMES: tuple[tuple[type[Exception], type[httpx.RequestError]], ...] = (
    (aiohttp.ServerTimeoutError, httpx.ConnectTimeout),
    (aiohttp.ClientConnectorError, httpx.ConnectError),
    (aiohttp.ServerDisconnectedError, httpx.RemoteProtocolError),
    (aiohttp.ClientPayloadError, httpx.RemoteProtocolError),
    (HttpProcessingError, httpx.RemoteProtocolError),
    (aiohttp.InvalidURL, httpx.UnsupportedProtocol),
    (aiohttp.ClientError, httpx.ReadError),
    (OSError, httpx.ReadError),
    (ValueError, httpx.LocalProtocolError),  # a header with a line break in it
)
"""The first that fits counts."""
FAULTS = tuple(kind for kind, _ in _NAMES)


@functools.cache  # reading a hundred authorities takes as long as three calls
def trusted(certificates: str | None) -> ssl.SSLContext:
    """Return the usual certificate authorities and those in the file ``certificates``.

    Raises:
        OSError: it cannot be read; ``ssl.SSLError`` is one.
    """
    context = httpx.create_ssl_context(trust_env=False)
    if certificates is not None:
        context.load_verify_locations(cafile=certificates)
    return context


def probed_socket(address: tuple[Any, ...]) -> socket.socket:
    """Return a socket for ``address``, as ``getaddrinfo`` gives it, with ``PROBES`` switched on."""
    family, kind, protocol, *_ = address
    opened = socket.socket(family, kind, protocol)
    for option in PROBES:
        opened.setsockopt(*option)
    return opened


class ReceivedResponse:
    """A response with its header, and its body in the pieces in which it arrives."""

    def __init__(
        self, message: RawResponseMessage, content: aiohttp.StreamReader, connection: Connection, pace: ReadPace
    ) -> None:
        self.status_code = message.code
        self.headers = _fields(message.raw_headers)
        self._connection = connection
        self._content, self._pace = content, pace
        self.stream = self._pieces()
        content.on_eof(self._end)

    async def aclose(self) -> None:
        """Close the connection, unless the whole body was read: then it is kept for another request."""
        self._connection.close()

    def _end(self) -> None:
        """Keep the connection, unless the request was answered before it was sent to its end."""
        protocol = self._connection.protocol
        if protocol is None or protocol.writing_paused or protocol.upgraded:
            self._connection.close()
        else:
            self._connection.release()

    async def _pieces(self) -> AsyncIterator[bytes]:
        try:
            with self._pace.one_more():
                while piece := await self._content.readany():
                    yield piece
                    await self._pace.wait(self._connection)
        except FAULTS as error:
            raise named_by_httpx(error) from error


def _fields(raw: Iterable[tuple[bytes, bytes]], encoding: str = "utf-8") -> dict[str, str]:
    """Return the values of a header by their lowered names; those of one name are joined, as HTTP allows."""
    found: dict[str, str] = {}
    try:
        for key, value in raw:
            name, text = key.lower().decode(encoding), value.decode(encoding)
            found[name] = f"{found[name]}, {text}" if name in found else text
    except UnicodeDecodeError:
        return _fields(raw, "latin-1")
    return found


def named_by_httpx(error: Exception) -> httpx.RequestError:
    """Return one of ``FAULTS`` under its name, without its text, which may quote the request."""
    name = next(name for kind, name in _NAMES if isinstance(error, kind))
    return name(type(error).__name__)
