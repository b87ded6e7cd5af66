"""Compression of what is stored: files, payloads of histories and blobs of the ledger.

The contexts are kept for each thread: to make one takes longer than to compress an answer.
"""

import threading

import zstandard

_LEVEL = 3
_LARGEST = 256 * 1024 * 1024
"""No blob claims more unpacked bytes than this; a damaged header must not take the memory."""


class _Contexts(threading.local):
    """The contexts of one thread."""

    def __init__(self) -> None:
        self.compressor = zstandard.ZstdCompressor(level=_LEVEL)
        self.decompressor = zstandard.ZstdDecompressor()


_of_thread = _Contexts()


def packed(content: bytes) -> bytes:
    """Compress ``content``."""
    return _of_thread.compressor.compress(content)


def unpacked(content: bytes) -> bytes | None:
    """Return what ``packed`` compressed; ``None`` if it is damaged or claims to be huge."""
    try:
        if zstandard.frame_content_size(content) > _LARGEST:
            return None
        return _of_thread.decompressor.decompress(content, max_output_size=_LARGEST)
    except zstandard.ZstdError:
        return None
