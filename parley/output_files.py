"""The places of the files that commands write."""

from pathlib import Path

from parley.errors import RequestError


def refuse_place(path: Path) -> None:
    """Refuse a file that is a folder, or has none.

    Raises:
        RequestError: it is one; the message names the remedy.
    """
    name = str(path)
    if path.is_dir():
        raise RequestError(f"{name!r} is a folder; name a file in it")
    if not path.parent.is_dir():
        raise RequestError(f"{str(path.parent)!r} is no folder, so {name!r} cannot be written; make it first")
