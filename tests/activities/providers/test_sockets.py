"""The same over real sockets on this machine: what is made of a network that misbehaves."""

import asyncio
import contextlib
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest

from activities.providers.bytestream import whole_text
from activities.providers.errors import BadResponseError, ProviderError, StalledError, TlsError, TransportError
from activities.providers.http_exchange import send_call
from activities.providers.pool import Pool
from activities.providers.progress import CallProgress
from activities.providers.stream_assembly import Chunk
from activities.providers.transport import PROBES, probed_socket
from tests.fakes.calls import model_call, provider
from tests.fakes.certificates import self_signed
from tests.fakes.wire import spoken

Side = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
DRIP: tuple[bytes | float, ...] = (b"HTTP/1.1 200 OK\r\nx-drip: ", *(b"H", 0.05) * 40)
COMMENTS: tuple[bytes | float, ...] = (b": still here\n\n", 0.05) * 40
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"


def saying(*pieces: bytes | float) -> Side:
    """A server that reads the request, plays the pieces and closes."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            await reader.readuntil(b"\r\n\r\n")
            for piece in pieces:
                if isinstance(piece, bytes):
                    writer.write(piece)
                    await writer.drain()
                else:
                    await asyncio.sleep(piece)
        writer.close()

    return talk


@asynccontextmanager
async def serving(side: Side, tls: ssl.SSLContext | None = None) -> AsyncIterator[int]:
    """The port of a server that treats every connection by ``side``."""
    server = await asyncio.start_server(side, "127.0.0.1", 0, ssl=tls)
    yield server.sockets[0].getsockname()[1]
    server.close()


async def ask(port: int, scheme: str = "http", certificates: str | None = None) -> Chunk:
    """One exchange with whatever listens there."""
    pool, pulse = Pool(certificates=certificates), CallProgress()
    lab = provider(base_url=f"{scheme}://127.0.0.1:{port}/v1", connect_seconds=2)
    call = model_call(patience={"total": 3, "first_token": 1.0, "between_chunks": 1.0})
    try:
        async with pool.lend(lab, pulse) as client:
            return await send_call(client, call, lab, None, call_key="k", pulse=pulse)
    finally:
        await pool.aclose()


@pytest.mark.parametrize(
    ("side", "kind"),
    [
        (saying(2.0), StalledError),
        (saying(*DRIP), StalledError),
        (saying(HEAD, b"\r\n", *COMMENTS), StalledError),
        (saying(HEAD, b"content-length: 10\r\n\r\n", b"abc"), TransportError),
        (saying(HEAD, b"transfer-encoding: chunked\r\n\r\n", b"5\r\nab"), TransportError),
        (saying(), TransportError),
        (saying(b"\x00\x01garbage\r\n\r\n"), TransportError),
        (saying(b"HTTP/1.1 200 OK\r\nx: " + b"y" * 200_000 + b"\r\n\r\n"), TransportError),
        (saying(b"HTTP/1.1 204 No Content\r\n\r\n"), BadResponseError),
    ],
)
async def test_a_misbehaving_connection_has_a_name(side: Side, kind: type[ProviderError]) -> None:
    """Hanging, dripping, cut and senseless connections end in a named error within their deadline."""
    async with serving(side) as port:
        with pytest.raises(kind):
            await ask(port)


async def test_a_refused_connection_is_worth_another_try() -> None:
    """No one listening is a fault of the transport, and the message names what to look at."""
    async with serving(saying()) as port:
        pass
    with pytest.raises(TransportError, match="nothing listens at its address: is the server running"):
        await ask(port)


async def test_a_self_signed_certificate_is_refused(tmp_path: Path) -> None:
    """An unknown certificate is an error of its own that states what to do."""
    context, _ = self_signed(tmp_path)
    async with serving(saying(), context) as port:
        with pytest.raises(TlsError, match="SSL_CERT_FILE"):
            await ask(port, "https")


async def test_an_authority_of_ones_own_is_trusted_when_named(tmp_path: Path) -> None:
    """The file of certificates that the operator names is trusted beside the usual ones."""
    context, file = self_signed(tmp_path)
    async with serving(saying(HEAD, b"\r\n", *spoken("yes")), context) as port:
        assert (await ask(port, "https", str(file))).text == "yes"


def test_a_provider_that_vanishes_is_noticed_while_a_model_thinks() -> None:
    """A connection is probed after a minute of silence, so no limit on an answer is needed to notice a lost peer."""
    with probed_socket((socket.AF_INET, socket.SOCK_STREAM, 0, "", ("127.0.0.1", 1))) as opened:
        told = {option: opened.getsockopt(level, option) for level, option, _ in PROBES}

    assert {option: value for _, option, value in PROBES} == told


@pytest.mark.parametrize("others", [0, 400])
async def test_a_connection_is_kept_for_the_next_call_and_closed_with_an_answer_given_up(others: int) -> None:
    """Two answers read to their end come over one connection; one left in the middle closes it, also among many."""
    opened: list[str] = []
    closed = asyncio.Event()

    async def side(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        opened.append("connection")
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
                asked = await reader.readexactly(length)
                body = b"".join(spoken("yes"))
                end = b"%d" % (len(body) + (b"cut" in asked))
                writer.write(HEAD + b"content-length: " + end + b"\r\n\r\n" + body)
        closed.set()
        writer.close()

    pool = Pool()
    pool.pace.streams = others
    async with serving(side) as port, asyncio.timeout(20):
        lab = provider(base_url=f"http://127.0.0.1:{port}/v1")
        async with pool.lend(lab, CallProgress()) as client:
            answers = [await client.send(b"whole", {}) for _ in range(2)]
            assert [await whole_text(answer, "lab") for answer in answers] == 2 * [b"".join(spoken("yes")).decode()]
            assert len(opened) == 1
            cut = await client.send(b"cut", {})
            assert not closed.is_set()
            await cut.aclose()
            await closed.wait()
    await pool.aclose()


async def test_a_header_with_a_line_break_is_not_sent() -> None:
    """A value that would begin another header is refused before a connection is opened."""
    pool, lab = Pool(), provider(base_url="http://127.0.0.1:9/v1")
    async with pool.lend(lab, CallProgress()) as client:
        for value in ("a\r\nX-Other: b", "a\n", "a\r", "a\0", "\N{SNOWMAN}"):
            with pytest.raises(httpx.LocalProtocolError):
                await client.send(b"", {"X-Known": value})
    await pool.aclose()


@pytest.mark.parametrize("status", [b"100 Continue", b"103 Early Hints"])
async def test_a_status_before_the_response_is_passed_over(status: bytes) -> None:
    """An interim status is no response; the one behind it is."""
    async with serving(saying(b"HTTP/1.1 " + status + b"\r\n\r\n", HEAD, b"\r\n", *spoken("yes"))) as port:
        assert (await ask(port)).text == "yes"


async def test_a_request_that_was_answered_too_early_leaves_no_connection() -> None:
    """The rest of a request is not in front of the next one: its connection is closed, and another one opened."""
    answered, ends = asyncio.Event(), asyncio.Queue[bytes]()

    async def side(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 413 Content Too Large\r\ncontent-length: 0\r\n\r\n")
        await answered.wait()
        end = b""
        while piece := await reader.read(1_000_000):
            end = piece
        writer.close()
        ends.put_nowait(end[-1:])

    pool = Pool()
    async with serving(side) as port, asyncio.timeout(20):
        lab = provider(base_url=f"http://127.0.0.1:{port}/v1")
        async with pool.lend(lab, CallProgress()) as client:
            for _ in range(2):
                answer = await client.send(b" " * 20_000_000, {})
                assert (answer.status_code, await whole_text(answer, "lab")) == (413, "")
        answered.set()
        assert [await ends.get(), await ends.get()] == [b" ", b" "]
        await pool.aclose()


async def test_a_cookie_is_not_sent_back() -> None:
    """What a provider sets in one response is in no later request, which has the given headers and no other fields."""
    heads: list[bytes] = []

    async def side(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError):
            while True:
                heads.append(await reader.readuntil(b"\r\n\r\n"))
                writer.write(HEAD + b"set-cookie: known=1; path=/\r\ncontent-length: 0\r\n\r\n")
        writer.close()

    pool = Pool()
    async with serving(side) as port, asyncio.timeout(20):
        lab = provider(base_url=f"http://127.0.0.1:{port}/v1")
        async with pool.lend(lab, CallProgress()) as client:
            for _ in range(2):
                await whole_text(await client.send(b"", {"X-Known": "yes"}), "lab")
        fields = [{line.partition(b":")[0].lower() for line in head.splitlines()[1:-1]} for head in heads]
    await pool.aclose()
    assert fields == 2 * [{b"host", b"x-known", b"content-length"}]


async def test_words_that_come_while_a_stream_waits_are_read_together() -> None:
    """Among 400 streams every word arrives, in fewer reads than words: the next read waits and takes all of them."""
    words = [b"data: %d\n\n" % number for number in range(40)]
    gone = asyncio.Event()

    async def side(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(HEAD + b"\r\n" + words[0])
        await gone.wait()
        for word in words[1:]:
            writer.write(word)
            await asyncio.sleep(0)
        writer.close()

    pool, pieces = Pool(), list[bytes]()
    pool.pace.streams = 400
    async with serving(side) as port, asyncio.timeout(20):
        lab = provider(base_url=f"http://127.0.0.1:{port}/v1")
        async with pool.lend(lab, CallProgress()) as client:
            async for piece in (await client.send(b"", {})).stream:
                pieces.append(piece)
                gone.set()
    await pool.aclose()
    assert b"".join(pieces) == b"".join(words)
    assert len(pieces) < len(words)
