"""Yes or no, as models say it: "Yes, but …", "No.", "The answer is no", "It is true that …", and in other languages.

``Yes and no``, ``not necessarily``, ``no doubt``, ``non-applicable``, ``No. 5`` and two answers that differ are
neither.
"""

import re
from collections.abc import Iterator

from protocols.answer_text import (
    Claim,
    Statement,
    answer_under,
    is_retracted,
    is_supposed,
    kept,
    lines,
    only,
    settled,
    shorn,
    statements,
    unwrapped,
)
from protocols.text_files import compile_patterns

_PATTERNS = compile_patterns(__package__, "yes_no_answers")
_YES = {word: answer for answer in ("yes", "no") for word in _PATTERNS[answer].pattern.split("|")}
_BOTH = _PATTERNS["both"]
_CLAUSE = {*_PATTERNS["clause"].pattern.split("|")}


def yes_no_under(under: str) -> str | None:
    """Return the yes or no under a header, unless what follows in the text states the other one."""
    answer, opens = answer_under(under, _said, _claims), _PATTERNS["opens"].match(under.partition("\n")[2])
    return answer and only(iter((answer, opens and _YES[opens["word"].casefold()])))


def yes_no_alone(own: str, boxed: str | None) -> str | None:
    """Return the yes or no of a text without a header."""
    if boxed is not None and (said := _said(boxed)):
        return kept(said, own[own.rfind("boxed") :], _claims)
    claims = tuple(_claims(own))
    is_last = shorn(own.rstrip().rpartition("\n")[2]) in _YES
    if _BOTH.match(own.lstrip(" *_\n")) or (is_retracted(own, claims) and not is_last):
        return None
    opens = _PATTERNS["opens"].match(own)
    first = _YES[opens["word"].casefold()] if opens else None
    return only(iter((first, settled(claims, own), *_ends(own), *(_YES.get(shorn(line)) for line in lines(own)))))


def _said(line: str) -> str | None:
    line = unwrapped(line)
    if _BOTH.search(line) or is_retracted(line, ()):
        return None
    if _PATTERNS["certainly_not"].match(line):
        return "no"
    found = _PATTERNS["first"].match(line)
    if truth := _truth(line):
        return only(iter((truth, found and _YES[found["word"].casefold()])))
    if found is None:
        return settled(_claims(line), line)
    word, more = found["word"].casefold(), found["more"].casefold()
    is_compound = found["alone"] in {"-", "\u2011"} and more != ""
    is_numeral = _YES[word] == "no" and more.isdigit()
    if more in {"or", "oder", "ou"} or is_compound or is_numeral or _YES.get(more, _YES[word]) != _YES[word]:
        return None
    is_clear = not more or found["alone"].strip(" \t*_") or _YES[word] == "yes" or more in _CLAUSE
    return _YES[word] if is_clear else None


def _truth(line: str) -> str | None:
    """Return the value in ``It is true that …``; a negation within the first word is not read."""
    found = _PATTERNS["truth"].match(line)
    if found is None or found["more"]:
        return None
    is_false = found["what"].casefold() in {"false", "incorrect", "untrue"}
    return "no" if is_false is not bool(found["not"]) else "yes"


def _ends(own: str) -> Iterator[str | None]:
    """Return the statement of the first and the last line on the truth of the question."""
    said = [line for line in own.split("\n") if line.strip()]
    yield from (_truth(line) for line in (said[:1] + said[-1:]))


def _claims(text: str) -> Iterator[Claim]:
    return (claim for statement in statements(text) if (claim := _claimed(statement)))


def _claimed(statement: Statement) -> Claim | None:
    found = _PATTERNS["first"].match(unwrapped(statement.rest))
    if found is None or _BOTH.match(statement.rest.lstrip(" *_")):
        return None
    rest = statement.rest[found.end("word") :]
    is_alone = re.match(r"[\s*_\"”)]{0,4}(?:[.,;:!—–]|$|because\b|since\b)", rest)
    if is_alone is None or found["word"].casefold() in {"y", "n", "a"}:
        return None
    certain = statement.is_certain and not is_supposed(rest)
    return Claim(statement.start, _YES[found["word"].casefold()], certain)
