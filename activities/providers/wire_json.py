"""JSON from outside, read without being hurt by it.

NaN, infinities and numbers too large to be true become ``None`` with a note: a provider that counts wrongly must not
cost us the text it was paid for. Text that is no JSON, or is nested to exhaust the stack, is unreadable. So is
what has more parts than any answer: a long text costs little to decode, a million of small objects costs a second in
which nothing else happens.
"""

import json
import math
from typing import Any

_LONGEST_INTEGER = 18

MOST_PARTS = 400_000
"""Commas and opening brackets, anywhere; in a text of four megabytes of prose a tenth of the characters."""


class UnreadableJsonError(ValueError):
    """The text is not JSON that can be read. Holds no part of the text."""


class TooManyPartsError(UnreadableJsonError):
    """The text has more parts than are decoded."""


def read_json(text: str) -> tuple[Any, tuple[str, ...]]:
    """Return the value in ``text``, and a note for every unusable number.

    Raises:
        UnreadableJsonError: it is not JSON, or nested too deeply, or (``TooManyPartsError``) has too many parts.
    """
    if len(text) > MOST_PARTS and sum(map(text.count, ",[{")) > MOST_PARTS:
        raise TooManyPartsError(f"more than {MOST_PARTS} parts")
    try:
        return _USUAL.decode(text), ()
    except (ValueError, RecursionError):
        return _read_slowly(text)


def as_object(value: Any) -> dict[str, Any]:
    """Return ``value`` if it is an object, otherwise an empty one."""
    return value if isinstance(value, dict) else {}


def as_text(value: Any) -> str:
    """Return ``value`` if it is a string, otherwise an empty one."""
    return value if isinstance(value, str) else ""


def as_number(value: Any) -> float | None:
    """Return ``value`` if it is a finite number, otherwise ``None``."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if is_number and math.isfinite(value) else None


def _usual_integer(digits: str) -> int:
    if len(digits) > _LONGEST_INTEGER:
        raise ValueError("an unusual integer")
    return int(digits)


def _usual_number(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise ValueError("an unusual number")
    return value


def _unusual(name: str) -> None:
    raise ValueError(name)


_USUAL = json.JSONDecoder(parse_constant=_unusual, parse_int=_usual_integer, parse_float=_usual_number)
"""Made once: making one takes longer than to read a chunk. It refuses what ``_read_slowly`` takes note of."""


def _read_slowly(text: str) -> tuple[Any, tuple[str, ...]]:
    notes: list[str] = []

    def refused(name: str) -> float | None:
        notes.append(f"number {name[:12]!r} read as unknown")
        return None

    def integer(digits: str) -> float | None:
        return int(digits) if len(digits) <= _LONGEST_INTEGER else refused(digits)

    def real(digits: str) -> float | None:
        value = float(digits)
        return value if math.isfinite(value) else refused(digits)

    try:
        value = json.loads(text, parse_constant=refused, parse_int=integer, parse_float=real)
    except (ValueError, RecursionError):
        raise UnreadableJsonError("not readable as JSON") from None
    return value, tuple(dict.fromkeys(notes))
