"""Rankings in JSON: a whole reply, an object with the code, or values under a header."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from pydantic import JsonValue

from protocols import json_in_text
from protocols.council.replies.chains import chained
from protocols.council.replies.headers import carries
from protocols.council.replies.labels import (
    HEAD,
    NUMBER,
    PAIR,
    Found,
    Numbered,
    Places,
    are_places,
    by_number,
    do_rise,
    labels_at,
    number_of,
)
from protocols.council.wording import WORST_FIRST, holds_score_word

_RANKS = re.compile(r"rank|order|排名|排序|順位|순위|reihenfolge|classement", re.IGNORECASE)
_FINAL = re.compile(r"final|overall|revised|updated|gesamt|最[终終]", re.IGNORECASE)
_LABEL_KEYS = ("label", "response", "answer", "id", "name", "candidate", "model")
_PLACE_KEYS = ("rank", "place", "position", "platz", "rang")
_KEY = re.compile(r"\"([^\"\n]{1,40})\"\s*:")
_PROSE_KEYS = ("evaluation", "evaluations", "review", "reasoning", "judgement", "analysis", "remarks")
_DECODER = json.JSONDecoder(object_pairs_hook=json_in_text.unrepeated)
_MOST_TRIED = 5
_DEEPEST = 4
_LONGEST_PROSE = 20_000
_LONGEST_REMARK = 60


class Whole(NamedTuple):
    """A reply that is one object."""

    value: Mapping[str, JsonValue]
    evaluation: str
    """Its remarks on the answers, as a text."""


def whole_object(text: str) -> Whole | None:
    """Return the object that ``text`` is, fenced or not, when it has a ranking in it."""
    value = json_in_text.whole_object(text)
    return Whole(value, _prose(value)) if value is not None and _ranking(value) else None


def has_code(value: Mapping[str, JsonValue], nonce: str) -> bool:
    """Return whether the object carries the code, in a value or in the name of a key."""
    said = [text for key, inside in value.items() for text in (key, inside) if isinstance(text, str)]
    return any(carries(text, nonce) for text in said if len(text) <= _LONGEST_PROSE)


def object_with_code(text: str, nonce: str) -> Found | None:
    """Return the ranking of the last object in ``text`` that carries the code itself."""

    def read(found: json_in_text.JsonMatch) -> list[Mapping[str, JsonValue]]:
        value = None if found.is_mended or getattr(found.value, "names", False) else found.value
        return [value] if isinstance(value, dict) and has_code(value, nonce) else []

    try:
        values = list(json_in_text.read_objects(text, read, lambda _region: False))
    except json_in_text.TooManyAttemptsError:
        return None
    return next((found for value in reversed(values) if (found := of_object(value))), None)


def of_object(value: Mapping[str, JsonValue]) -> Found | None:
    """Return the ranking of an object."""
    places = _ranking(value)
    return Found("object", places) if places else None


def in_region(region: str) -> tuple[list[Found], str]:
    """Return the rankings of the JSON values in ``region``, and ``region`` without them and without scores."""
    found: list[Found] = []
    rest, copied = "", 0
    for value, at, end in values_in(region):
        orders = _orders(value)
        if orders or any(map(holds_score_word, _KEY.findall(region[at:end]))):
            rest, copied = rest + region[copied:at], end
            lines = sum(bool(line.strip()) for line in rest.split("\n"))
            found += [Found("object", places, at=lines - 0.5 + len(found) / 100) for places in orders]
    return found, rest + region[copied:]


def values_in(region: str) -> Iterator[tuple[JsonValue, int, int]]:
    """Yield the first values of JSON in ``region``, each with its beginning and its end."""
    at = -1
    for _ in range(_MOST_TRIED):
        starts = [start for sign in "[{" if (start := region.find(sign, at + 1)) >= 0]
        if not starts:
            return
        at = min(starts)
        try:
            value, end = _DECODER.raw_decode(region, at)
        except (ValueError, RecursionError):
            continue
        yield value, at, end
        at = end - 1


def _orders(value: JsonValue, depth: int = 0) -> list[Places]:
    """Return the orders in a value: its own, or those of the values in it that are no scores."""
    if depth > _DEEPEST or not isinstance(value, dict | list):
        return []
    places = _places(value)
    if places and sum(map(len, places)) >= PAIR:
        return [places]
    fields = value.items() if isinstance(value, dict) else enumerate(value)
    inner = (inside for key, inside in fields if not holds_score_word(str(key)))
    return [order for inside in inner for order in _orders(inside, depth + 1)]


def _ranking(value: Mapping[str, JsonValue]) -> Places | None:
    said = [text for text in (*value, *value.values()) if isinstance(text, str) and len(text) < _LONGEST_REMARK]
    if WORST_FIRST.search("\n".join(said).replace("_", " ")):
        return None
    named = {key: places for key, inside in value.items() if _RANKS.search(key) and (places := _places(inside))}
    meant = {places for key, places in named.items() if _FINAL.search(key)} or {*named.values()}
    return (meant.pop() if len(meant) == 1 else None) if named else _of_pairs(value)


def _places(value: JsonValue) -> Places | None:
    """Return what a value says of an order: a list, an object of places, or a chain in a text."""
    if isinstance(value, str):
        return next((found.places for found in chained([value])), None)
    if isinstance(value, dict):
        return _ranking(value)
    if not isinstance(value, list) or not value:
        return None
    if all(isinstance(entry, dict) for entry in value):
        return _of_entries([entry for entry in value if isinstance(entry, dict)])
    places = [_place(entry) for entry in value]
    return tuple(place for place in places if place) if all(places) else None


def _place(entry: JsonValue) -> tuple[str, ...] | None:
    if isinstance(entry, str):
        number = NUMBER.match(entry)
        labels = labels_at(entry, 0) or (labels_at(entry, number.end()) if number else None)
        return labels.letters if labels else None
    if isinstance(entry, list):
        letters = [letter for one in entry if isinstance(one, str) for letter in _place(one) or ()]
        return tuple(letters) if len(letters) == len(entry) else None
    return None


def _of_entries(entries: Sequence[Mapping[str, JsonValue]]) -> Places | None:
    """Return the places of a list of objects, by the places they name, else as they are if their scores fall."""
    labels = [_place(_valued(entry, _LABEL_KEYS)) for entry in entries]
    if not all(labels):
        return None
    letters = [label or () for label in labels]
    numbers = [number for entry in entries if (number := _number(_valued(entry, _PLACE_KEYS))) is not None]
    if len(numbers) == len(entries):
        return by_number(map(Numbered, numbers, letters))
    scored = [inside for entry in entries for key, inside in entry.items() if holds_score_word(key)]
    scores = [score for inside in scored if (score := _number(inside)) is not None]
    return None if numbers or (len(scores) == len(entries) and do_rise(scores)) else tuple(letters)


def _of_pairs(value: Mapping[str, JsonValue]) -> Places | None:
    """Return the places of ``{"1": "C"}`` or of ``{"Response C": 1}``."""
    entries = []
    for key, inside in value.items():
        number, label = _number(key), _place(inside)
        if number is None or label is None:
            number, label = _number(inside), _place(key)
        if number is not None and label is not None:
            entries.append(Numbered(number, label))
    numbers = [entry.number for entry in entries for _ in entry.letters]
    return by_number(entries) if len(numbers) >= PAIR and are_places(numbers) else None


def _valued(entry: Mapping[str, JsonValue], keys: Sequence[str]) -> JsonValue:
    return next((inside for key, inside in entry.items() if any(name in key.lower() for name in keys)), None)


def _number(value: JsonValue) -> float | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, str) and not HEAD.match(value):
        found = NUMBER.match(value)
        return float(number_of(found)) if found and found.end() == len(value) else None
    return None


def _prose(value: Mapping[str, JsonValue]) -> str:
    said = next((inside for key, inside in value.items() if key.lower() in _PROSE_KEYS), "")
    if isinstance(said, dict):
        return "\n\n".join(f"{key}: {inside}" for key, inside in said.items() if isinstance(inside, str))
    if isinstance(said, list):
        return "\n\n".join(inside for inside in said if isinstance(inside, str))
    return said if isinstance(said, str) else ""
