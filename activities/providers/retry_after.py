"""The pause that a provider requests, in each of its forms.

``Retry-After`` comes as seconds, as a decimal or as a date; rate-limit resets come as seconds, as ``1m26.4s`` or
``825ms``, and as Unix time in seconds or milliseconds. What cannot be read is no request to wait.

Times of day are measured against the response's own ``Date`` when it has one, so that a wrong clock here does no harm.
"""

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|d|h|m|s)")
_DURATION = re.compile(r"(?:\d+(?:\.\d+)?(?:ms|d|h|m|s)\s*)+")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
_UNIX_SECONDS = 1e9
_UNIX_MILLISECONDS = 1e12
_LONGEST_HEADER = 100
_RESET = "x-ratelimit-reset"


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return the seconds of ``retry-after-ms`` or ``Retry-After``, never negative; ``None`` if unreadable."""
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return max(0.0, milliseconds / 1000)
    said, sent = headers.get("retry-after", "").strip(), _sent(headers, now)
    seconds = duration(said, sent)
    if seconds is not None:
        return seconds
    until = _date(said)
    return None if until is None else max(0.0, (until - sent).total_seconds())


def limit_reset(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return the seconds until exhausted limits are lifted; until the first reset if none is marked exhausted."""
    sent = _sent(headers, now)
    resets = {
        name.lower().removeprefix(_RESET): seconds
        for name, value in headers.items()
        if name.lower().startswith(_RESET) and (seconds := duration(value, sent)) is not None
    }
    used_up = [s for kind, s in resets.items() if _number(headers.get(f"x-ratelimit-remaining{kind}", "")) == 0]
    return max(used_up, default=min(resets.values(), default=None))


def duration(said: str, now: datetime) -> float | None:
    """Return ``said`` in seconds from ``now``, never negative; ``None`` if it is no duration."""
    said = said.strip().lower()
    if len(said) <= _LONGEST_HEADER and _DURATION.fullmatch(said):
        return sum(float(number) * _SECONDS[unit] for number, unit in _PART.findall(said))
    number = _number(said)
    if number is None or number < 0:
        return None
    if number < _UNIX_SECONDS:
        return number
    unix = number / 1000 if number >= _UNIX_MILLISECONDS else number
    return max(0.0, unix - now.timestamp())


def _sent(headers: Mapping[str, str], now: datetime) -> datetime:
    return _date(headers.get("date", "")) or now


def _number(said: str) -> float | None:
    try:
        value = float(said) if len(said) <= _LONGEST_HEADER else math.inf
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _date(said: str) -> datetime | None:
    try:
        found = parsedate_to_datetime(said[:_LONGEST_HEADER])
    except (ValueError, TypeError, OverflowError):
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
