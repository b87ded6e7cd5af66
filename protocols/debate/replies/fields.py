"""Under which names a turn gives what, and how one value is read; nobody is corrected, and no number is clamped.

Names are compared by their letters alone: ``debateAlignment``, ``debate_alignment`` and "Debate alignment" are one. A
confidence is a number from 0 to 1, or a share of a hundred: with its sign, or a whole number from 2 to 100. What is
neither is none. The votes and stances of section 7.2 have a meaning here too: MAINTAIN is ACCEPT, PRO is YES, CON is
NO.
"""

import re
from collections.abc import Iterable, Iterator, Mapping

from pydantic import JsonValue

from protocols.debate.model.turns import Stance, Vote
from protocols.spoken import storable

REASONING = 20_000
"""Characters of reasoning that are kept."""
LONG, SHORT = 4_000, 1_000
"""Characters of a text of its own, and of an entry in a list."""
MOST = 20
"""Entries of a list that is none of claims or references."""
MOST_NAMED = 100
"""Ids or numbers that one list names."""

_HUNDRED = 100

_DEPTH = 3
"""How deep a text may lie in lists and objects."""

NAMES: Mapping[str, tuple[str, ...]] = {
    "position": ("position", "finalposition", "coreposition", "myposition", "finalanswer", "answer", "conclusion"),
    "reasoning": (
        *("reasoning", "answerreasoning", "explanation", "explanations", "questionunderstanding"),
        *("questionexplanations", "answerexplanation", "rationale", "justification", "argument"),
    ),
    "confidence": ("confidence", "confidencelevel", "confidencescore"),
    "confidence_reason": ("confidencereason", "confidenceexplanation", "confidenceexplanations"),
    "vote": ("vote", "finalvote", "myvote"),
    "stance": ("stance", "assignedstance", "mystance"),
    "debate_alignment": ("debatealignment", "alignment"),
    "claims": ("claims", "epistemicclaims"),
    "reinforces": ("reinforces", "reinforced"),
    "challenges": ("challenges", "challenged"),
    "retracts": ("retracts", "retracted"),
    "key_points": ("keypoints", "keypoint"),
    "references": ("references", "citations", "sources"),
    "replies_to": ("repliesto", "replyto", "directrepliesto"),
    "steelman": ("steelman", "steelmanned"),
    "concerns": ("concerns", "concern", "limitations"),
    "alternatives": ("alternatives", "alternative", "alternativesconsidered"),
    "risks": ("risks", "risk", "failuremodes", "vulnerabilities"),
    "uncertainty": ("uncertainty", "uncertainties"),
}
"""Fields by the names under which models give them; where several are given, the name that stands first here counts."""

_FIELDS = {name: (field, rank) for field, names in NAMES.items() for rank, name in enumerate(names)}
_NO_LETTER = re.compile(r"[^a-z]")
_ANY_LETTER = re.compile(r"\w")
_BLANK = re.compile(r"<[^<>]*>|\W*|(?:null|none|n/a)\W?", re.IGNORECASE)
"""A part of the form that was not filled in."""

_SHARE = re.compile(
    r"[\s~≈*_\"'`]{0,6}(?P<number>\d{1,3}(?:\.\d{1,20})?|\.\d{1,20})(?P<percent>\s?(?:%|per\s?cent\b))?"
    r"(?![\w%]|[.,]\d|\s?(?:/|out of|±|→|[-=]>|(?:to|or|[-–—])\s?\.?\d))",
    re.IGNORECASE,
)
_WRITTEN = re.compile(
    r"confidence(?:[ _]?(?:level|score))?[\"'”`]?\s{0,9}:\s{0,9}[\"'“]?"
    r"(?P<share>(?:\d{1,3}(?:\.\d{1,20})?|\.\d{1,20})(?:\s?%)?)[\"'”]?(?=\s{0,9}(?:,(?!\s?\d)|[}\n\"'#(]|/[/*]))",
    re.IGNORECASE,
)
"""A confidence in a broken object, written to its end."""

_VOTES: Mapping[str, Vote] = {"accept": "ACCEPT", "mainta": "ACCEPT", "minor": "MINOR", "block": "BLOCKER"}
_VOTED = re.compile(
    r"\W{0,9}(?:(?:i )?vote:? )?(?P<edits>(?=accept\w{0,5} with (?:small|minor)\b))?"
    r"(?P<vote>accept|mainta(?=in)|minor\b|block)(?:s|ed|in|ins|ined|er|ing)?\b"
    r"(?!\s?[|/]\s?\w|,? or\b)",
    re.IGNORECASE,
)
_STANCES: Mapping[str, Stance] = {"yes": "YES", "pro": "YES", "no": "NO", "con": "NO", "neutral": "NEUTRAL"}
_STOOD = re.compile(
    r"\W{0,9}(?P<stance>yes|pro|no|con|neutral)(?!\w)(?=\W*\Z|\s?[-–—.,;:(!*\n])(?!-\w)(?!,? or\b)", re.IGNORECASE
)

_BULLET = re.compile(r"^\s{0,9}(?:[-*•+]|\(?\d{1,2}[.)])\s+")
_NUMBERS = re.compile(r"(?<![\w.])(?P<first>\d{1,6})(?:\s?[-–]\s?(?P<last>\d{1,6}))?(?![\w%]|\.\d)", re.ASCII)

Given = Mapping[str, list[tuple[int, JsonValue]]]
"""The values under each field, with the rank of the name that they were given under."""


def field_of(name: str) -> str | None:
    """Which field is given under ``name``."""
    return _FIELDS.get(_letters(name), (None, 0))[0]


