"""A client for one provider's models, without what a browser's client does.

It follows no redirect, keeps no cookie, uses no proxy and reads nothing from the environment. Connections and parser
are aiohttp's; its session around them takes more time than they do, so a request is written here, head and body at
once.
"""

import re
import ssl
from collections.abc import Mapping

import aiohttp
import httpx
from aiohttp.connector import Connection
from yarl import URL

from activities.providers.addresses import is_at
from activities.providers.catalogue import Provider
from activities.providers.read_pace import ReadPace
from activities.providers.transport import FAULTS, ReceivedResponse, named_by_httpx, probed_socket

_LONGEST_HEADER = 65_536
_INTERIM = {*range(100, 200)} - {101}
"""Statuses before that of the response."""
_BREAK = re.compile(r"[\r\n\0]")


class ProviderClient:
    """The connections of one event loop to one provider; requests reach its origin only."""

    def __init__(self, provider: Provider, tls: ssl.SSLContext, pace: ReadPace) -> None:
        self._base, self._url = provider.base_url, httpx.URL(f"{provider.base_url}/chat/completions")
        self._limit = aiohttp.ClientTimeout(total=None, connect=provider.connect_seconds)
        self._tls, self._pace = tls, pace
        self._connector: aiohttp.TCPConnector | None = None

    async def send(self, body: bytes, headers: Mapping[str, str]) -> ReceivedResponse:
        """Send a request and return its response as soon as its header is there; the caller closes it.

        Raises:
            httpx.RequestError: there is no response.
        """
        try:
            connector = self._connector or self._open()
            head = self._head(headers, len(body))
            try:
                connection = await connector.connect(self._request, traces=[], timeout=self._limit)
            except TimeoutError as error:
                raise aiohttp.ConnectionTimeoutError from error
            try:
                return await self._exchange(connection, head + body)
            except BaseException:
                connection.close()
                raise
        except FAULTS as error:
            raise named_by_httpx(error) from error

    async def aclose(self) -> None:
        """Close the connections."""
        if self._connector is not None:
            await self._connector.close()

    def _open(self) -> aiohttp.TCPConnector:
        if not is_at(self._base, self._url.scheme, self._url.host, self._url.port):
            raise httpx.UnsupportedProtocol("the request leaves the provider's address")
        try:
            url = URL(str(self._url))
        except ValueError:
            raise aiohttp.InvalidURL(self._base) from None
        self._request = aiohttp.ClientRequest("POST", url)  # never sent: the connector reads the address of it
        self._start = f"POST {url.raw_path_qs} HTTP/1.1\r\nHost: {url.host_port_subcomponent}"
        self._connector = aiohttp.TCPConnector(limit=0, ssl=self._tls, socket_factory=probed_socket)
        return self._connector

    def _head(self, headers: Mapping[str, str], length: int) -> bytes:
        lines = [self._start, *[f"{name}: {value}" for name, value in headers.items()]]
        if any(map(_BREAK.search, lines[1:])):
            raise ValueError
        return "\r\n".join([*lines, f"Content-Length: {length}\r\n\r\n"]).encode("ascii")

    async def _exchange(self, connection: Connection, request: bytes) -> ReceivedResponse:
        protocol, transport = connection.protocol, connection.transport
        if protocol is None or transport is None or transport.is_closing():
            raise aiohttp.ClientConnectionResetError
        protocol.set_response_params(
            read_until_eof=True, auto_decompress=False, max_line_size=_LONGEST_HEADER, max_field_size=_LONGEST_HEADER
        )
        transport.write(request)
        message, content = await protocol.read()
        while message.code in _INTERIM:
            message, content = await protocol.read()
        return ReceivedResponse(message, content, connection, self._pace)
