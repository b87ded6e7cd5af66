"""Text files of datasets, with an encoding from byte order mark, first bytes or study file."""

import codecs
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from parley.errors import RequestError

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


def checked_encoding(name: str) -> str:
    """Return ``name`` when it is an encoding of text.

    Raises:
        ValueError: it is none.
    """
    try:
        "".encode(name)
    except (LookupError, ValueError):
        raise ValueError("expected an encoding such as utf-8, utf-16, windows-1252 or shift_jis") from None
    return name


@contextmanager
def open_text(path: Path, encoding: str | None, newline: str) -> Iterator[TextIO]:
    """Open ``path`` in its encoding; invalid bytes become lone surrogates, found field by field.

    Raises:
        RequestError: the bytes are no text of the encoding, reported while reading.
    """
    said = encoding or _encoding_of(path)
    errors = "surrogateescape" if said in {"utf-8", "utf-8-sig"} else "strict"
    with path.open(encoding=said, errors=errors, newline=newline) as file:
        try:
            yield file
        except UnicodeError as error:
            raise RequestError(
                f"{str(path)!r} is not text in {said}: {error}; name its encoding, as in dataset.encoding = "
                '"windows-1252", or save it as UTF-8'
            ) from None


def _encoding_of(path: Path) -> str:
    with path.open("rb") as file:
        head = file.read(4)
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return encoding
    zeros = [byte == 0 for byte in head]
    is_alternating = len(zeros) == len(b"a\0b\0") and zeros[:2] == zeros[2:]
    return _BY_ZEROS.get((zeros[0], zeros[1]), "utf-8") if is_alternating else "utf-8"
