r"""A number, as models give it: ``42 km``, ``\boxed{42}``, "The answer is 42.", "So she makes **$18** every day.".

Under the header it is the number of the line: of an equation its result, and without what explains it. Without a header
it is a number that is stated directly, or the only one of the sentence that concludes the text. A range, a bound
(``at least 40``), several numbers and an expression that is not worked out are no number.

Numbers as people write them are made comparable: ``1,234.50``, ``1.234,5`` and ``1 234.5`` are all ``1234.5``. A comma
before exactly three digits separates thousands, any other is a decimal comma; a single point is a decimal point. But
``12.500 €`` cannot be read: who writes the sign behind may mean thousands. Nor can ``12.500`` and ``3,142`` in a text
whose words or other numbers show a decimal comma. No separator of thousands follows a leading zero: ``0,125`` is an
eighth. ``$3 million`` is 3000000, ``1 1/2`` is 1.5, ``2^10`` is 1024, ``minus 5`` is -5, and ``50%`` is 50. What is no
plain number (``2\pi``, ``\sqrt{2}``, ``log 5``, ``10²``, ``18!``, ``2 dozen``, ``300K``, ``12a``, ``2.30 pm``) is one
that cannot be read, so that no part of it is taken for it.
"""

import re
from collections.abc import Iterator
from decimal import Decimal
from unicodedata import normalize

from protocols.answer_text import (
    LONGEST_LINE,
    WORDS,
    Claim,
    answer_under,
    is_reported,
    is_supposed,
    kept,
    lines,
    settled,
    statements,
    unwrapped,
)
from protocols.lazy_patterns import lazy_pattern
from protocols.text_files import compile_patterns, read_toml

_PATTERNS = compile_patterns(__package__, "number_answers")
_LARGEST_EXPONENT = 30
_MOST_DIGITS = 100

_WORDS = read_toml(__package__, "number_words.toml")
_SCALES = {word: int(power) for power, words in _WORDS["powers"].items() for word in words}
_OF_MONEY = {"k": 3, "m": 6, "b": 9, "t": 12}
"""Letters that scale a number behind a sign of money; elsewhere ``k`` may be kelvin and ``m`` metres."""

# Nothing need separate a word from the next one in a language that puts no space between words.
_SCALE = rf"(?:{'|'.join(sorted(_SCALES, key=len, reverse=True))})(?:(?<=[\u2e80-\U0010ffff])|(?!\w))"
_NUMBER = lazy_pattern(_WORDS["number"].replace("\n", "").replace("{scale}", _SCALE), re.IGNORECASE)
_UNREADABLE = lazy_pattern(rf"\s?(?:{_SCALE})|{_PATTERNS['unreadable'].pattern}")
_VULGAR = {mark: normalize("NFKC", mark).replace("\u2044", "/") for mark in "½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞⅐⅑⅒"}
_DIGITS = {ord(zero) + digit: str(digit) for zero in "０٠۰०" for digit in range(10)} | str.maketrans("．٫٬％", ".,,%")
"""Those of other scripts, and their marks."""
_VULGAR_PART = lazy_pattern(rf"(?P<whole>[0-9])?(?P<part>[{''.join(_VULGAR)}])")


def numbers(text: str) -> Iterator[str | None]:
    """Return the numbers in ``text`` in plain digits, in their order; ``None`` for one that cannot be read."""
    plain = _in_one_spelling(text)
    return (_value(found, plain) for found in _NUMBER.finditer(plain))


def only_number(text: str) -> str | None:
    """Return the number in ``text`` when it holds exactly one value, however often; else ``None``."""
    only: str | None = None
    for number in numbers(text):
        if number is None or only not in {None, number}:
            return None
        only = number
    return only


