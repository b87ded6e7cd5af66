"""The reading of a user's TOML file of tables: providers, panels."""

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

_LARGEST = 1_000_000

Refusal = Callable[[str], Exception]
"""Returns the error with a sentence about the file."""


def read_toml(path: Path, entry: str, refused: Refusal) -> dict[str, Any]:
    """Return the content of the file at ``path``, which has one table for each ``entry``.

    Raises:
        Exception: as ``refused`` makes it; the file cannot be read, is too large, or is not TOML.
    """
    try:
        with path.open("rb") as file:
            content = file.read(_LARGEST + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise refused(f"cannot be read: {reason}; give the path of a TOML file") from None
    if len(content) > _LARGEST:
        raise refused(f"is larger than 1 MB; it should hold a few tables, one for each {entry}")
    try:
        return tomllib.loads(content.decode("utf-8-sig"))
    except tomllib.TOMLDecodeError as error:
        raise refused(f"is not TOML: {error}") from None
    except UnicodeDecodeError:
        raise refused("is not UTF-8; save it as UTF-8") from None
    except RecursionError:
        raise refused(f"is nested too deeply; a {entry} is one table") from None
