"""The objects of a reply that may be its assessment.

An object names at least two scores; it may lie in another one, and only the outermost counts, so that peers listed
inside are no second assessment. A name with two values is spoilt. The library that mends broken objects makes 0.0 of a
cut "0." and of "<0.0 to 1.0>", so of a mended object only numbers count that are written to their end.
"""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from pydantic import JsonValue

from protocols.fire_circle.scores import AMOUNT, Amount, amount_in, amount_of, name_of_score, resolved
from protocols.json_in_text import JsonMatch, RepeatedKeys, read_objects
from protocols.lazy_patterns import lazy_pattern
from protocols.text_files import compile_patterns, read_toml

_DEPTH = 4
"""How deep inside an object or a list an assessment may lie."""

_PAIR = 2
"""Scores that an object must name to be an assessment."""

_KEYED = lazy_pattern(
    r"[{,\s][\"'“`*_]{0,3}(?P<name>[^\W\d_]{1,24}+(?:[ _](?:score|value))?(?: ?\([TIF]\))?)[\"'”`*_]{0,3}"
    rf"\s{{0,9}}:\s{{0,9}}[\"'“]?{AMOUNT}[\"'”]?(?=\s{{0,9}}(?:,(?!\s?\d|(?<=[:\s]\d,)\s*\Z)|[}}\]\n\"'“#(]|/[/*]))",
    re.IGNORECASE,
)
"""A score in a broken object, written to its end."""

_PAST = compile_patterns(__package__, "candidates")["past"]
_INNER = lazy_pattern(r"\{[^{}]*\}")
_LONG_TEXT = lazy_pattern(r"(:\s{0,9})\"(?=(?:[^\"\\]|\\.){20})(?>(?:[^\"\\]++|\\.)*)(?:\"|\Z)", re.DOTALL)
"""What lies in a broken object and is not its own: an object inside, and a text."""

_REASONINGS: list[str] = read_toml(__package__, "score_names.toml")["reasoning"]

Fields = Mapping[str, JsonValue]


class Candidate(NamedTuple):
    """The content of a candidate object."""

    scores: Mapping[str, float | None]
    """``None`` where a score is named and its number cannot be used."""
    fields: Fields
    start: int
    end: int
    """Its position in the text; an object around it is counted with it."""
    is_plain: bool = True
    """Whether it is sound JSON whose scores are written as numbers from 0 to 1."""

    @property
    def reasoning(self) -> str:
        """Return its reasoning; blank without any."""
        texts = (self.fields.get(name) for name in _REASONINGS)
        return next((text for text in texts if isinstance(text, str) and text.strip()), "")

    @property
    def has_numbers(self) -> bool:
        """Return whether any score is usable; a copy of the requested form has none."""
        return any(score is not None for score in self.scores.values())

    @property
    def is_whole(self) -> bool:
        """Return whether it is an assessment: falsehood and another score, and no unusable score."""
        return "falsehood" in self.scores and len(self.scores) >= _PAIR and None not in self.scores.values()


def candidates(own: str) -> list[Candidate]:
    """Return the objects of ``own`` with at least two scores, in their order."""
    return list(read_objects(own, lambda found: _in_object(found, own), lambda region: len(_keyed(region)) >= _PAIR))


class _Named(NamedTuple):
    """An object with scores, its numbers as written, and its depth."""

    amounts: Mapping[str, Amount | None]
    fields: Fields
    is_plain: bool
    depth: int


def _in_object(found: JsonMatch, own: str) -> Iterator[Candidate]:
    written = _LONG_TEXT.sub(r"\1", found.written) if found.is_mended else ""
    for one in _named(found.value):
        amounts = _in_full(one, written) if found.is_mended else one.amounts
        is_plain = one.is_plain and not found.is_mended
        yield Candidate(resolved(amounts, own), one.fields, found.start, found.end, is_plain)


def _named(value: JsonValue, around: Fields | None = None, depth: int = 0) -> Iterator[_Named]:
    """Return the outermost objects with scores; patterns may be in the enclosing object."""
    if isinstance(value, dict):
        names = {key: name for key in value if (name := name_of_score(key))}
        fields = {key.strip(" *\"'`").lower(): inner for key, inner in value.items()}
        if len(set(names.values())) >= _PAIR:
            is_plain = all(isinstance(number := value[key], int | float) and 0 <= number <= 1 for key in names)
            yield _Named(_amounts(value, names), {**(around or {}), **fields}, is_plain, depth)
            return
        past = {key: dict.fromkeys(one) for key, one in value.items() if isinstance(one, dict) and _PAST.match(key)}
        around, value = fields, [*{**value, **past}.values()]
    if isinstance(value, list) and depth < _DEPTH:
        for inner in value:
            yield from _named(inner, around, depth + 1)


def _amounts(value: Mapping[str, JsonValue], names: Mapping[str, str]) -> dict[str, Amount | None]:
    """Return the numbers of the scores; one with two different values is none."""
    doubled = {names[key] for key in value.names if key in names} if isinstance(value, RepeatedKeys) else set[str]()
    amounts: dict[str, Amount | None] = {}
    for key, name in names.items():
        amount = amount_of(value[key])
        amounts[name] = amount if name not in doubled and amounts.get(name, amount) == amount else None
    return amounts


def _in_full(one: _Named, written: str) -> dict[str, Amount | None]:
    """Return the complete numbers of a repaired object; the repairing library may invent others."""
    if one.depth:
        everywhere = _keyed(written)
        return {name: amount if amount in everywhere.get(name, ()) else None for name, amount in one.amounts.items()}
    own = _keyed(written[:1] + _INNER.sub("", written[1:]))
    return {name: next(iter(own[name])) if len(own.get(name, ())) == 1 else None for name in one.amounts}


def _keyed(region: str) -> dict[str, set[Amount]]:
    keyed: dict[str, set[Amount]] = {}
    for found in _KEYED.finditer(region):
        if name := name_of_score(found["name"]):
            keyed.setdefault(name, set()).add(amount_in(found))
    return keyed
