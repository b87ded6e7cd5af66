r"""Numbers as people write them, made comparable: ``1,234.50``, ``1.234,5`` and ``1 234.5`` are all ``1234.5``.

A comma before exactly three digits separates thousands, any other is a decimal comma; a single point is always a
decimal point. No separator of thousands follows a leading zero: ``0,125`` is an eighth. ``$3 million`` is 3000000,
``1 1/2`` is 1.5, ``2^10`` is 1024, ``minus 5`` is -5, and ``50%`` is 50. What is no plain number (``2\pi``,
``\sqrt{2}``, ``log 5``, ``10²``, ``2 dozen``, ``- 5``, ``300K``) is one that cannot be read, so that no part of it
is taken for it.
"""

import re
from collections.abc import Iterator
from decimal import Decimal
from unicodedata import normalize

_SEPARATORS = ",.'’ \u00a0\u2009\u202f"
_LARGEST_EXPONENT = 30
_MOST_DIGITS = 100
_MINUS = "-−\u2013"

_SCALES = {
    **dict.fromkeys(("thousand", "tausend", "mille", "mil"), 3),
    **dict.fromkeys(("million", "millions", "millionen", "mio", "mn", "millones"), 6),
    **dict.fromkeys(("billion", "billions", "bn", "milliarden", "milliarde", "mrd", "milliard", "milliards"), 9),
    **dict.fromkeys(("trillion", "trillions", "tn"), 12),
    **dict.fromkeys(("lakh", "lakhs"), 5),
    **dict.fromkeys(("crore", "crores"), 7),
}
_UNSPACED_SCALES = {"千": 3, **dict.fromkeys("万萬만", 4), **dict.fromkeys("亿億억", 8)}
_OF_MONEY = {"k": 3, "m": 6, "b": 9, "t": 12}
"""Letters that scale a number behind a sign of money; elsewhere ``k`` may be kelvin and ``m`` metres."""

_SCALE = rf"(?:{'|'.join(sorted(_SCALES, key=len, reverse=True))})\b|[{''.join(_UNSPACED_SCALES)}]"
_NUMBER = re.compile(
    rf"(?<![\w.,])(?:(?P<word>minus|negative)\s)?(?P<sign>[{_MINUS}+])?(?:(?P<money>\\?[$€£¥])\s?)?"
    rf"(?P<inner>[{_MINUS}])?(?<!\d)(?:"
    r"(?P<whole>[0-9]{1,15})\s(?P<part>[0-9]{1,6})/(?P<of>[0-9]{1,6})(?![\w/])"
    r"|(?P<over>[0-9]{1,15})\s?/\s?(?P<under>[0-9]{1,15})(?![\w/])"
    r"|\\[dt]?frac\{(?P<n>[0-9]{1,15})\}\{(?P<d>[0-9]{1,15})\}"
    rf"|(?P<grouped>[0-9]{{1,3}}(?P<by>[{_SEPARATORS}])[0-9]{{3}}(?:(?P=by)[0-9]{{3}})*)(?![0-9])(?P<rest>[.,][0-9]+)?"
    r"|(?P<plain>[0-9]+(?:[.,][0-9]+)?|\.[0-9]+))"
    r"(?:[eE](?P<e>[+-]?[0-9]{1,3})(?![\w])|\s?(?:[x×·*]|\\times|\\cdot)\s?10(?:\^"
    r"|\*\*)\{?(?P<power>[-−+]?[0-9]{1,3})\}?"
    r"|(?:\^|\*\*)\{?(?P<raised>[0-9]{1,3})\}?"
    rf"|\s?(?P<scale>{_SCALE})|(?P<letter>[kmbt])(?!\w))?",
    re.IGNORECASE,
)
_UNREADABLE = re.compile(
    r"\s?(?:\\?pi\b|π|√|\\sqrt|[0-9/^⁰¹²³⁴-⁹]|[.,][0-9]|(?:[xyzni]|K)(?!\w)|\*\*[0-9]|[+*×·÷]\s?[0-9]"
    r"|(?:dozens?|score|gross|dutzend|douzaines?|docenas?)\b)|[xX][0-9A-Fa-f]"
)
_FUNCTIONS = "sqrt|cbrt|root|log|ln|lg|exp|sin|cos|tan|floor|ceil|abs"
_BEFORE = re.compile(
    rf"(?:\\sqrt\s?\{{?|√\s?\(?|(?:^|[^A-Za-z])(?:{_FUNCTIONS})[\s({{]{{1,3}}|[_^]\{{?|[0-9)]\s?[*×·÷/]\s?|[-−–]\s{{1,2}})$"
)
_LATEX = (
    (r"{,}", ","),
    (r"\,", "\u2009"),
    (r"\!", ""),
    ("\u2044", "/"),
    ("\\%", "%"),
    (r"^\circ", ""),
    (r"^{\circ}", ""),
)
_VULGAR = {mark: normalize("NFKC", mark).replace("\u2044", "/") for mark in "½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞⅐⅑⅒"}
_OF_UNIT = re.compile(r"(?<=[A-Za-z])\^\{?[0-9]\}?")
_VULGAR_PART = re.compile(rf"(?P<whole>[0-9])?(?P<part>[{''.join(_VULGAR)}])")


