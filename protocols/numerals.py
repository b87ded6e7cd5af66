"""Numbers as people write them, made comparable: ``1,234.50``, ``1.234,5`` and ``1 234.5`` are all ``1234.5``.

A comma before exactly three digits separates thousands, any other is a decimal comma; a single point is always a
decimal point. Zero stands before no separator of thousands: ``0,125`` is an eighth.
"""

import re
from collections import deque
from collections.abc import Iterator
from decimal import Decimal

_SEPARATORS = ",.'’ \u00a0\u2009\u202f"
_LARGEST_EXPONENT = 30
_MOST_DIGITS = 100
_MINUS = "-−\u2013"

_NUMBER = re.compile(
    rf"(?<![\w.,])(?P<sign>[{_MINUS}+]\s?)?[$€£¥]?\s?(?<!\d)(?:"
    rf"(?P<grouped>[0-9]{{1,3}}(?P<by>[{_SEPARATORS}])[0-9]{{3}}(?:(?P=by)[0-9]{{3}})*)(?![0-9])(?P<rest>[.,][0-9]+)?"
    r"|(?P<plain>[0-9]+(?:[.,][0-9]+)?|\.[0-9]+))"
    r"(?:[eE](?P<e>[+-]?[0-9]{1,3})(?![\w])|\s?[x×·*]\s?10\^\{?(?P<power>[-−+]?[0-9]{1,3})\}?)?"
)
_FRACTION = re.compile(
    rf"(?P<sign>[{_MINUS}]\s?)?(?:\\[dt]?frac\{{(?P<n>[0-9]{{1,15}})\}}\{{(?P<d>[0-9]{{1,15}})\}}"
    r"|(?P<over>[0-9]{1,15})\s?/\s?(?P<under>[0-9]{1,15}))(?![\w/])"
)


def first_number(text: str) -> str | None:
    """The first number in ``text``, a fraction such as ``3/4`` included; ``None`` when there is none."""
    fraction, number = _FRACTION.search(text), next(_numbers(text), None)
    if fraction and (number is None or fraction.start() <= number.start()):
        return _divided(fraction)
    return _written(number) if number else None


def last_number(text: str) -> str | None:
    """The last number in ``text``; ``None`` when there is none."""
    last = next(iter(deque(_numbers(text), maxlen=1)), None)
    return _written(last) if last else None


def _numbers(text: str) -> Iterator[re.Match[str]]:
    return _NUMBER.finditer(text)


def _divided(fraction: re.Match[str]) -> str | None:
    over, under = Decimal(fraction["n"] or fraction["over"]), Decimal(fraction["d"] or fraction["under"])
    return _canonical(over / under * (-1 if fraction["sign"] else 1)) if under else None


def _written(number: re.Match[str]) -> str | None:
    digits = _digits(number)
    exponent = int((number["e"] or number["power"] or "0").replace("−", "-"))
    if len(digits) > _MOST_DIGITS or abs(exponent) > _LARGEST_EXPONENT:
        return None
    sign = "-" if number["sign"] and number["sign"][0] in _MINUS else ""
    plain = _canonical(Decimal(f"{sign}{digits}E{exponent}"))
    return plain if len(plain) <= _MOST_DIGITS else None


def _digits(number: re.Match[str]) -> str:
    """The number with a decimal point and no other separator."""
    if number["plain"]:
        return number["plain"].replace(",", ".")
    grouped, by, rest = number["grouped"], number["by"], number["rest"] or ""
    is_decimal = not rest and grouped.count(by) == 1 and (by == "." or (by == "," and grouped.startswith("0")))
    if is_decimal:
        return grouped.replace(by, ".")
    return grouped.replace(by, "") + rest.replace(",", ".")


def _canonical(value: Decimal) -> str:
    written = format(value, "f")
    short = written.rstrip("0").rstrip(".") if "." in written else written
    return "0" if short in {"-0", ""} else short
