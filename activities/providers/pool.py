"""Connections to the providers.

A client never follows a redirect, never reads proxies or keys from the environment, and reaches one origin only.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from activities.providers.call_slots import CallSlots, Turn
from activities.providers.catalogue import Provider
from activities.providers.progress import CallProgress
from activities.providers.provider_client import ProviderClient
from activities.providers.read_pace import ReadPace
from activities.providers.transport import trusted

_UNBOUNDED = 100_000

Clients = Callable[[Provider], ProviderClient]


class Pool:
    """The clients of one process, made when they are first needed."""

    def __init__(
        self, *, certificates: str | None = None, clients: Clients | None = None, places: CallSlots | None = None
    ) -> None:
        """Make an empty pool.

        Args:
            certificates: File of certificate authorities to trust beside the usual ones (``SSL_CERT_FILE``).
            clients: How to reach a provider, instead of the network.
            places: How many requests are made at once; without a bound when it is left out.
        """
        self._client = clients or (lambda provider: ProviderClient(provider, trusted(certificates), self.pace))
        self._clients: dict[str, ProviderClient] = {}
        self.pace = ReadPace()
        self.places = places or CallSlots(_UNBOUNDED)

    @asynccontextmanager
    async def lend(
        self, provider: Provider, pulse: CallProgress, turn: Turn | None = None
    ) -> AsyncIterator[ProviderClient]:
        """Provide a client for one request as soon as a slot is free."""
        pulse.phase = "queued"
        async with self.places.take(provider.name, turn or Turn(), provider.max_concurrent):
            pulse.phase = "connecting"
            if provider.name not in self._clients:
                self._clients[provider.name] = self._client(provider)
            yield self._clients[provider.name]

    async def aclose(self) -> None:
        """Close all connections."""
        clients = list(self._clients.values())
        self._clients.clear()
        for client in clients:
            await client.aclose()