def numbers(text: str) -> Iterator[str | None]:
    """Yield the numbers in ``text`` in plain digits, in their order; ``None`` for one that cannot be read."""
    plain = _in_one_spelling(text)
    for found in _NUMBER.finditer(plain):
        yield _value(found, plain)


def only_number(text: str) -> str | None:
    """Return the number in ``text`` when it holds exactly one value, however often; else ``None``."""
    only: str | None = None
    for number in numbers(text):
        if number is None or only not in {None, number}:
            return None
        only = number
    return only


def _in_one_spelling(text: str) -> str:
    for latex, plain in _LATEX:
        text = text.replace(latex, plain)
    return _VULGAR_PART.sub(_spelled, _OF_UNIT.sub("", text))


def _spelled(found: re.Match[str]) -> str:
    whole = f"{found['whole']} " if found["whole"] else ""
    return whole + _VULGAR[found["part"]]


def _value(found: re.Match[str], text: str) -> str | None:
    before = text[max(0, found.start() - 8) : found.start()]
    if _BEFORE.search(before) or _UNREADABLE.match(text, found.end()):
        return None
    value = _absolute(found)
    if value is None:
        return None
    signs = [found["word"], found["sign"] not in {None, "+"}, found["inner"]]
    plain = _canonical(-value if any(signs) else value)
    return plain if len(plain) <= _MOST_DIGITS else None


def _absolute(found: re.Match[str]) -> Decimal | None:
    if found["whole"]:
        part = _divided(found["part"], found["of"])
        return None if part is None else Decimal(found["whole"]) + part
    if found["over"] or found["n"]:
        return _divided(found["over"] or found["n"], found["under"] or found["d"])
    digits, exponent = _digits(found), _exponent(found)
    if exponent is None or len(digits) > _MOST_DIGITS or abs(exponent) > _LARGEST_EXPONENT:
        return None
    if found["raised"]:
        return _power(digits, int(found["raised"]))
    return Decimal(f"{digits}E{exponent}")


def _divided(over: str, under: str) -> Decimal | None:
    return Decimal(over) / Decimal(under) if int(under) else None


def _power(digits: str, exponent: int) -> Decimal | None:
    if not digits.isdigit() or exponent * len(digits) > _MOST_DIGITS:
        return None
    return Decimal(int(digits) ** exponent)


def _exponent(found: re.Match[str]) -> int | None:
    """Return the power of ten that scales the number; ``None`` if the letter may also be a unit."""
    if found["scale"]:
        return {**_SCALES, **_UNSPACED_SCALES}[found["scale"].casefold()]
    if letter := found["letter"]:
        if found["money"]:
            return _OF_MONEY[letter.casefold()]
        return None if letter in "kKMBT" else 0
    return int((found["e"] or found["power"] or "0").replace("−", "-"))


def _digits(number: re.Match[str]) -> str:
    """Return the number with a decimal point and no other separator."""
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
