"""Messages for options that cannot be used."""

import difflib
from collections.abc import Mapping, Sequence
from typing import Any

from protocols.constraints import sentence_of


def explain(problem: Mapping[str, Any], keys: Sequence[str], protocol: str) -> str:
    """Return the message of one error of pydantic's in the options of ``protocol``, which are ``keys``."""
    where = ".".join(str(part + 1 if isinstance(part, int) else part) for part in problem["loc"])
    if problem["type"] == "extra_forbidden":
        near = difflib.get_close_matches(where, keys, n=1)
        hint = f"Did you mean {near[0]!r}?" if near else f"Known are: {', '.join(keys)}."
        return f"{where!r} is not an option of a {protocol.replace('-', ' ')}. {hint}"
    message, value = sentence_of(problem), problem["input"]
    if not where or isinstance(value, dict | list | tuple):
        return f"{where}: {message}" if where else message
    return f"{where}: {str(value)[:80]!r} cannot be used: {message}"
