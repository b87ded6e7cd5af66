"""Validation of base URLs.

The input of a run can name a provider, never an address: addresses are in the providers file, which only the operator
writes. There is no filter for "inner" addresses, because such filters are got round by spelling; there is a list of
exact (scheme, host, port), and a request to anything else is refused before it is sent (``is_at``).
"""

import ipaddress
from typing import NamedTuple
from urllib.parse import SplitResult, urlsplit

PORTS = {"https": 443, "http": 80}
"""The port of a scheme, where an address names none."""

_LOOPBACK = ipaddress.ip_network("127.0.0.0/8"), ipaddress.ip_network("::1/128")


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
        ValueError: it is not an https address (http only on this machine's loopback), or holds a user, a query, a
            fragment or the path that is added to it. The text never repeats the address, which may hold a secret.
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
    if parts.path.rstrip("/").endswith("/chat/completions"):
        raise ValueError("ends in /chat/completions, which is added to it; leave that out")
    if origin.scheme == "http" and not is_loopback(origin.host):
        raise ValueError("must begin with https://; http:// is accepted only for 127.0.0.1, ::1 and localhost")
    return url.rstrip("/")


def origin_of(base_url: str) -> Origin:
    """Return the only origin to which requests of this base URL may go."""
    return _origin(urlsplit(base_url))


def is_at(base_url: str, scheme: str, host: str, port: int | None) -> bool:
    """Return whether an address, with the port of its scheme where it names none, is at the origin of ``base_url``."""
    return Origin(scheme, host, port or PORTS.get(scheme, 0)) == origin_of(base_url)


def is_loopback(host: str) -> bool:
    """Return whether ``host`` is this machine, by name or by address; not by a mapped one, ``::ffff:127.0.0.1``.

    For that, Python's own ``is_loopback`` is false before 3.13 and true from then on.
    """
    if host == "localhost":
        return True
    try:
        address = ipaddress.ip_address(host)
        return any(address in network for network in _LOOPBACK)
    except ValueError:
        return False


def _origin(parts: SplitResult) -> Origin:
    if parts.scheme not in PORTS or not parts.hostname:
        raise ValueError
    return Origin(parts.scheme, parts.hostname, parts.port or PORTS[parts.scheme])
