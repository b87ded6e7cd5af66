"""Words for numbers, with their units, and short names for models."""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal

UNKNOWN = "–"

_TIMES = ((1, "s"), (60, "min"), (3600, "h"))
_COUNTS = ((1, ""), (1_000, "k"), (1_000_000, "M"))
_CENT = 0.01


def dollars(usd: float | None) -> str:
    """Format US dollars: two significant digits below a cent, four decimals below a dollar, cents above."""
    if usd is None:
        return UNKNOWN
    if usd < _CENT:
        return f"${Decimal(f'{usd:.2g}'):f}"
    return f"${usd:.4f}".rstrip("0").rstrip(".") if usd < 1 else f"${usd:,.2f}"


def many(number: float | None) -> str:
    """Format a count as ``950``, ``12.3k`` or ``4.5M``."""
    if number is None:
        return UNKNOWN
    rounded = float(f"{number:.3g}")
    size, letter = _unit(rounded, _COUNTS)
    return f"{rounded / size:g}{letter}"


def duration(seconds: float | None) -> str:
    """Format seconds as ``4.2 s``, ``3.5 min`` or ``2.1 h``."""
    if seconds is None:
        return UNKNOWN
    size, name = _unit(seconds, _TIMES)
    return f"{seconds / size:.1f} {name}"


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


def headings(names: Sequence[str], width: int) -> list[str]:
    """Return ``names`` clipped to ``width``; with its number before each where two would look the same."""
    short = [clipped(name, width) for name in names]
    if len(set(short)) == len(set(names)):
        return short
    return [f"{number} {clipped(name, width - len(f'{number} '))}" for number, name in enumerate(names, 1)]


def _unit(value: float, units: Sequence[tuple[int, str]]) -> tuple[int, str]:
    """Return the largest of ``units`` that ``value`` reaches, or the smallest."""
    return next((unit for unit in reversed(units) if value >= unit[0]), units[0])
