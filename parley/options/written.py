"""The notation of options, and messages for options that cannot be used."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BeforeValidator

from protocols.constraints import did_you_mean, quoted, sentence_of


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


def explain(problem: Mapping[str, Any], keys: Sequence[str], protocol: str) -> str:
    """Return the message of one error of pydantic's in the options of ``protocol``, which are ``keys``."""
    where = ".".join(str(part + 1 if isinstance(part, int) else part) for part in problem["loc"])
    if problem["type"] == "extra_forbidden":
        hint = did_you_mean(where, keys, f"Known are: {', '.join(keys)}.", alike=0.75)
        return f"{where!r} is not an option of a {protocol.replace('-', ' ')}. {hint}"
    message, value = sentence_of(problem), problem["input"]
    if not where or isinstance(value, dict | list | tuple):
        return f"{where}: {message}" if where else message
    return f"{where}: {quoted(value)} cannot be used: {message}"
