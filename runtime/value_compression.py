"""Compression of short values in histories, with a dictionary.

Any reader of Zstandard reads them with ``protocols/dictionary-1.bin``, as ``zstd -d -D`` does.
"""

import zstandard

from protocols import text_dictionary
from runtime.compression import Contexts

_LEVEL = 1
"""A third of the time of level 6, whose tables a busy worker never has in its caches; replies are some 8 % longer."""


def _dictionary() -> zstandard.ZstdCompressionDict:
    made = zstandard.ZstdCompressionDict(text_dictionary.CONTENT)
    made.precompute_compress(level=_LEVEL)
    return made


_of_thread = Contexts(_LEVEL, _dictionary())


def packed_value(content: bytes) -> bytes:
    """Compress ``content``."""
    return _of_thread.pack(content)


def unpacked_value(content: bytes) -> bytes | None:
    """Return what ``packed_value`` compressed; ``None`` if it is damaged or needs another dictionary."""
    return _of_thread.unpack(content)
