"""The refusal of requests that would leave a provider's address, beside the connection itself."""

import httpx

from activities.providers.addresses import PORTS, Origin


class OneOrigin(httpx.AsyncBaseTransport):
    """A transport that sends to one origin and refuses every other before a byte leaves."""

    def __init__(self, origin: Origin, inner: httpx.AsyncBaseTransport) -> None:
        self._origin = origin
        self._inner = inner

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send ``request``.

        Raises:
            httpx.UnsupportedProtocol: it goes elsewhere.
        """
        refuse_leaving(self._origin, request.url)
        return await self._inner.handle_async_request(request)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._inner.aclose()


def refuse_leaving(origin: Origin, url: httpx.URL) -> None:
    """Refuse a request to ``url`` if that is not at ``origin``.

    Raises:
        httpx.UnsupportedProtocol: it goes elsewhere.
    """
    if Origin(url.scheme, url.host, url.port or PORTS.get(url.scheme, 0)) != origin:
        raise httpx.UnsupportedProtocol("the request leaves the provider's address")
