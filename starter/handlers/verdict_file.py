"""The file that ``--output`` names: checked before anything is asked, written when there is a verdict."""

import os
from pathlib import Path

from parley.errors import RequestError
from protocols.visible_text import printable


def check_output(path: Path | None, *, force: bool, detach: bool) -> None:
    """Refuse a file that could not be written later, while nothing is paid yet.

    Raises:
        RequestError: the folder is missing or closed, the file exists and may not be replaced, or the command
            does not wait for the verdict.
    """
    if path is None:
        return
    name = str(path)
    if detach:
        raise RequestError(f"--detach waits for no verdict, so {name!r} cannot be written; leave one of them out")
    if path.is_dir():
        raise RequestError(f"{name!r} is a folder; name a file in it")
    if path.exists() and not force:
        raise RequestError(f"{name!r} is there already; name another file, or replace it with --force")
    if not path.parent.is_dir():
        raise RequestError(f"{str(path.parent)!r} is no folder, so {name!r} cannot be written; make it first")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise RequestError(
            f"nothing may be written to {str(path.parent)!r}, so name another folder than that of {name!r}"
        )


def write_verdict(path: Path, verdict: str, *, force: bool) -> None:
    """Write ``verdict`` as the model wrote it, without characters that hide something."""
    from studies.exports.files import whole_file  # noqa: PLC0415 - it brings SQLAlchemy, and most verdicts are only shown

    with whole_file(path, force=force) as file:
        file.write(f"{printable(verdict).rstrip()}\n".encode())
