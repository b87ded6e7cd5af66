"""A client for one provider's models, without what a browser's client does.

It follows no redirect, keeps no cookie, adds no header of its own and reads nothing from the environment. httpx's
client takes five times as long for a request over the same transport.
"""

from collections.abc import Mapping

import httpx

from activities.providers.addresses import origin_of
from activities.providers.catalogue import Provider
from activities.providers.one_origin import OneOrigin


class ProviderClient:
    """The connections to one provider, over ``transport``; requests reach its origin only."""

    def __init__(self, provider: Provider, transport: httpx.AsyncBaseTransport) -> None:
        self._transport = OneOrigin(origin_of(provider.base_url), transport)
        self._url = httpx.URL(f"{provider.base_url}/chat/completions")
        self._limits = {"timeout": httpx.Timeout(None, connect=provider.connect_seconds).as_dict()}

    async def send(self, body: bytes, headers: Mapping[str, str]) -> httpx.Response:
        """Send a request and return its response as soon as its header is there; the caller closes it.

        Raises:
            httpx.RequestError: there is no response.
        """
        request = httpx.Request("POST", self._url, headers=headers, content=body, extensions=self._limits)
        return await self._transport.handle_async_request(request)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._transport.aclose()
