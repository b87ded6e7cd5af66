"""Bytes from a provider to text, under limits.

The limits count what arrives and what it unpacks to, while it arrives: an endless body or a small file that unpacks to
gigabytes is stopped at the limit, not at the end of memory. Text is strict UTF-8; a byte order mark is allowed.
"""

import zlib
from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager

import httpx

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


async def whole_text(response: httpx.Response, provider: str, limit: int = LARGEST_BODY) -> str:
    """Return the whole body as text.

    Raises:
        TooLargeError: it is longer than ``limit`` bytes, packed or unpacked.
        BadResponseError: it cannot be unpacked or is not UTF-8.
    """
    body = b"".join([piece async for piece in _bytes_of(response, provider, limit)])
    with _only_utf8(response, provider):
        return body.decode("utf-8-sig")


async def events_of(response: httpx.Response, provider: str) -> AsyncGenerator[list[str], None]:
    """Yield the data of the events that a piece of the stream completes, without comments; raises as ``whole_text``."""
    reader, number = EventReader(), 0
    with _only_utf8(response, provider):
        async for piece in _bytes_of(response, provider, LARGEST_STREAM):
            events = reader.read(piece)
            number += len(events)
            _check(reader.size, LARGEST_EVENT, provider)
            if number > MOST_EVENTS:
                raise TooLargeError(f"sent more than {MOST_EVENTS} events and was cut off", provider=provider)
            if events:
                yield events
        yield reader.read(b"\n\n")  # a last event whose own empty line is missing


class EventReader:
    """A reader of server-sent events from bytes, in any pieces; other fields than ``data`` mean nothing here."""

    def __init__(self) -> None:
        self.size = 0
        """Bytes of the event that has not ended."""
        self._unended: list[bytes] = []
        """Pieces of a line that has not ended."""
        self._data: list[str] = []
        self._is_first_line = True
        self._is_after_return = False

    def read(self, piece: bytes) -> list[str]:
        """Return the data of every event that ``piece`` completes.

        Raises:
            UnicodeDecodeError: a line is not UTF-8.
        """
        if self._is_after_return and piece:
            piece = piece.removeprefix(b"\n")  # the second half of a line's end
            self._is_after_return = False
        self.size += len(piece)
        if b"\n" not in piece and b"\r" not in piece:
            self._unended.append(piece)
            return []
        lines = b"".join((*self._unended, piece)).splitlines(keepends=True)
        self._is_after_return = piece.endswith(b"\r")
        self._unended = [] if piece.endswith((b"\n", b"\r")) else [lines.pop()]
        return [event for line in lines if (event := self._event(line.rstrip(b"\r\n").decode()))]

    def _event(self, line: str) -> str:
        """Return the data of the event that ``line`` ends; empty if it ends none."""
        if self._is_first_line:
            line, self._is_first_line = line.removeprefix("\ufeff"), False
        if line:
            field, _, value = line.partition(":")
            if field == "data":
                self._data.append(value.removeprefix(" "))
            return ""
        self.size = sum(map(len, self._unended))
        event, self._data = "\n".join(self._data), []
        return event


@contextmanager
def _only_utf8(response: httpx.Response, provider: str) -> Iterator[None]:
    try:
        yield
    except UnicodeDecodeError:
        raise BadResponseError("the body is not UTF-8", provider=provider, status=response.status_code) from None


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
