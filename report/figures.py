"""Words for numbers, with their units, and short names for models."""

from collections.abc import Sequence
from datetime import datetime

UNKNOWN = "–"

_MINUTE, _HOUR = 60, 3600
_THOUSAND, _MILLION = 1_000, 1_000_000
_CENT = 0.01


def dollars(usd: float | None) -> str:
    """Format US dollars: two significant digits below a cent, four decimals below a dollar, cents above."""
    if usd is None:
        return UNKNOWN
    if usd == 0:
        return "$0"
    return f"${usd:.2g}" if usd < _CENT else f"${usd:.4f}".rstrip("0").rstrip(".") if usd < 1 else f"${usd:,.2f}"


def many(number: float | None) -> str:
    """Format a count as ``950``, ``12.3k`` or ``4.5M``."""
    if number is None:
        return UNKNOWN
    if number < _THOUSAND:
        return f"{number:.3g}"
    return f"{number / _THOUSAND:.3g}k" if number < _MILLION else f"{number / _MILLION:.3g}M"


def duration(seconds: float | None) -> str:
    """Format seconds as ``4.2 s``, ``3.5 min`` or ``2.1 h``."""
    if seconds is None:
        return UNKNOWN
    if seconds < _MINUTE:
        return f"{seconds:.1f} s"
    return f"{seconds / _MINUTE:.1f} min" if seconds < _HOUR else f"{seconds / _HOUR:.1f} h"


def share(value: float | None) -> str:
    """Format a number from 0 to 1 with two decimals."""
    return UNKNOWN if value is None else f"{value:.2f}"


def moment(at: datetime | None) -> str:
    """Format a moment to the second, in UTC."""
    return UNKNOWN if at is None else f"{at:%Y-%m-%d %H:%M:%S}"


def short(model: str) -> str:
    """Return a model without provider and maker: ``gpt-5`` of ``openrouter:openai/gpt-5``."""
    provider, _, name = model.partition(":")
    return (name or provider).rpartition("/")[2]


def clipped(text: str, width: int) -> str:
    """Return ``text`` in at most ``width`` characters, shortened in the middle so that both ends stay readable."""
    if len(text) <= width:
        return text
    head = (width - 1) // 2
    return f"{text[: width - 1 - head]}…{text[len(text) - head :]}"


def mean(values: Sequence[float]) -> float | None:
    """Return the mean, or ``None`` of no values."""
    return sum(values) / len(values) if values else None
