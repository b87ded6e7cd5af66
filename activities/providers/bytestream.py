"""Bytes from a provider to text, under limits.

The limits count what arrives and what it unpacks to, while it arrives: an endless body or a small file that unpacks to
gigabytes is stopped at the limit, not at the end of memory. Text is strict UTF-8; a byte order mark is allowed.
"""

import zlib
from codecs import BOM_UTF8
from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager

from activities.providers.errors import BadResponseError, TooLargeError
from activities.providers.transport import ReceivedResponse

LARGEST_ANSWER = 4_000_000
"""Bytes of UTF-8 that the text of an answer, and its reasoning, may each have."""
LARGEST_BODY = 8_000_000
"""Bytes of a JSON body."""
LARGEST_STREAM = 64_000_000
"""Bytes of a whole event stream."""

_PLAIN = {"", "identity", "none"}
_PACKED = {"gzip": 31, "x-gzip": 31, "deflate": 15}
"""Content encoding to the window that zlib expects."""
_STEP = 65_536


async def whole_text(response: ReceivedResponse, provider: str, limit: int = LARGEST_BODY) -> str:
    """Return the whole body as text."""
    body = b"".join([piece async for piece in bytes_of(response, provider, limit)])
    with only_utf8(response, provider):
        return body.removeprefix(BOM_UTF8).decode()


@contextmanager
def only_utf8(response: ReceivedResponse, provider: str) -> Iterator[None]:
    """Read text within this block: bytes that are no UTF-8 are a bad response."""
    try:
        yield
    except UnicodeDecodeError:
        raise BadResponseError("the body is not UTF-8", provider=provider, status=response.status_code) from None


async def bytes_of(response: ReceivedResponse, provider: str, limit: int) -> AsyncGenerator[bytes, None]:
    """Yield the unpacked pieces of a body as they arrive; raises as ``whole_text``, but for UTF-8."""
    encoding = response.headers.get("content-encoding", "").strip().lower()
    if encoding not in _PLAIN and encoding not in _PACKED:
        said = "the body has a content encoding that was not asked for"
        raise BadResponseError(said, provider=provider, status=response.status_code)
    inflate = zlib.decompressobj(_PACKED[encoding]) if encoding in _PACKED else None
    packed = unpacked = 0
    async for raw in response.stream:  # the caller closes the response
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
