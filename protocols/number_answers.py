r"""A number, as models give it: ``42 km``, ``\boxed{42}``, "The answer is 42.", "So she makes **$18** every day.".

Under the header it is the number of the line: of an equation its result, and without what explains it. Without a header
it is a number that is stated directly, or the only one of the sentence that concludes the text. A range, a bound
(``at least 40``), several numbers and an expression that is not worked out are no number.
"""

import re
from collections.abc import Iterator

from protocols.answer_text import LONGEST_LINE, lines, unwrapped
from protocols.numbers_in_text import numbers, only_number
from protocols.statements import WORDS, Claim, answer_under, is_reported, is_supposed, settled, statements
from protocols.text_files import compile_patterns

_PATTERNS = compile_patterns(__package__, "number_answers")
_BOUND = _PATTERNS["bound"]
_EXPLAINED = _PATTERNS["explained"]
_IN_BRACKETS = re.compile(r"(?<=[\w%.$*])\s\([^()]{0,200}\)")
_CORRECTED = re.compile(r"(?:or rather|no, wait|actually|correction:?|I mean|scratch that)[ ,:]+", re.IGNORECASE)
_DIRECT = re.compile(
    rf"[\s*_\"“(:\\$\[=]{{0,8}}{WORDS['adverbs']}(?:(?:about|approximately|approx\.?|around|roughly|exactly|equal to"
    rf"|simply|a total of"
    rf"|≈|~|\\approx)\s?){{0,2}}[*_\"“(\\$\[]{{0,6}}(?=[-−–+]?[\\$€£¥]{{0,2}}\s?[-−–]?[0-9.½⅓⅔¼¾]|\\[dt]?frac"
    rf"|minus |negative )",
    re.IGNORECASE,
)
_OUT_OF = re.compile(
    r"(?<![\d/.,])(?P<grade>\d+(?:[.,]\d+)?)[*_]{0,3} ?(?:/|out of|of|von|sur|de|su) ?"
    r"[*_]{0,3}(?P<top>\d+(?:[.,]\d+)?)(?![\d/])",
    re.IGNORECASE,
)
"""A number with the end of its scale: ``8/10``, ``8 out of 10``, ``8 von 10``."""
_FRACTION = re.compile(r"\\[dt]?frac\{(?P<over>\d{1,15})\}\{(?P<under>\d{1,15})\}")
_SENTENCES = re.compile(r"(?<=[.!?。])[*_)\"”]{0,3}\s+(?=\S)")
_CONCLUDES = _PATTERNS["concludes"]
_LIST_MARK = re.compile(r"\d{1,3}[.)]\s+\S")
_UNABLE = re.compile(WORDS["inability"], re.IGNORECASE)
_RESULT = re.compile(r"=\s?(?P<right>[^=\n]{1,80})")


def without_ends(text: str, high: float) -> str:
    """Return ``text`` with ``8`` for ``8/10`` on a scale that ends at 10, and no fraction of another scale."""

    def plain(found: re.Match[str]) -> str:
        if float(found["top"].replace(",", ".")) == high:
            return found["grade"]
        # a share is a number from 0 to 1 and on no other scale: 15/10 is not one and a half
        return found[0] if high == 1 else f"{found['grade']} of {found['top']}"

    return _OUT_OF.sub(plain, _FRACTION.sub(r"\g<over>/\g<under>", text))


def number_under(under: str) -> str | None:
    """Return the number under a header, unless the following text states another one."""
    return answer_under(under, _given, _claims)


def number_alone(own: str, boxed: str | None) -> str | None:
    """Return the number of a text without a header."""
    if boxed is not None:
        return _given(boxed)
    claims = list(_claims(own))
    return settled(claims) if claims else _concluded(own)


def _given(line: str) -> str | None:
    """Return the number in ``line``; ``None`` for none, several, or a bound."""
    line = unwrapped(line)
    line = line[[found.end() for found in _CORRECTED.finditer(line)][-1] :] if _CORRECTED.search(line) else line
    said, *explained = _EXPLAINED.split(_IN_BRACKETS.sub("", line.strip()), maxsplit=1)
    if explained and is_supposed(line) and any(True for _ in numbers(explained[-1] or "")):
        return None
    head, equals, result = said.rpartition("=")
    if equals and (re.search(r"\b(?:or|and)\b|[;,]\s", head) or _BOUND.search(head)):
        return None
    number = result if equals else said
    return None if _BOUND.search(number) else only_number(number)


def _claims(text: str) -> Iterator[Claim]:
    """Return the numbers directly after the words that announce them."""
    for statement in statements(text):
        direct = _DIRECT.match(statement.rest)
        is_list = statement.is_below and _LIST_MARK.match(statement.rest)
        if direct is None or is_list or statement.is_closing:
            continue
        said = statement.rest[direct.end() :]
        yield Claim(statement.start, _given(said), statement.is_certain and not is_supposed(said))


def _concluded(own: str) -> str | None:
    """Return the only number of the last sentence with one, if it is a conclusion or repeats a result."""
    said = list(lines(own))
    sentences = [sentence for line in said[-_LINES_READ:] for sentence in _SENTENCES.split(line) if sentence.strip()]
    last = next((one for one in reversed(sentences) if any(True for _ in numbers(unwrapped(one)))), None)
    if last is None or _UNABLE.search(last) or _UNABLE.search(sentences[-1]) or last.rstrip(" *_").endswith("?"):
        return None
    found = None if is_reported(last) else _given(last)
    is_alone = len(said) == 1 and len(sentences) == 1
    if found is None or not (is_alone or _CONCLUDES.search(last) or found == _last_result(own)):
        return None
    return found


_LINES_READ = 12


def _last_result(own: str) -> str | None:
    """Return the number after the last equals sign of the text."""
    found = [result["right"] for result in _RESULT.finditer(own[-LONGEST_LINE * _LINES_READ :])]
    return _given(found[-1]) if found else None