def given(pairs: Iterable[tuple[str, JsonValue]]) -> Given:
    """What is given, by field; names that mean nothing here are left out."""
    found: dict[str, list[tuple[int, JsonValue]]] = {}
    for name, value in pairs:
        field, rank = _FIELDS.get(_letters(name), (None, 0))
        if field and value not in (None, "", [], {}):
            found.setdefault(field, []).append((rank, value))
    return found


def one(told: Given, field: str) -> JsonValue:
    """What is given under the best name of ``field``; of several, the last: what is concluded comes last."""
    return min(reversed(told.get(field, [])), key=lambda value: value[0], default=(0, None))[1]


def every(told: Given, field: str) -> list[JsonValue]:
    """All that is given for ``field``, in its order."""
    return [value for _, value in told.get(field, [])]


def told_as(value: Mapping[str, JsonValue], *names: str) -> JsonValue:
    """What an entry holds under the first of ``names`` that it has; names are compared by their letters."""
    by_letters = {_letters(key): inner for key, inner in value.items()}
    return next((by_letters[name] for name in names if by_letters.get(name) not in (None, "", [], {})), None)


def text_of(value: JsonValue, most: int = LONG) -> str:
    """The text in a value, at most so many characters of it; headers stand above what they hold."""
    told = "\n\n".join(_parts(value, _DEPTH))
    return "" if _BLANK.fullmatch(told) else storable(told[:most])


def texts_of(value: JsonValue, most: int = MOST) -> tuple[str, ...]:
    """The entries of a list; lines of one text are entries where it is one that lists them."""
    entries = _lines(value) if isinstance(value, str) else value if isinstance(value, list) else [value]
    told = (text_of(entry, SHORT) for entry in entries[: 2 * most])
    return tuple(text for text in told if text)[:most]


def entries_of(values: Iterable[JsonValue]) -> Iterator[JsonValue]:
    """The entries of several lists, or of objects that hold one entry under each key, or of lines."""
    for value in values:
        if isinstance(value, list):
            yield from value
        else:
            yield from _lines(value) if isinstance(value, str) else [value]


def ids_of(value: JsonValue, letter: str) -> tuple[str, ...]:
    """The ids in a value that begin with ``letter``: C1, or E1."""
    found = re.findall(rf"\b{letter}[1-9][0-9]{{0,4}}\b", text_of(value).upper(), re.ASCII)
    return tuple(dict.fromkeys(found))[:MOST_NAMED]


def numbers_of(value: JsonValue) -> tuple[int, ...]:
    """The numbers of references in a value; a range is all numbers in it, and one that is reversed is none."""
    found = (span_of(match["first"], match["last"]) for match in _NUMBERS.finditer(text_of(value, SHORT)))
    return tuple(dict.fromkeys(number for numbers in found for number in numbers))[:MOST_NAMED]


def span_of(first: str, last: str | None) -> range:
    """The numbers from ``first`` to ``last``, at most as many as a list may name; 0 is none."""
    start = max(1, int(first))
    return range(start, min(int(last or first), start + MOST_NAMED - 1) + 1)


def confidence_of(value: JsonValue, written: str | None = None) -> float | None:
    """A confidence from 0 to 1.

    The library that mends makes 0.0 of a cut "0." and of "0.0 to 1.0", so one from a broken object counts only where
    it is ``written`` in full.
    """
    share = _share(value)
    if written is not None and share not in {_share(found["share"]) for found in _WRITTEN.finditer(written)}:
        return None
    return share


def vote_of(value: JsonValue) -> Vote | None:
    """The vote that a value begins with; a choice of several is none."""
    found = _VOTED.match(value) if isinstance(value, str) else None
    if not found:
        return None
    return "MINOR" if found["edits"] is not None else _VOTES[found["vote"].lower()]


def stance_of(value: JsonValue) -> Stance | None:
    """The stance that a value is; a choice of several is none, and "no stance" is no NO."""
    found = _STOOD.match(value) if isinstance(value, str) else None
    return _STANCES[found["stance"].lower()] if found else None


def without_bullet(line: str) -> str:
    """``line`` without what makes it an entry of a list."""
    return _BULLET.sub("", line).strip()


def _letters(name: str) -> str:
    return _NO_LETTER.sub("", name[:80].lower())


def _parts(value: JsonValue, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield storable(value)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield str(value) if abs(value) < 10**15 else ""
    elif isinstance(value, list) and depth:
        yield from (part for inner in value[:MOST_NAMED] for part in _parts(inner, depth - 1) if part)
    elif isinstance(value, dict) and depth:
        for key, inner in [*value.items()][:MOST_NAMED]:
            told = "\n".join(part for part in _parts(inner, depth - 1) if part)
            yield storable(f"{key}:\n{told}") if told else ""


def _lines(text: str) -> list[JsonValue]:
    """The entries of a text that lists them; a text that does not is one entry."""
    lines = [line for line in text.splitlines() if _ANY_LETTER.search(line)]
    is_list = len(lines) > 1 and all(_BULLET.match(line) for line in lines)
    return [without_bullet(line) for line in lines] if is_list else [without_bullet(text)]


def _share(value: JsonValue) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    if not isinstance(value, str):
        return _within(value, is_percent=False)
    found = _SHARE.match(value)
    return _within(float(found["number"]), is_percent=bool(found["percent"])) if found else None


def _within(number: float, *, is_percent: bool) -> float | None:
    if not 0 <= number <= _HUNDRED:
        return None
    if is_percent or (number > 1 and float(number).is_integer()):
        return number / _HUNDRED
    return abs(float(number)) if number <= 1 else None
