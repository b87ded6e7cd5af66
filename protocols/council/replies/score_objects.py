"""Scores in JSON: answers with criteria, criteria with answers, or a list of single scores."""

import json
from collections.abc import Iterator, Mapping

from pydantic import JsonValue

from protocols.council.replies.score_tables import Cells, CriterionOf, letters_in
from protocols.council.replies.score_values import score_of_value

_DECODER = json.JSONDecoder()
_MOST_TRIED = 5
_DEEPEST = 4
_LABEL_KEYS = ("label", "response", "answer", "id", "name", "candidate")
_CRITERION_KEYS = ("criterion", "criteria", "kriterium", "critère", "criterio", "标准")
_SCORE_KEYS = ("score", "value", "points", "rating", "punkte", "分数", "评分")


def values_in(region: str) -> Iterator[JsonValue]:
    """Yield the first values of JSON in ``region``."""
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
        at = end - 1
        yield value


def from_value(value: JsonValue, criterion_of: CriterionOf) -> Cells:
    """Return the scores in a value of JSON."""
    cells: Cells = {}
    _add(cells, value, criterion_of, depth=0)
    return cells


def _add(cells: Cells, value: JsonValue, criterion_of: CriterionOf, *, depth: int) -> None:
    if depth > _DEEPEST:
        return
    if isinstance(value, list):
        for entry in value:
            _add(cells, entry, criterion_of, depth=depth + 1)
    elif isinstance(value, dict) and not _add_entry(cells, value, criterion_of):
        for key, inner in value.items():
            letters, name = letters_in(key), criterion_of(key)
            if len(letters) == 1 and isinstance(inner, dict):
                _add_scores(cells, letters[0], inner, criterion_of)
            elif name and isinstance(inner, dict):
                for label, score in inner.items():
                    _put(cells, letters_in(label), name, score)
            else:
                _add(cells, inner, criterion_of, depth=depth + 1)


def _add_entry(cells: Cells, entry: Mapping[str, JsonValue], criterion_of: CriterionOf) -> bool:
    """Add an object that names its answer in a field; return whether it is one."""
    label = _text(entry, _LABEL_KEYS)
    letters = letters_in(label) if label else ()
    if len(letters) != 1:
        return False
    name = criterion_of(_text(entry, _CRITERION_KEYS) or "")
    if name:
        score = next((entry[key] for key in entry if key.casefold() in _SCORE_KEYS), None)
        _put(cells, letters, name, score)
    else:
        _add_scores(cells, letters[0], entry, criterion_of)
    return True


def _add_scores(cells: Cells, letter: str, fields: Mapping[str, JsonValue], criterion_of: CriterionOf) -> None:
    """Add the scores of one answer by criterion, also below another key."""
    for key, inner in fields.items():
        if name := criterion_of(key):
            _put(cells, (letter,), name, inner)
        elif isinstance(inner, dict):
            for key_below, score in inner.items():
                _put(cells, (letter,), criterion_of(key_below) or "", score)
        elif isinstance(inner, list):
            for one in inner:
                if isinstance(one, dict) and (below := criterion_of(_text(one, _CRITERION_KEYS) or "")):
                    _put(cells, (letter,), below, next((one[k] for k in one if k.casefold() in _SCORE_KEYS), None))


def _text(entry: Mapping[str, JsonValue], keys: tuple[str, ...]) -> str | None:
    found = [inside for key, inside in entry.items() if key.casefold() in keys]
    return found[0] if found and isinstance(found[0], str) else None


def _put(cells: Cells, letters: tuple[str, ...], name: str, value: JsonValue) -> None:
    score = score_of_value(value)
    for letter in letters if name else ():
        place = (letter, name)
        cells[place] = score if cells.get(place, score) == score else None
