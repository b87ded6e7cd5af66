"""The encoding of a text by its first bytes: by a byte order mark, by zeros, else UTF-8."""

import codecs

HEAD = 4
"""Bytes at the beginning of a text that determine its encoding."""

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
"""Byte order marks, the longer before those with which they begin."""
_BY_ZEROS = {(False, True): "utf-16-le", (True, False): "utf-16-be"}
"""UTF-16 without a mark: which byte of the first two is zero, as a letter of ASCII has it."""


def encoding_of(head: bytes) -> str:
    """Return the encoding of the text that begins with ``head``."""
    head = head[:HEAD]
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return encoding
    zeros = [byte == 0 for byte in head]
    is_alternating = len(zeros) == HEAD and zeros[:2] == zeros[2:]
    return _BY_ZEROS.get((zeros[0], zeros[1]), "utf-8") if is_alternating else "utf-8"
