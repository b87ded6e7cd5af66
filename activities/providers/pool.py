"""Connections to the providers.

httpx keeps one list of connections per client and goes through it for every request: with 50 connections in one client
a request costs ten times the processor time that it costs with 10. So every model has clients of its own, and no client
carries more than ten requests at once.

A client never follows a redirect, never reads proxies or keys from the environment, and reaches one origin only.
"""

import socket
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cached_property

import httpx

from activities.providers.addresses import OneOrigin, origin_of
from activities.providers.call_slots import CallSlots, Turn
from activities.providers.catalogue import Provider
from activities.providers.progress import CallProgress

_MOST_PER_CLIENT = 10
_UNBOUNDED = 100_000

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

Transports = Callable[[Provider], httpx.AsyncBaseTransport]


@dataclass
class _Shard:
    client: httpx.AsyncClient
    in_use: int = 0


class Pool:
    """The clients of one process, made when they are first needed."""

    def __init__(
        self,
        *,
        certificates: str | None = None,
        transports: Transports | None = None,
        places: CallSlots | None = None,
    ) -> None:
        """Make an empty pool.

        Args:
            certificates: File of certificate authorities to trust beside the usual ones (``SSL_CERT_FILE``).
            transports: How to reach a provider, instead of the network.
            places: How many requests are made at once; without a bound when it is left out.
        """
        self._certificates = certificates
        self._transports = transports or self._network
        self._shards: dict[tuple[str, str], list[_Shard]] = {}
        self.places = places or CallSlots(_UNBOUNDED)

    @asynccontextmanager
    async def lend(
        self, provider: Provider, model: str, pulse: CallProgress, turn: Turn | None = None
    ) -> AsyncIterator[httpx.AsyncClient]:
        """Provide a client for one request as soon as a slot is free.

        Raises:
            NoPlaceError: there is none in time.
        """
        pulse.phase = "queued"
        async with self.places.take(provider.name, turn or Turn(), provider.max_concurrent):
            shard = self._shard(provider, model)
            shard.in_use += 1
            pulse.phase = "connecting"
            try:
                yield shard.client
            finally:
                shard.in_use -= 1

    async def aclose(self) -> None:
        """Close all connections."""
        shards = [shard for found in self._shards.values() for shard in found]
        self._shards.clear()
        for shard in shards:
            await shard.client.aclose()

    def _shard(self, provider: Provider, model: str) -> _Shard:
        shards = self._shards.setdefault((provider.name, model), [])
        free = next((s for s in shards if s.in_use < _MOST_PER_CLIENT), None)
        if free is None:
            free = _Shard(self._client(provider))
            shards.append(free)
        return free

    def _client(self, provider: Provider) -> httpx.AsyncClient:
        return httpx.AsyncClient(
            transport=OneOrigin(origin_of(provider.base_url), self._transports(provider)),
            timeout=httpx.Timeout(None, connect=provider.connect_seconds),
            follow_redirects=False,
            trust_env=False,
        )

    def _network(self, _provider: Provider) -> httpx.AsyncBaseTransport:
        return httpx.AsyncHTTPTransport(
            verify=self._tls,
            trust_env=False,
            limits=httpx.Limits(max_connections=_MOST_PER_CLIENT),
            socket_options=PROBES,
        )

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        context = httpx.create_ssl_context(trust_env=False)
        if self._certificates is not None:
            context.load_verify_locations(cafile=self._certificates)
        return context
