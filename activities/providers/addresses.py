"""Validation of base URLs.

The input of a run can name a provider, never an address: addresses are in the providers file, which only the operator
writes. There is no filter for "inner" addresses, because such filters are got round by spelling; there is a list of
exact (scheme, host, port), and a request to anything else is refused before it is sent.
"""

import ipaddress
from typing import NamedTuple
from urllib.parse import SplitResult, urlsplit

import httpx

_PORTS = {"https": 443, "http": 80}


class Origin(NamedTuple):
    """Scheme, host and port: what a provider's key may be sent to."""

    scheme: str
    host: str
    port: int

    @property
    def text(self) -> str:
        """``scheme://host:port``, with the port always said."""
        return f"{self.scheme}://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"


def checked_base_url(url: str) -> str:
    """Return ``url`` without its final slash.

    Raises:
        ValueError: it is not an https address (http only on this machine's loopback), or holds a user, a query or a
            fragment. The text never repeats the address, which may hold a secret.
    """
    try:
        parts = urlsplit(url)
        origin = _origin(parts)
    except ValueError:
        raise ValueError("is not an address such as 'https://host.example/v1'") from None
    if not url.isascii() or any(c.isspace() or c == "\\" for c in url):
        raise ValueError("holds a character that does not belong in an address; use plain ASCII")
    if parts.username is not None or parts.password is not None:
        raise ValueError("holds a user name or password; put the key in an environment variable and name it")
    if parts.query or parts.fragment or "?" in url or "#" in url:
        raise ValueError("holds a query or fragment; give only scheme, host, port and path")
    if origin.scheme == "http" and not is_loopback(origin.host):
        raise ValueError("must begin with https://; http:// is accepted only for 127.0.0.1, ::1 and localhost")
    return url.rstrip("/")


def origin_of(base_url: str) -> Origin:
    """Return the only origin to which requests of this base URL may go."""
    return _origin(urlsplit(base_url))


def is_loopback(host: str) -> bool:
    """Return whether ``host`` is this machine, by name or by address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


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
        url = request.url
        asked = Origin(url.scheme, url.host, url.port or _PORTS.get(url.scheme, 0))
        if asked != self._origin:
            raise httpx.UnsupportedProtocol("the request leaves the provider's address")
        return await self._inner.handle_async_request(request)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._inner.aclose()


def _origin(parts: SplitResult) -> Origin:
    if parts.scheme not in _PORTS or not parts.hostname:
        raise ValueError
    return Origin(parts.scheme, parts.hostname, parts.port or _PORTS[parts.scheme])
