"""Bytes from a provider to text, under limits.

The limits count what arrives and what it unpacks to, while it arrives: an endless body or a small file that unpacks to
gigabytes is stopped at the limit, not at the end of memory. Text is strict UTF-8; a byte order mark is allowed.
"""

import codecs
import zlib
from collections.abc import AsyncGenerator, AsyncIterator, Iterator

import httpx
from httpx_sse import EventSource

from activities.providers.errors import BadResponseError, TooLargeError

LARGEST_ANSWER = 4_000_000
"""Bytes of UTF-8 that the text of an answer, and its reasoning, may each have."""
LARGEST_BODY = 8_000_000
"""Bytes of a JSON body."""
LARGEST_EVENT = 8_000_000
"""Characters of one event of a stream, which is buffered until its end."""
MOST_EVENTS = 500_000
"""Events of a stream that hold data: more than any model writes tokens."""
LARGEST_STREAM = 64_000_000
"""Bytes of a whole event stream."""

_PLAIN = {"", "identity"}
_PACKED = {"gzip": 31, "x-gzip": 31, "deflate": 15}
"""Content encoding to the window that zlib expects."""
_STEP = 65_536
_EMPTY_LINES = ("\n\n", "\r\r", "\r\n\r\n")
_LONGEST_EMPTY_LINE = 3
"""Characters that may be left of one in the piece before."""


async def text_of(response: httpx.Response, provider: str, limit: int) -> AsyncGenerator[str, None]:
    """Yield the body as text, piece by piece.

    Raises:
        TooLargeError: it is longer than ``limit`` bytes, packed or unpacked.
        BadResponseError: it cannot be unpacked or is not UTF-8.
    """
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    try:
        async for piece in _bytes_of(response, provider, limit):
            yield decoder.decode(piece)
        yield decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        raise BadResponseError("the body is not UTF-8", provider=provider, status=response.status_code) from None


async def whole_text(response: httpx.Response, provider: str, limit: int = LARGEST_BODY) -> str:
    """Return the whole body as text; raises as ``text_of`` does."""
    return "".join([piece async for piece in text_of(response, provider, limit)])


async def events_of(response: httpx.Response, provider: str) -> AsyncGenerator[str, None]:
    """Yield the data of every event of a stream, without comments. Raises as ``text_of`` does."""
    checked = httpx.Response(
        200,
        headers={"content-type": "text/event-stream; charset=utf-8"},
        stream=_Checked(text_of(response, provider, LARGEST_STREAM), provider),
    )
    number = 0
    async for event in EventSource(checked).aiter_sse():
        if event.data:
            number += 1
            if number > MOST_EVENTS:
                raise TooLargeError(f"sent more than {MOST_EVENTS} events and was cut off", provider=provider)
            yield event.data


class _Checked(httpx.AsyncByteStream):
    """A body that was checked, as httpx-sse wants it: in a response.

    An empty line ends an event; the last event is read even without its empty line.
    """

    def __init__(self, text: AsyncIterator[str], provider: str) -> None:
        self._text = text
        self._provider = provider

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size, end = 0, ""
        async for piece in self._text:
            if not piece:
                continue
            # An empty line may be divided between two pieces.
            last = max(map(f"{end}{piece}".rfind, _EMPTY_LINES))
            size = len(end) + len(piece) - last if last >= 0 else size + len(piece)
            _check(size, LARGEST_EVENT, self._provider)
            end = piece[-_LONGEST_EMPTY_LINE:]
            yield piece.encode()
        yield b"\n\n"


async def _bytes_of(response: httpx.Response, provider: str, limit: int) -> AsyncGenerator[bytes, None]:
    encoding = response.headers.get("content-encoding", "").strip().lower()
    if encoding not in _PLAIN and encoding not in _PACKED:
        said = "the body has a content encoding that was not asked for"
        raise BadResponseError(said, provider=provider, status=response.status_code)
    inflate = zlib.decompressobj(_PACKED[encoding]) if encoding in _PACKED else None
    packed = unpacked = 0
    async for raw in response.aiter_raw():
        packed += len(raw)
        _check(packed, limit, provider)
        for piece in _inflated(inflate, raw, provider) if inflate else (raw,):
            unpacked += len(piece)
            _check(unpacked, limit, provider)
            yield piece


def _inflated(inflate: "zlib._Decompress", raw: bytes, provider: str) -> Iterator[bytes]:
    while raw:
        try:
            piece = inflate.decompress(raw, _STEP)
        except zlib.error:
            raise BadResponseError("the body cannot be unpacked", provider=provider) from None
        if piece:
            yield piece
        raw = inflate.unconsumed_tail


def _check(size: int, limit: int, provider: str) -> None:
    if size > limit:
        raise TooLargeError(f"sent more than {limit} bytes and was cut off", provider=provider)
