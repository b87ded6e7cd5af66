"""What answers in a provider's place is recognised, and a user can distinguish from the message what it was."""

import socket
import ssl
from collections.abc import Callable

import httpx
import pytest

from activities.providers.errors import (
    AuthError,
    BadRequestError,
    BadResponseError,
    GatewayError,
    NotFoundError,
    ProviderError,
    RateLimitedError,
    RedirectError,
    TlsError,
    TransportError,
    UnavailableError,
)
from activities.providers.gateway_errors import is_page
from tests.activities.providers.conftest import Exchange
from tests.fakes.wire import JSON, answering, failing, json_answer

HTML = {"content-type": "text/html; charset=utf-8"}
CHALLENGE = (
    b'<!DOCTYPE html><html lang="en-US"><head><title>Just a moment...</title><meta http-equiv="refresh" content="360">'
    b"</head><body><noscript>Enable JavaScript and cookies to continue</noscript></body></html>"
)
PORTAL = b"<HTML><HEAD><TITLE>Wi-Fi &amp; Guest login</TITLE></HEAD><BODY></BODY></HTML>"
NGINX = b"<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body><center>nginx</center></body>\r\n</html>"
SQUID = b"<!-- squid --><!-- again -->\n<!DOCTYPE html PUBLIC '-//W3C//DTD HTML 4.01//EN'><html><title>ERROR</title>"


def caused_by(cause: Exception, fault: Exception | None = None) -> Exception:
    """A failed connection as httpx raises it, from the fault below."""
    fault = fault or httpx.ConnectError("quotes sk-canary-123456")
    fault.__cause__ = cause
    return fault


def refused_certificate(code: int) -> Exception:
    """A handshake that ended at the certificate, with OpenSSL's number."""
    fault = ssl.SSLCertVerificationError(1, "certificate verify failed")
    fault.verify_code = code
    return caused_by(fault)


def broken_handshake(reason: str) -> Exception:
    """A handshake that failed for ``reason``."""
    fault = ssl.SSLError(1, "handshake")
    fault.reason = reason
    return caused_by(fault)


@pytest.mark.parametrize(
    ("answer", "kind", "said"),
    [
        (answering(CHALLENGE, headers=HTML), GatewayError, 'answered 200 with a web page ("Just a moment...")'),
        (answering(CHALLENGE, status=403, headers=HTML), GatewayError, 'answered 403 with a web page ("Just a'),
        (answering(PORTAL, headers=JSON), GatewayError, '("Wi-Fi & Guest login") instead of JSON: is base_url right'),
        (answering(PORTAL, headers={}), GatewayError, "Guest login"),
        (answering(SQUID, status=404, headers={}), GatewayError, 'answered 404 with a web page ("ERROR")'),
        (answering(b"", headers=HTML), GatewayError, "answered 200 with a web page instead"),
        (answering(b"<html>", httpx.ReadError("cut"), headers=HTML), GatewayError, "with a web page instead"),
        (answering(PORTAL, status=511, headers=HTML), UnavailableError, 'answered 511: a web page ("Wi-Fi'),
        (answering(NGINX, status=502, headers=HTML), UnavailableError, 'answered 502: a web page ("502 Bad Gateway")'),
        (answering(NGINX, status=429, headers=HTML), RateLimitedError, "answered 429: a web page"),
        (answering(NGINX, status=413, headers=HTML), BadRequestError, "answered 413: a web page"),
        (answering(PORTAL, status=401, headers=HTML), AuthError, "answered 401: a web page"),
        (answering(b"", status=407), GatewayError, "answered 407: a proxy in between wants a login"),
        (json_answer({"message": "no"}, 407), GatewayError, "a proxy in between wants a login"),
        (answering(b"404 page not found", status=404, headers={}), NotFoundError, "answered 404: 404 page not found"),
        (
            answering(b"connect error sk-canary-123456", status=503),
            UnavailableError,
            "answered 503: connect error [key]",
        ),
        (json_answer({"error": {"code": "model_not_found", "message": "no"}}, 404), NotFoundError, "answered 404: no"),
        (answering(b"a model said <html>", headers={"content-type": "text/plain"}), BadResponseError, "text/plain"),
    ],
)
async def test_a_web_page_is_an_unavailable_gateway(
    exchange: Exchange, answer: Callable[[httpx.Request], httpx.Response], kind: type[ProviderError], said: str
) -> None:
    """A page in place of JSON is recognised by its title and status; what the configuration got wrong stays final."""
    with pytest.raises(kind) as failed:
        await exchange(answer)
    assert said in str(failed.value)


