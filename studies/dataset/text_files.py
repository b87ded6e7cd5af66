"""Text files of datasets, with an encoding from byte order mark, first bytes or study file."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from parley.errors import RequestError
from parley.text_encodings import HEAD, encoding_of


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
        return encoding_of(file.read(HEAD))