def _in_one_spelling(text: str) -> str:
    text = text.translate(_DIGITS)
    for latex, plain in _WORDS["latex"].items():
        text = text.replace(latex, plain)
    text = _PATTERNS["tenth"].sub(r"1e-\1", _PATTERNS["mixed"].sub(r" \1/\2", text))
    text = _PATTERNS["raised"].sub(lambda found: f"{found[1]}^{normalize('NFKC', found[2])}", text)
    plain = _PATTERNS["of_unit"].sub("", text)
    return _VULGAR_PART.sub(lambda found: f"{found['whole'] or ''} {_VULGAR[found['part']]}".lstrip(), plain)


def _value(found: re.Match[str], text: str) -> str | None:
    before = text[max(0, found.start() - 8) : found.start()]
    if _PATTERNS["before"].search(before) or _UNREADABLE.match(text, found.end()):
        return None
    value = _absolute(found)
    if value is None:
        return None
    signs = [found["word"], found["sign"] not in {None, "+"}, found["inner"]]
    plain = _canonical(-value if any(signs) else value)
    return plain if len(plain) <= _MOST_DIGITS else None


def _absolute(found: re.Match[str]) -> Decimal | None:
    exponent = _exponent(found)
    if exponent is None or abs(exponent) > _LARGEST_EXPONENT:
        return None
    if over := found["part"] or found["over"] or found["n"]:
        under = int(found["of"] or found["under"] or found["d"])
        value = int(found["whole"] or 0) + Decimal(over) / under if under and not found["raised"] else None
        return value and value.scaleb(exponent)
    digits = _digits(found)
    if len(digits) > _MOST_DIGITS:
        return None
    if found["raised"]:
        return _power(digits, int(found["raised"]))
    return Decimal(f"{digits}E{exponent}")


def _power(digits: str, exponent: int) -> Decimal | None:
    is_short = digits.isdigit() and exponent * len(digits) <= _MOST_DIGITS
    return Decimal(int(digits) ** exponent) if is_short else None


def _exponent(found: re.Match[str]) -> int | None:
    """Return the power of ten that scales the number; ``None`` if the letter may also be a unit."""
    if found["scale"]:
        return _SCALES[found["scale"].casefold()]
    if letter := found["letter"]:
        if found["money"]:
            return _OF_MONEY[letter.casefold()]
        return None if letter in "kKMBbT" else 0
    return int((found["e"] or found["power"] or "0").replace("−", "-"))


def _digits(number: re.Match[str]) -> str:
    """Return the number with a decimal point and no other separator."""
    if number["plain"]:
        return number["plain"].replace(",", ".")
    grouped, by, rest = number["grouped"], number["by"], number["rest"] or ""
    is_decimal = not rest and grouped.count(by) == 1 and (by == "." or (by == "," and grouped.startswith("0")))
    return grouped.replace(by, ".") if is_decimal else grouped.replace(by, "") + rest.replace(",", ".")


def _canonical(value: Decimal) -> str:
    written = format(value, "f")
    short = written.rstrip("0").rstrip(".") if "." in written else written
    return "0" if short in {"-0", ""} else short


_DIRECT = lazy_pattern(WORDS["direct_number"], re.IGNORECASE)
_PERCENT_END = 100
_COMMA_WORDS = frozenset(_PATTERNS["comma_words"].pattern.split("|"))
_UNABLE = lazy_pattern(WORDS["inability"], re.IGNORECASE)


def without_doubtful(text: str, beside: str = "") -> str:
    """Return ``text`` without the numbers whose one point or comma it or ``beside`` may mean either way: ``12.500``."""
    said = f"{beside}\n{text}"
    has_comma = _PATTERNS["decimal_comma"].search(said) or len(_COMMA_WORDS.intersection(said.casefold().split())) > 1
    is_doubtful = has_comma and not _PATTERNS["decimal_point"].search(text)
    return _PATTERNS["doubtful"].sub(r"0 of \g<0>", text) if is_doubtful else text  # two numbers are none


