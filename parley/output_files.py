"""The places of the files that commands write."""

from contextlib import suppress
from pathlib import Path

from parley.errors import RequestError
from protocols.constraints import quoted


def refuse_place(path: Path) -> None:
    """Refuse a folder, a device or pipe, a file without a folder, and a name longer than a file may have."""
    name = quoted(path)
    try:
        with suppress(FileNotFoundError, NotADirectoryError):
            path.stat()  # to whatever fails otherwise, pathlib's questions answer "no" from Python 3.14 on
        if path.is_dir():
            raise RequestError(f"{name} is a folder; name a file in it")
        if path.exists() and not path.is_file():
            raise RequestError(f"{name} is a device or a pipe, which a file would replace; name a file")
        if not path.parent.is_dir():
            raise RequestError(f"{quoted(path.parent)} is no folder, so {name} cannot be written; make it first")
    except OSError as error:
        raise RequestError(f"{name} cannot be written: {error.strerror}; name another file") from None
