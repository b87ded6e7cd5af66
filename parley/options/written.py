"""The notation of options: a list, or a text of the command line."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BeforeValidator


@dataclass(frozen=True)
class Written:
    """The command line's notation of an option, where its type does not determine it."""

    metavar: str = "TEXT"
    read: Callable[[str], Any] | None = None
    """Returns the value that a text of the command line means; by default the text itself."""
    is_offered: bool = True
    flag: str = ""
    """Its name there, where the option's own cannot be read as English; by default the same."""


def split_names(given: Any) -> Any:
    """Return the names in ``a,b`` and in a list of such texts; anything else as it is."""
    listed = [given] if isinstance(given, str) else given
    if not isinstance(listed, list | tuple) or not all(isinstance(one, str) for one in listed):
        return given
    return tuple(name.strip() for text in listed for name in text.split(",") if name.strip())


Names = Annotated[tuple[str, ...], BeforeValidator(split_names), Written("A,B")]
"""Names in a list, or as ``a,b,c``."""