def without_ends(text: str, high: float) -> str:
    """Return ``text`` with ``8`` for ``8/10`` on a scale that ends at 10, and no fraction of another scale."""

    def plain(found: re.Match[str]) -> str:
        if _decimal(found["top"]) == high:
            return found["grade"] or f" 0 of {found['top']}"  # a grade in words: two numbers are none
        # a share is a number from 0 to 1 and on no other scale: 15/10 is not one and a half
        is_share = (high == 1 and "(" not in found[0]) or not found["grade"]
        return found[0] if is_share else f"{found['grade']} of {found['top']}"

    text = _PATTERNS["worded"].sub(lambda found: _WORDS["ends"][found[0].casefold()], text)
    text = _PATTERNS["range"].sub(lambda found: " " if float(found["end"]) == high else f" 0 of {found['end']} ", text)
    if high < _PERCENT_END:  # 1% is not 1: two numbers are none; 85% is on no such scale
        text = _PATTERNS["percent"].sub(lambda one: f"{one[1]} of 0" if _decimal(one[1]) <= high else one[0], text)
    return _PATTERNS["out_of"].sub(plain, _PATTERNS["fraction"].sub(r"\g<over>/\g<under>", text))


def _decimal(digits: str) -> float:
    return float(digits.replace(",", "."))


def number_under(under: str) -> str | None:
    """Return the number under a header, unless the following text states another one."""
    return answer_under(under, _given, _claims)


def number_alone(own: str, boxed: str | None) -> str | None:
    """Return the number of a text without a header."""
    if boxed is not None:
        return kept(_given(boxed), own[own.rfind("boxed") :], _claims)
    claims = list(_claims(own))
    return settled(claims, own) if claims else _concluded(own)


def _given(line: str) -> str | None:
    """Return the number in ``line``; ``None`` for none, several, or a bound."""
    line = _PATTERNS["corrected"].split(unwrapped(line))[-1]
    said, *explained = _PATTERNS["explained"].split(_PATTERNS["in_brackets"].sub("", line.strip()), maxsplit=1)
    if explained and is_supposed(line) and any(True for _ in numbers(explained[-1] or "")):
        return None
    head, equals, result = said.rpartition("=")
    if equals and (re.search(r"\b(?:or|and)\b|[;,]\s|=[^=]*,[a-z]\s?$", head) or _PATTERNS["bound"].search(head)):
        return None
    number = result if equals else said
    is_converted = equals and _PATTERNS["lone"].fullmatch(head) and only_number(head) != only_number(result)
    return None if is_converted or _PATTERNS["bound"].search(number) else only_number(number)


def _claims(text: str) -> Iterator[Claim]:
    """Return the numbers directly after the words that announce them."""
    for statement in statements(text):
        direct = _DIRECT.match(statement.rest)
        is_list = statement.is_below and _PATTERNS["list_mark"].match(statement.rest)
        if direct is None or is_list or statement.is_closing:
            continue
        said = statement.rest[direct.end() :]
        yield Claim(statement.start, _given(said), statement.is_certain and not is_supposed(said))


def _concluded(own: str) -> str | None:
    """Return the only number of the last sentence with one, if it is a conclusion or repeats a result."""
    said = list(lines(own))
    parts = (one for line in said[-_LINES_READ:] for one in _PATTERNS["ends"].split(line))
    sentences = [one for one in parts if one.strip() and not _PATTERNS["sure"].match(one)]
    last = next((one for one in reversed(sentences) if any(True for _ in numbers(unwrapped(one)))), None)
    if last is None or _UNABLE.search(last) or _UNABLE.search(sentences[-1]) or last.rstrip(" *_").endswith("?"):
        return None
    found = None if is_reported(last) or _PATTERNS["planned"].match(last) else _given(last)
    is_alone = len(said) == 1 and len(sentences) == 1
    if found is None or not (is_alone or _PATTERNS["concludes"].search(last) or found == _last_result(own)):
        return None
    return found


_LINES_READ = 12


def _last_result(own: str) -> str | None:
    """Return the number after the last equals sign of the text."""
    found = [result["right"] for result in _PATTERNS["result"].finditer(own[-LONGEST_LINE * _LINES_READ :])]
    return _given(found[-1]) if found else None
