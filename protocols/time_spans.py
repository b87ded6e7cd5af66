"""Spans of time as people write and read them: ``90s``, ``15m``, ``2h``, ``1d``; a bare number is seconds."""

import re
from typing import Annotated, Any

from pydantic import BeforeValidator

DAY = 86_400.0
"""Seconds."""

_SPAN = re.compile(r"\s*(?P<count>[0-9]{1,9}(?:\.[0-9]{1,9})?)\s*(?P<unit>[smhd]?)\s*", re.IGNORECASE | re.ASCII)
_SECONDS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": DAY}
_UNITS = (("d", DAY), ("h", 3600.0), ("min", 60.0))


def read_span(given: Any) -> Any:
    """Return the seconds that a text means; anything else as it is.

    Raises:
        ValueError: the text is no span of time.
    """
    if not isinstance(given, str):
        return given
    found = _SPAN.fullmatch(given)
    if found is None:
        raise ValueError("expected seconds, or a number with s, m, h or d: 90s, 15m, 2h, 1d")
    return float(found["count"]) * _SECONDS[found["unit"].lower()]


Seconds = Annotated[float, BeforeValidator(read_span)]
"""Seconds, or a text such as ``2h``."""


def write_span(seconds: float) -> str:
    """Return ``seconds`` in the largest unit of which there is at least one: ``45 s``, ``15 min``, ``1.5 h``."""
    unit, size = next(((unit, size) for unit, size in _UNITS if seconds >= size), ("s", 1.0))
    return f"{round(seconds / size, 1):g} {unit}"