@pytest.mark.parametrize(
    ("answer", "is_asked"),
    [
        (answering(b"404 page not found", status=404, headers={}), True),
        (answering(status=404), True),
        (json_answer({"detail": "Not Found"}, 404), True),
        (json_answer({"error": "Unexpected endpoint or method. (POST /chat/completions)"}), True),
        (json_answer({"error": {"code": 404, "message": "No endpoints found for x."}}, 404), False),
        (json_answer({"error": {"type": "NotFoundError", "message": "The model x does not exist."}}, 404), False),
        (json_answer({"message": "no", "code": "model_not_found"}, 404), False),
    ],
)
async def test_the_message_for_a_missing_path_names_the_base_url(
    exchange: Exchange, answer: Callable[[httpx.Request], httpx.Response], *, is_asked: bool
) -> None:
    """A base URL without its last part is final and named as the fault; a model that is missing is none of it."""
    with pytest.raises(NotFoundError) as failed:
        await exchange(answer)
    assert is_asked == ("is base_url right? That of most servers ends in /v1" in str(failed.value))


@pytest.mark.parametrize("status", [300, 301, 302, 303, 304, 307, 308])
async def test_any_redirect_names_its_host(exchange: Exchange, status: int) -> None:
    """A redirect of any kind is never followed, and its message names the host and asks for the base URL."""
    with pytest.raises(RedirectError) as failed:
        await exchange(answering(status=status, headers={"location": "http://portal.example/login?token=sk-1"}))
    said = f"lab: answered {status} and redirects to portal.example: is base_url right, or a login page in between?"
    assert said == str(failed.value)


@pytest.mark.parametrize(
    ("location", "host"), [("/login", "the same host"), ("", "the same host"), ("http://[", "cannot be read")]
)
async def test_a_redirect_without_a_host_is_reported_too(exchange: Exchange, location: str, host: str) -> None:
    """A redirect inside the host, or to no address at all, is a redirect all the same."""
    with pytest.raises(RedirectError, match=host):
        await exchange(answering(status=302, headers={"location": location}))


@pytest.mark.parametrize(
    ("fault", "kind", "said"),
    [
        (refused_certificate(10), TlsError, "certificate has expired"),
        (refused_certificate(62), TlsError, "certificate is for another host: is base_url right, or a login page"),
        (refused_certificate(18), TlsError, "signed by itself"),
        (refused_certificate(999), TlsError, "certificate does not hold"),
        (broken_handshake("WRONG_VERSION_NUMBER"), TlsError, "no TLS connection (WRONG_VERSION_NUMBER)"),
        (caused_by(ssl.SSLEOFError(8, "EOF")), TlsError, "no TLS connection"),
        (caused_by(socket.gaierror(-2, "Name or service not known")), TransportError, "name of its host was not found"),
        (caused_by(ConnectionResetError(104, "reset")), TransportError, "the connection failed (ConnectError)"),
    ],
)
async def test_a_connection_that_fails_states_where(
    exchange: Exchange, fault: Exception, kind: type[ProviderError], said: str
) -> None:
    """Name lookup, TLS and certificate are distinguished, in our words: the library's may quote the request."""
    with pytest.raises(kind) as failed:
        await exchange(failing(fault))
    assert said in str(failed.value)
    assert "canary" not in str(failed.value)


async def test_a_title_is_one_short_printable_line(exchange: Exchange) -> None:
    """The title of a hostile page cannot break the line, fill the screen or repeat the key."""
    title = "\x1b[31mred\u202e\n" + "sk-canary-123456 " + "x" * 300
    page = f"<html><title>{title}</title></html>".encode()
    with pytest.raises(GatewayError) as failed:
        await exchange(answering(page, headers=HTML))
    said = str(failed.value)
    assert said.isprintable()
    assert "canary" not in said
    assert len(said) < 250


@pytest.mark.parametrize("text", ["<!--" * 5000, "<!---->" * 3000, "<!-- " + "--><!--" * 2500, "<title>" * 3000])
def test_a_page_that_never_begins_is_given_up(text: str) -> None:
    """Comments and titles without an end cost a look at the first characters, not minutes."""
    assert not is_page("text/plain", text)
