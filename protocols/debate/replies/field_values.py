"""The readers of single values of a turn; nothing is corrected or clamped.

A confidence is a number from 0 to 1, a share of a hundred (with its sign, or a whole number above 10), or of what
the number behind it ("8/10"). A word such as "high" is none, nor is a whole number from 2 to 10, which may be of
ten or of a hundred. A vote on a condition is none. The votes and stances of section 7.2 have a meaning here too:
MAINTAIN is ACCEPT, PRO is YES, CON is NO.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from pydantic import JsonValue

from protocols import debate
from protocols.answer_text import unwrapped
from protocols.debate.model.turn import Stance, Vote
from protocols.debate.replies.field_names import entry_value
from protocols.text_cleaning import plain, storable
from protocols.text_files import compile_patterns, read_toml

REASONING = 20_000
"""Characters of reasoning that are kept."""
LONG, SHORT = 4_000, 1_000
"""The most characters of a text, and of an entry in a list."""
MOST = 20
"""Entries of a list that is none of claims or references."""
MOST_NAMED = 100
"""Ids or numbers that one list names."""

_TEN, _HUNDRED = 10, 100

_DEPTH = 3
"""How deep a text may lie in lists and objects."""

_ANY_LETTER = re.compile(r"\w")
_BLANK = re.compile(r"<[^<>]*>|\[(?:your|insert|state|one|a) [^\[\]]*\]|\W*|(?:null|none|n/a|tbd)\W?", re.IGNORECASE)
"""A part of the form that was not filled in."""

_PATTERNS = compile_patterns(debate.__name__, "replies_field_values")
_WRITTEN = _PATTERNS["written"]
"""A confidence in a broken object, written to its end."""

VOTES: tuple[Vote, ...] = ("ACCEPT", "MINOR", "BLOCKER")
_CONDITION = _PATTERNS["condition"]
"""Behind ACCEPT, which is as it is: with it the vote is none."""
_VALUES = ("value", "score", "level", "choice", "vote", "confidence", "decision", "rating", "selection")
"""Under which an object holds its one value."""
_PLAIN = {"statement", "text", "content", "value", "position"}
"""Names of a text within an object that are no header of it."""
_BESIDE = {"condition": " if ", "conditions": " if ", "max": "/", "maximum": "/", "outof": "/", "scale": " on scale "}
"""What else an object says of its value, and the words for it in a text."""
_SIDES = read_toml(debate.__name__, "position_words.toml")["stances"]
_STANCES: Mapping[str, Stance] = {word: stance for stance, words in _SIDES.items() for word in words}
_STOOD = re.compile(rf"\W{{0,9}}(?P<stance>{'|'.join(_STANCES)}){_PATTERNS['behind_stance'].pattern}", re.IGNORECASE)

_BULLET = re.compile(r"^\s{0,9}(?:[-*•+]|\(?\d{1,2}[.)])\s+")
_NAMING = ("id", "claim", "claimid", "evidence", "target")
_ID = re.compile(r"\W*[CE]\d{1,5}\W*", re.IGNORECASE)
_NUMBERS = re.compile(r"(?<![\w.])(?P<first>\d{1,6})(?:\s?[-–]\s?(?P<last>\d{1,6}))?(?![\w%]|\.\d)", re.ASCII)


def text_of(value: JsonValue, most: int = LONG) -> str:
    """Return the text in a value, cut to a number of characters, with headers above their content."""
    text = "\n\n".join(_parts(value, _DEPTH))
    return "" if _BLANK.fullmatch(text) else storable(text[:most])


def texts_of(values: Iterable[JsonValue]) -> tuple[str, ...]:
    """Return the texts of the entries of several lists."""
    items = (text_of(entry, SHORT) for entry in islice(entries_of(values), 2 * MOST))
    return tuple(text for text in items if text)[:MOST]


def entries_of(values: Iterable[JsonValue]) -> Iterator[JsonValue]:
    """Yield the entries of several lists, or of objects with one entry under each key, or of lines."""
    for value in values:
        if isinstance(value, list):
            yield from value
        else:
            yield from _lines(value) if isinstance(value, str) else [value]


def by_name(given: JsonValue, *values: str) -> Iterator[JsonValue]:
    """Yield the entries of ``given``; an object without any of ``values`` has one under each name: ``{"p1": "…"}``."""
    for value in entries_of([given]):
        if isinstance(value, dict) and (value is given or len(value) == 1) and entry_value(value, *values) is None:
            for name, it in value.items():
                yield {"name": name, **(it if isinstance(it, dict) else {values[0]: it})}
        else:
            yield value


def objects_of(values: Iterable[JsonValue]) -> Iterator[dict[str, JsonValue]]:
    """Yield the entries of several lists as objects; any other value is the text of one."""
    return (entry if isinstance(entry, dict) else {"text": entry} for entry in entries_of(values))


def ids_of(value: JsonValue, letter: str) -> tuple[str, ...]:
    """Return the ids (C1, or E1) that entries name and do not deny, without those of remarks; C1-C3 are three."""
    entries = map(_named, entries_of(value if isinstance(value, list) else [value]))
    one, said = rf"{letter}([1-9][0-9]{{0,4}})", _PATTERNS["denied"].sub("", text_of([*entries])).upper()
    ids, end, is_named = list[str](), 0, True
    for found in re.finditer(rf"\b{one}(?:(?:[-–—~]| [-–] | (?:TO|THROUGH|BIS) ){one})?\b", said, re.ASCII):
        between, end = said[end : found.start()], found.end()
        is_listed = is_named and _PATTERNS["listed"].search(between) is not None
        is_named = not ids or is_listed or re.search(r"[;；\n]", between) is not None
        numbers = span_of(found[1], found[2]) or found.groups() if is_named else ()
        ids += [f"{letter}{number}" for number in numbers]
    return tuple(dict.fromkeys(ids))[:MOST_NAMED]


def _named(entry: JsonValue) -> JsonValue:
    """Return an entry, of an object its ids alone: ``{"id": "C2", "reason": "…"}``, ``{"C2": "…"}``."""
    ids = isinstance(entry, dict) and (entry_value(entry, *_NAMING) or [*filter(_ID.fullmatch, entry)])
    return ids or entry


def numbers_of(value: JsonValue) -> tuple[int, ...]:
    """Return the numbers of references in a value; a range gives all its numbers, a reversed one none."""
    said = _PATTERNS["remark"].sub("", text_of(value, SHORT))
    found = (span_of(match["first"], match["last"]) for match in _NUMBERS.finditer(said))
    return tuple(dict.fromkeys(number for numbers in found for number in numbers))[:MOST_NAMED]


def span_of(first: str, last: str | None) -> range:
    """Return the numbers from ``first`` to ``last``, at most as many as a list may name; 0 is none."""
    start = max(1, int(first))
    return range(start, min(int(last or first), start + MOST_NAMED - 1) + 1)


def confidence_of(value: JsonValue, written: str | None = None) -> float | None:
    """Return a confidence from 0 to 1.

    The library that mends makes 0.0 of a cut "0." and of "0.0 to 1.0", so one from a broken object counts only where
    it is ``written`` in full.
    """
    share = _share(_inner(value))
    if written is not None and share not in {_share(found["share"]) for found in _WRITTEN.finditer(written)}:
        return None
    return share


def vote_of(value: JsonValue) -> Vote | None:
    """Return the vote at the beginning of a value; a choice of several and a conditional vote are none."""
    said = _inner(value)
    if not isinstance(said, str) or not (found := _PATTERNS["voted"].match(said := unwrapped(said).replace("_", " "))):
        return None
    if found["edits"]:
        return "MINOR"
    return None if found["ACCEPT"] and _CONDITION.match(said, found.end()) else next(v for v in VOTES if found[v])


def stance_of(value: JsonValue) -> Stance | None:
    """Return the stance in a value; a choice of several is none, and "no stance" is no NO."""
    found = _STOOD.match(value) if isinstance(value, str) else None
    return _STANCES[found["stance"].lower()] if found else None


def without_bullet(line: str) -> str:
    """Return ``line`` without the bullet or number of a list."""
    return _BULLET.sub("", line).strip()


def _inner(value: JsonValue) -> JsonValue:
    """Return the single value of an object or a list; ``{"ACCEPT": true}`` is the name with ``true``."""
    if isinstance(value, list) and len(value) == 1:
        return value[0]
    if not isinstance(value, dict):
        return value
    chosen = [name for name, inner in value.items() if inner is True]
    said = chosen[0] if len(chosen) == 1 else entry_value(value, *_VALUES)
    beside = [f"{word}{text}" for name, word in _BESIDE.items() if (text := text_of(entry_value(value, name)))]
    return f"{said}{beside[0]}" if beside else said


def _parts(value: JsonValue, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield storable(value)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield str(value) if abs(value) < 10**15 else ""
    elif isinstance(value, list) and depth:
        yield from (part for inner in value[:MOST_NAMED] for part in _parts(inner, depth - 1) if part)
    elif isinstance(value, dict) and depth:
        for key, inner in [*value.items()][:MOST_NAMED]:
            text = "\n".join(part for part in _parts(inner, depth - 1) if part)
            yield storable(text if key.casefold() in _PLAIN else f"{key}:\n{text}") if text else ""


def _lines(text: str) -> list[JsonValue]:
    """Return the entries of a list in a text, or the whole text as one entry."""
    lines = [line for line in text.splitlines() if _ANY_LETTER.search(line)]
    is_list = len(lines) > 1 and all(_BULLET.match(line) for line in lines)
    return [without_bullet(line) for line in lines] if is_list else [without_bullet(text)]


def _share(value: JsonValue) -> float | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _within(value)
    found = _PATTERNS["share"].match(unwrapped(plain(value))) if isinstance(value, str) else None
    if not found:
        return None
    number = float(found["number"].replace(",", "."))
    whole = float(found["whole"] or (_HUNDRED if found["percent"] else 1))
    if whole == 1:
        return _within(number)
    return None if number > whole or 0 < number < 1 else number / whole  # 0.72 % may be meant as 0.72


def _within(number: float) -> float | None:
    """Return a number as a share; a whole number up to ten is ambiguous, and none."""
    if 0 <= number <= 1:
        return abs(float(number))
    return number / _HUNDRED if _TEN < number <= _HUNDRED and float(number).is_integer() else None
