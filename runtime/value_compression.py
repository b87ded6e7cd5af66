"""Compression of short values in histories, with a dictionary.

Any reader of Zstandard reads them with ``protocols/dictionary-1.bin``, as ``zstd -d -D`` does.
"""

import zstandard

from protocols import text_dictionary
from runtime.compression import Contexts

_LEVEL = 1
"""A third of the time of level 6, whose tables a busy worker never has in its caches; replies are some 8 % longer."""
_dictionary = zstandard.ZstdCompressionDict(text_dictionary.CONTENT)
_dictionary.precompute_compress(level=_LEVEL)
_of_thread = Contexts(_LEVEL, _dictionary)
packed_value = _of_thread.pack
"""Compress a value."""
unpacked_value = _of_thread.unpack
"""Return what ``packed_value`` compressed; ``None`` if it is damaged or needs another dictionary."""
