"""Responses of gateways, proxies and login pages in a provider's place.

A web page instead of JSON, a redirect, a proxy that wants a login, a certificate that does not hold: something between
Parley and the provider is in the way, most often for a while. All of them are tried again like a provider that is down.
A wrong base URL looks the same and stays forever, so every message names what was seen: the status, the title of the
page, the host of the redirect, the fault of the certificate.
"""

import html
import re
import socket
import ssl
from urllib.parse import urlsplit

import httpx

from activities.providers.error_responses import ErrorContext, error_of, read_error_body
from activities.providers.errors import (
    BadRequestError,
    GatewayError,
    ProviderError,
    RedirectError,
    TlsError,
    TransportError,
)
from activities.text_cleaning import clean_line

_PAGE = re.compile(r"\s*(?>(?:<!--.{0,1000}?-->\s*)*)<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE | re.DOTALL)
_TITLE = re.compile(r"<title[^>]{0,100}>(.{1,400}?)</title", re.IGNORECASE | re.DOTALL)
_SEARCHED = 20_000
_LONGEST_TITLE = 80
_LONGEST_HOST = 100

_SAID_BY_STATUS = {401, 408, 409, 413, 425, 429}
"""Statuses that mean the same with a web page for a body as with JSON."""
_SERVER_ERRORS = 500
_PROXY_LOGIN = 407

_CERTIFICATE_FAULTS = {
    9: "is not valid yet",
    10: "has expired",
    18: "is signed by itself",
    19: "is signed by an authority that is not trusted",
    20: "is signed by an authority that is not trusted",
    62: "is for another host",
    64: "is for another address",
}
"""OpenSSL's numbers for invalid certificates; its own text may contain the address."""


def is_page(kind: str, text: str) -> bool:
    """Return whether a body of content type ``kind`` is a web page, by its type or by how it begins."""
    return kind in {"text/html", "application/xhtml+xml"} or _PAGE.match(text[:_SEARCHED]) is not None


def page_error(text: str, at: ErrorContext) -> ProviderError:
    """Return the error for a web page in place of JSON, by its status."""
    page = _described(text, at)
    if at.status in _SAID_BY_STATUS or at.status >= _SERVER_ERRORS:
        return error_of(read_error_body({"message": page}), at)
    said = (
        f"answered {at.status} with {page} instead of JSON: is base_url right, or a login page or gateway in between?"
    )
    return at.error(GatewayError, said)


def status_error(body: object, at: ErrorContext) -> ProviderError:
    """Return the error that a status with ``body`` means."""
    if at.status == _PROXY_LOGIN:
        said = "answered 407: a proxy in between wants a login"
        return at.error(GatewayError, said)
    return error_of(read_error_body(body), at)


def redirect_error(location: str, at: ErrorContext) -> ProviderError:
    """Return the error that a redirect means. Names the host of ``location`` only: its path may hold a secret."""
    try:
        host = urlsplit(location).hostname or "the same host"
    except ValueError:
        host = "an address that cannot be read"
    host = clean_line(at.scrub.head(host, _LONGEST_HOST + 1), _LONGEST_HOST)
    said = f"answered {at.status} and redirects to {host}: is base_url right, or a login page in between?"
    return at.error(RedirectError, said)


def connection_error(error: Exception, provider: str, request_id: str | None) -> ProviderError:
    """Return the error for a failed connection, by the name of the fault: its text may quote the request."""
    name = type(error).__name__
    if isinstance(error, (httpx.LocalProtocolError, httpx.UnsupportedProtocol, httpx.InvalidURL)):
        return BadRequestError(f"the request cannot be sent ({name})", provider=provider)
    said = f"the connection failed ({name})"
    for cause in _causes(error):
        if isinstance(cause, ssl.SSLError):
            return TlsError(_tls_fault(cause), provider=provider, request_id=request_id)
        if isinstance(cause, socket.gaierror):
            said = "the name of its host was not found: is base_url right, and the network there?"
        if isinstance(cause, ConnectionRefusedError):
            said = "nothing listens at its address: is the server running, and base_url right?"
    return TransportError(said, provider=provider, request_id=request_id)


def _described(text: str, at: ErrorContext) -> str:
    found = _TITLE.search(text[:_SEARCHED])
    title = clean_line(at.scrub.head(html.unescape(found[1]), _LONGEST_TITLE + 1), _LONGEST_TITLE) if found else ""
    return f'a web page ("{title}")' if title else "a web page"


def _causes(error: BaseException | None) -> list[BaseException]:
    found: list[BaseException] = []
    while error is not None and error not in found:
        found.append(error)
        error = error.__cause__ or error.__context__
    return found


def _tls_fault(error: ssl.SSLError) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        fault = _CERTIFICATE_FAULTS.get(getattr(error, "verify_code", 0), "does not hold")
        return (
            f"the server's certificate {fault}: is base_url right, or a login page in between? "
            "Name a private authority in SSL_CERT_FILE"
        )
    reason = clean_line(getattr(error, "reason", None) or type(error).__name__, _LONGEST_TITLE)
    return f"no TLS connection ({reason}): is base_url right, or a login page or proxy in between?"
