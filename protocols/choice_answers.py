"""One of some choices, as models name it: ``B``, ``(B)``, ``**B) Paris**``, "The correct answer is B.", "not A but B".

Under the header the line decides. Without one, in this order: a box, the last statement of the text
(``answer_text.statements``), a choice alone on a line, and a first or last line that begins with one. Two joined
choices (``B or C``) are none, and neither is the article of ``A man``.
"""

import re
import unicodedata
from collections import deque
from collections.abc import Iterator
from functools import lru_cache, partial
from typing import NamedTuple

from protocols.answer_text import (
    DECORATION,
    LONGEST_LINE,
    READ,
    Claim,
    Statement,
    answer_under,
    is_own,
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
from protocols.lazy_patterns import lazy_pattern
from protocols.text_files import compile_patterns


def same_choice(line: str, choices: tuple[str, ...]) -> str | None:
    """Return the choice that ``line`` is, but for decoration and capitals."""
    return _plain_choices(choices).get(shorn(line))


def spelled(written: str, choices: tuple[str, ...]) -> str | None:
    """Return the choice that ``written`` is, as the question spells it; hyphens and low lines are blanks."""
    return _plain_choices(choices).get(_joined(written))


def _joined(written: str) -> str:
    return re.sub(r"[\s_-]+", " ", shorn(written))


@lru_cache(maxsize=64)
def _plain_choices(choices: tuple[str, ...]) -> dict[str, str]:
    return {form(choice): choice for form in (_joined, shorn) for choice in choices}


def _alternatives(choices: tuple[str, ...]) -> str:
    plain = [unicodedata.normalize("NFKC", choice).strip(DECORATION) for choice in choices]
    plain.sort(key=lambda choice: (-len(choice), choice))
    return "|".join(re.sub(r"(?:\\?[\s_-])+", lambda _: r"[\s_-]{1,3}", re.escape(choice)) for choice in plain)


@lru_cache(maxsize=64)
def beginning(choices: tuple[str, ...]) -> re.Pattern[str]:
    """Return the pattern of any choice, the longest first."""
    return re.compile(f"(?:{_alternatives(choices)})", re.IGNORECASE)


@lru_cache(maxsize=64)
def judged(choices: tuple[str, ...]) -> re.Pattern[str]:
    """Return the pattern of ``B is the answer``, ``**H. False, True** is correct``, ``none of A, B is right``."""
    each, joined = rf"[(*_\"]{{0,3}}(?:{_alternatives(choices)})[)*_\"]{{0,3}}", "(?:and|or|und|oder|et|ou|y|o|e)\\s"
    return re.compile(
        rf"(?P<listed>\b(?:of|von|de|di)\s(?:(?:the|options?|choices?|answers?)\s){{0,2}}(?:{each},\s){{0,9}}{each}(?:,\s(?:{joined})?|\s{joined})[(*_\"]{{0,3}})?"
        rf"(?<![\w'’.-])(?P<choice>{_alternatives(choices)})(?!\w)(?:[)\].:*_]{{1,4}}\s?(?:(?!\b(?-i:{_alternatives(choices)})\b)[^\n.;?!]){{0,60}}?)?[\s*_\")\]”]{{1,4}}(?:is|ist|es|est|é|è|\|\s?[✅✔☑✓❌✗✘]\ufe0f?|"
        r"(?P<hedged>seems|would be)|remains|must be|has to be|isn't|is (?:thus|therefore|clearly|definitely))"
        r"\s(?P<not>not\s)?(?P<also>also\s|equally\s)?(?:the\s)?(?:only\s|most\s|single\s|clearly\s|definitely\s|therefore\s|actually\s|indeed\s){0,2}"
        r"(?P<what>correct[ao]?|richtig|corrett?[ao]|right|best|incorrect|wrong|accurate|appropriate|answer)\b",
        re.IGNORECASE,
    )


_SHORT = 3
"""Characters up to which a choice may be a word of a sentence (``A``, ``no``): more must show that it is one."""

_MOST_JUDGED = 300
"""Sentences such as "B is correct"; of more, the last ones count."""

_PATTERNS = compile_patterns(__package__, "choice_answers")
_LEADING_MARKS = lazy_pattern(rf"(?>(?:[{re.escape(DECORATION)}|:：>=→✅✔☑✓👉\ufe0f]++|[-–—](?=\s))*)")
_SEVERAL = lazy_pattern(r"(?:either|both|neither|all|any|none|between|one of)\b", re.IGNORECASE)
_JOINED, _REJECTED, _WRONG = (_PATTERNS[name] for name in ("joined", "rejected", "wrong"))
_NEXT, _OF_PEERS = _PATTERNS["next"], _PATTERNS["of_peers"]


class _Said(NamedTuple):
    """The statement of a text on the choices: one of them, a denial, or (``None``) unclear."""

    choice: str | None
    is_denial: bool = False
    rest: str = ""


def choice_under(under: str, choices: tuple[str, ...]) -> str | None:
    """Return the choice under a header, unless the following text names another one."""
    return answer_under(under, partial(_named_in, choices=choices), partial(_claims, choices=choices))


def ticked(text: str) -> str:
    """Return ``text`` without the entries whose boxes are empty beside ticked ones: "[ ] A [x] B" is "B"."""
    marks = _PATTERNS["ticked"], _PATTERNS["unticked"]
    return marks[0].sub("", marks[1].sub("", text)) if all(mark.search(text) for mark in marks) else text


def choice_alone(own: str, boxed: str | None, choices: tuple[str, ...]) -> str | None:
    """Return the choice of a text without a header."""
    own = unicodedata.normalize("NFKC", own)
    claims = list(_claims(own, choices))
    if boxed is not None and (chosen := _named_in(boxed, choices)):
        return kept(chosen, own[own.rfind("boxed") :], partial(_claims, choices=choices))
    if claims or (is_retracted(own, claims) and not same_choice(_called(own.rstrip().rpartition("\n")[2]), choices)):
        return settled(claims, own)
    return only(same_choice(_called(line), choices) for line in lines(own)) or _marked(own, choices)


def _named_in(line: str, choices: tuple[str, ...]) -> str | None:
    line = unwrapped(unicodedata.normalize("NFKC", line))
    if alone := same_choice(line, choices):
        return alone
    said = _said(line, choices)
    if said is not None:
        is_untrue = said.is_denial or (len(said.choice or "") > _SHORT and _PATTERNS["untrue"].match(said.rest))
        is_shared = any(_is_another(said.rest[at.end() :], said.choice, choices) for at in _NEXT.finditer(said.rest))
        is_plain = not (is_untrue or is_shared or _REJECTED.match(said.rest) or _PATTERNS["condition"].match(said.rest))
        return kept(said.choice, said.rest, partial(_stated, choices=choices)) if is_plain else None
    claims = list(_claims(line, choices))
    return settled(claims, line) if claims else _in_brackets(line, choices)


def _stated(text: str, choices: tuple[str, ...]) -> Iterator[Claim]:
    return (claim for statement in statements(text) if (claim := _claimed(statement, choices)))


def _claims(text: str, choices: tuple[str, ...]) -> Iterator[Claim]:
    yield from _stated(text, choices)
    for found in deque(judged(choices).finditer(text, max(0, len(text) - READ)), maxlen=_MOST_JUDGED):
        if claim := _judgement(found, text, choices):
            yield claim


def _claimed(statement: Statement, choices: tuple[str, ...]) -> Claim | None:
    """Return the choice claimed at one place; a closing word counts only before a choice at the end of its line."""
    said = _said(unwrapped(statement.rest), choices)
    if said is None or said.rest.lstrip('*_ )"”.').startswith("?"):
        return None
    is_called = re.match(r"[\s*_(\"]{0,4}(?:the |answer )?(?:option|choice|letter)\b", statement.rest, re.IGNORECASE)
    if statement.is_closing and said.choice is None and _WRONG.search(statement.rest):
        return None
    if statement.is_closing and not is_called and said.rest.strip(" )]*_.!\"'”’$\\"):
        return None
    if said.choice is not None and not said.is_denial and _REJECTED.match(said.rest):
        said = said._replace(is_denial=True)
    return Claim(statement.start, said.choice, statement.is_certain and not is_supposed(said.rest), said.is_denial)


def _judgement(found: re.Match[str], text: str, choices: tuple[str, ...]) -> Claim | None:
    """Return the judgement in ``B is correct``; a peer's letter, an article or a question is none."""
    choice = spelled(found["choice"], choices)
    before = text[max(0, found.start() - 30) : found.start()]
    behind = text[found.end() : found.end() + LONGEST_LINE]
    is_question = behind[:3].lstrip("*_ )").startswith("?")
    of_peer = _OF_PEERS.search(before) or ((choice or "").isdigit() and re.search(r"(?i:answer)\W{0,4}$", before))
    if choice is None or is_question or of_peer or _is_other_case(found["choice"], choice):
        return None
    is_wrong = found["what"].casefold() in {"incorrect", "wrong"} or _PATTERNS["but_wrong"].match(behind)
    claimed = None if found["also"] else choice
    is_open = found["listed"] or is_supposed(behind) or (found["hedged"] and _PATTERNS["turned"].match(behind))
    certain = is_own(text, found.start(), found.end()) and not is_open
    return Claim(found.start(), claimed, certain, bool(found["not"] or is_wrong))


def _said(text: str, choices: tuple[str, ...]) -> _Said | None:
    """Return the beginning of ``text``: a choice, a denial, several, or (``None``) another text."""
    marks = _LEADING_MARKS.match(text)[0]  # type: ignore[index] # the pattern matches the empty string
    said = text[len(marks) :]
    against = None if beginning(choices).match(said) else _PATTERNS["against"].match(said)
    if against:
        denied = _first(said[against.end() :], choices)
        if denied is None:
            return None
        instead = _PATTERNS["instead"].match(denied.rest)
        other = _first(denied.rest[instead.end() :], choices) if instead else None
        return other or denied._replace(is_denial=True)
    if several := _SEVERAL.match(said):
        return _Said(None) if _first(said[several.end() :], choices) else None
    found = _first(said, choices)
    is_signed = found is not None and not {"-", "–", "—"}.isdisjoint(marks) and f"-{found.choice}" in choices
    return _Said(None) if is_signed else found  # a dash before 1 may be its sign or a bullet


def _first(text: str, choices: tuple[str, ...]) -> _Said | None:
    said = text.lstrip(DECORATION)
    found = _stood(said, choices)
    if found is None and (lead := _PATTERNS["lead"].match(said)):
        found = _stood(said[lead.end() :].lstrip(DECORATION), choices)
        if found and lead[0].strip() in choices:
            return _Said(None)
    return _Said(None) if found and _names_another(found, choices) else found


def _stood(said: str, choices: tuple[str, ...]) -> _Said | None:
    """Return the choice at the beginning of ``said``, unless it is part of a word or an article."""
    found = beginning(choices).match(said)
    choice = spelled(found[0], choices) if found else None
    if found is None or choice is None:
        return None
    rest = said[found.end() :]
    degree = re.match(r"[^\w\n]{1,4}(\w+)", rest)
    if degree and spelled(f"{degree[1]} {choice}", choices):  # "disagree strongly" beside "strongly disagree"
        return None
    if _is_joined(rest) or re.match(r"[-–][a-z]", rest) or (found[0].isdigit() and re.match(r"[.,:/%]?\d|\s?%", rest)):
        return None
    if len(found[0]) > _SHORT:
        return _Said(choice, rest=rest)
    is_same_case = not _is_other_case(found[0], choice)
    goes_on = _PATTERNS["goes_on"].match(rest) or _JOINED.match(rest) or rest[:1] > _LAST_SPACED
    stands = _PATTERNS["ends"].match(rest) or (is_same_case and goes_on)
    return _Said(choice, rest=rest) if stands else None


_LAST_SPACED = "\u2e7f"
"""Behind it are the letters of languages that put no space between words."""


def _is_joined(rest: str) -> bool:
    """Return whether a letter or digit follows directly, as in the middle of a word, or the sign of ``C++``."""
    return (rest[:1].isalnum() and rest[0] <= _LAST_SPACED) or rest.startswith(("++", "#"))


def _is_other_case(written: str, choice: str) -> bool:
    """Return whether a single letter is in lower case for an upper-case choice, as an article is."""
    return len(written) == 1 and written not in choice


def _names_another(found: _Said, choices: tuple[str, ...]) -> bool:
    if _PATTERNS["judged"].match(found.rest):  # of "(A) False (B) True" the first is not the choice
        return any(
            _is_another(found.rest[at.end() :], found.choice, choices) for at in re.finditer(r"[\s(]", found.rest)
        )
    joined = _JOINED.match(found.rest) or _PATTERNS["related"].match(found.rest)
    if joined is None:
        return False
    following = found.rest[joined.end() :]
    filled = _PATTERNS["filled"].match(following)
    beginnings = (following, following[filled.end() :] if filled else "")
    return any(_is_another(one.lstrip(DECORATION), found.choice, choices) for one in beginnings)


def _is_another(text: str, chosen: str | None, choices: tuple[str, ...]) -> bool:
    other = beginning(choices).match(text)
    if other is None or _is_joined(text[other.end() :]):
        return False
    choice = spelled(other[0], choices)
    return choice not in {None, chosen} and not _is_other_case(other[0], choice or "")


def _in_brackets(line: str, choices: tuple[str, ...]) -> str | None:
    """Return the choice in brackets at the end of a line with its text: ``Paris (B)``."""
    found = re.search(r"[(\[](?P<inside>[^()\[\]]{1,40})[)\]][\s.*_]{0,4}$", line)
    is_denied = re.search(r"\b(?:not|or|and|isn't)\b", line, re.IGNORECASE)
    return same_choice(found["inside"], choices) if found and not is_denied else None


def _marked(own: str, choices: tuple[str, ...]) -> str | None:
    """Return the choice that begins the first or last line (``**B) Paris**``), if no other line has one."""
    said = list(lines(own))
    marks = [(at, choice) for at, line in enumerate(said) if (choice := _mark(line, choices))]
    if len({choice for _, choice in marks}) != 1 or marks[0][0] not in {0, len(said) - 1}:
        return None
    at, choice = marks[0]
    is_alone = len(said) == 1
    return None if (_WRONG.search(said[at]) and not is_alone) or said[at].rstrip(" *_").endswith("?") else choice


def _mark(line: str, choices: tuple[str, ...]) -> str | None:
    text = _called(unwrapped(line).lstrip(DECORATION + "-•"))
    found = beginning(choices).match(text)
    choice = spelled(found[0], choices) if found else None
    is_word = _PATTERNS["counting"].match(text) or (choice == "I" and text[1:2] == ".")
    if found is None or choice is None or _is_other_case(found[0], choice) or is_word:
        return None
    marks = r"\s?[)\]]|[.。](?!\w)|\s[-–—]\s|\s(?=because\b|since\b)" if len(found[0]) <= _SHORT else r"[.,:;)\s]|$"
    rest = text[found.end() :]
    is_other = _names_another(_Said(choice, rest=rest), choices)
    return choice if re.match(marks, rest) and not is_other and not _PATTERNS["denied"].match(rest) else None


def _called(line: str) -> str:
    """Return ``line`` without a word such as "option" before the choice."""
    return re.sub(r"^\W{0,6}(?:option|choice)\s", "", line, flags=re.IGNORECASE)
