"""The call that has a model name the types of a round's patterns (seed 000, section 6.3), and how its reply is read.

A reply is a JSON list, an object by number, or one line for each pattern with its number in front. What gives a number
two types gives it none, and a pattern without a type keeps the one that its words have.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence

from pydantic import JsonValue

from protocols.fire_circle.io import FireCircleInput
from protocols.fire_circle.keywords import category
from protocols.fire_circle.model import Classification, PatternType
from protocols.model_call import ModelCall, ReaderRef, Sampling
from protocols.panel import Participant
from protocols.prompt_pack import fence, nonce_of, numbered
from protocols.text_cleaning import plain
from protocols.text_files import compile_patterns

CLASSIFICATION = "classification"
"""The stage in which patterns are classified."""

CLASSIFIED_WITHIN = 10.0
"""Seconds that a classifier has; no verdict waits longer for the types of its patterns."""

_HASTE = {"total": CLASSIFIED_WITHIN, "attempts": 1, "away": 0.0}
"""Of the classifier's patience: a provider that is away is not waited for."""

_LONGEST = 20_000
"""Characters that are read: forty types take less than three thousand."""

_LIST_KEYS = ("types", "categories", "classifications", "patterns", "results")
_NUMBER_KEYS = ("number", "pattern", "index", "id", "observation")
_TYPE_KEYS = ("type", "category", "classification", "pattern_type")

_PATTERNS = compile_patterns(__package__, "classification")
_NUMBERED = _PATTERNS["numbered"]
"""A line that begins with the number of a pattern."""


def call(
    inp: FireCircleInput,
    seat: Participant,
    patterns: Sequence[str],
    round_number: int,
    *,
    secret: str,
    attempt: int = 0,
) -> ModelCall:
    """Return the call that shows the patterns of one round to the classifier (section 6.3)."""
    call_id = numbered(f"classify-{round_number}", attempt)
    nonce = nonce_of(secret, call_id)
    listed = "\n".join(f"{number}. {text}" for number, text in enumerate(patterns, start=1))
    slots = {
        "categories": "\n".join(kind.value for kind in PatternType),
        "patterns": fence(listed, "patterns", nonce),
        "count": str(len(patterns)),
        "nonce": nonce,
    }
    return inp.build_call(
        seat,
        inp.prompts.fill("classification", slots),
        ReaderRef(reader="fire_circle.classification", needs={"count": len(patterns)}),
        call_id=call_id,
        stage=CLASSIFICATION,
        round=round_number,
        # The parameters of the dialogue are not those of a table; the classifier's own are.
        sampling=seat.settings.over(Sampling()) if seat.settings else Sampling(),
        patience=inp.patience.model_copy(update=_HASTE),
        # A run keeps its pack, and one of an older version has no such template.
        schema_instruction=inp.prompts.templates.get("classification_object", ""),
    )


def read_classification(text: str, needs: Mapping[str, JsonValue]) -> Classification:
    """Return the types of ``needs["count"]`` patterns in their order, blank where the reply gives none."""
    wanted = needs.get("count")
    count = wanted if isinstance(wanted, int) else 1
    own = plain(text[:_LONGEST])
    given = _in_json(own, count) or _in_lines(own, count)
    if not given and count == 1 and (kind := category(own)):
        given = {1: {kind}}  # a single pattern needs no number
    first = 0 if 0 in given else 1
    types = (given.get(number, set()) for number in range(first, first + count))
    return Classification(types=tuple(next(iter(one)) if len(one) == 1 else "" for one in types))


_ITEM = re.compile(r"^[^\S\n]{0,9}[-*•+][^\S\n]{1,3}([^\n]{1,400})$", re.MULTILINE)
_REASON = re.compile(r"\s[(–—-]|[;:.]\s|,\s(?:not|but|although|though|because|as|since|even|rather)\b")
_ARROW = re.compile(r"→|->|=>")
_Given = dict[int, set[str]]
"""Number to every type that is given to it."""


def _in_lines(own: str, count: int) -> _Given:
    given: _Given = {}
    for line in own.split("\n"):
        found = _NUMBERED.match(line)
        kind = _named(found["said"]) if found else None
        if found and kind:
            given.setdefault(int(found["number"]), set()).add(kind)
    return given or _in_items(own, count)


def _in_items(own: str, count: int) -> _Given:
    """Return the types of a list without numbers that has one item for each pattern."""
    kinds = [_named(found[1]) for found in _ITEM.finditer(own)]
    return {place: {kind} for place, kind in enumerate(kinds, start=1) if kind} if len(kinds) == count else {}


def _named(said: str) -> str | None:
    """Return the type named alone, after an arrow, or before a reason that may name others."""
    head = _REASON.split(said, maxsplit=1)[0]
    behind = _ARROW.split(said)[-1] if _ARROW.search(said) else ""
    return category(behind) or category(said) or category(head)


def _in_json(own: str, count: int) -> _Given:
    starts = [place for place in (own.find("["), own.find("{")) if place >= 0]
    end = max(own.rfind("]"), own.rfind("}")) + 1
    try:
        value = json.loads(own[min(starts) : end]) if starts else None
    except (ValueError, RecursionError):
        return {}
    given: _Given = {}
    for number, kind in _pairs(value, count):
        given.setdefault(number, set()).add(kind)
    return given


def _pairs(value: JsonValue, count: int) -> Iterator[tuple[int, str]]:
    if isinstance(value, dict):
        listed = next((value[key] for key in _LIST_KEYS if isinstance(value.get(key), list | dict)), None)
        if listed is not None:
            yield from _pairs(listed, count)
            return
        for key, said in value.items():
            yield from _pair(_number(key), said)
    if isinstance(value, list):
        is_whole = len(value) == count
        for place, said in enumerate(value, start=1):
            number = _own_number(said)
            yield from _pair(place if number is None and is_whole else number, said)


def _pair(number: int | None, said: JsonValue) -> Iterator[tuple[int, str]]:
    if isinstance(said, dict):
        said = next((said[key] for key in _TYPE_KEYS if isinstance(said.get(key), str)), None)
    kind = category(said) if isinstance(said, str) else None
    if number is not None and kind:
        yield number, kind


def _own_number(said: JsonValue) -> int | None:
    if not isinstance(said, dict):
        return None
    return next((number for key in _NUMBER_KEYS if (number := _number(said.get(key))) is not None), None)


def _number(value: JsonValue) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    found = re.search(r"\d{1,3}", value[:40]) if isinstance(value, str) else None
    return int(found[0]) if found else None
