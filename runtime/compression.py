"""Compression of what is stored: files, payloads of histories and blobs of the ledger.

The contexts are kept for each thread: to make one takes longer than to compress an answer.
"""

import threading

import zstandard

_LEVEL = 1
"""Texts of a few kilobytes are as short as with level 3, in half the time of a busy worker."""
_LARGEST = 256 * 1024 * 1024
"""No blob claims more unpacked bytes than this; a damaged header must not take the memory."""


class Contexts(threading.local):
    """The contexts of one thread, with ``dictionary`` or without one."""

    def __init__(self, level: int, dictionary: zstandard.ZstdCompressionDict | None = None) -> None:
        self._compressor = zstandard.ZstdCompressor(level=level, dict_data=dictionary)
        self._decompressor = zstandard.ZstdDecompressor(dict_data=dictionary)

    def pack(self, content: bytes) -> bytes:
        """Compress ``content``."""
        return self._compressor.compress(content)

    def unpack(self, content: bytes) -> bytes | None:
        """Return what ``pack`` compressed; ``None`` if it is damaged, claims to be huge or needs another dictionary."""
        try:
            if zstandard.frame_content_size(content) > _LARGEST:
                return None
            return self._decompressor.decompress(content, max_output_size=_LARGEST)
        except zstandard.ZstdError:
            return None


_of_thread = Contexts(_LEVEL)
packed = _of_thread.pack
"""Compress a text."""
unpacked = _of_thread.unpack
"""Return what ``packed`` compressed; ``None`` if it is damaged or claims to be huge."""
