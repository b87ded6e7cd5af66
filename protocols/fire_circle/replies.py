"""How truth, indeterminacy, falsehood and patterns are read from a reply: a reading never raises (seed 000, 5.4).

The first of these ways that finds scores is taken, and no later one mends its numbers::

    json       the last object that names two of the three, fenced or not: "truth" or "T" or "Truth"
    repaired   the same, mended by json-repair, or with scores written as text ("0.7")
    text       labelled numbers: "falsehood: 0.8", "F = 0.8", "**Falsehood (0.8)**", where lines begin or once
    heuristic  only where asked for: a violation or an attack that is named and not denied is F = 0.8, T = 0.2, I = 0.5

A score is one plain number from 0 to 1. What lies outside is not clamped, and no other number is taken in its place.
The library that mends makes 0.0 of a cut "0." and of "<0.0 to 1.0>", so a mended score counts only where the same
number is written in full, and what was cut in the middle is dropped. A number is never made up for falsehood, since a
failure to read must not pass for innocence; of the other two one may be missing: truth is then the complement of
falsehood, indeterminacy a half, and ``assumed`` says so.
"""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from pydantic import JsonValue

from protocols.exchange import Answered
from protocols.fire_circle.model import Assessment, Classification, Reading, Source
from protocols.fire_circle.wording import category, is_accusing, read_patterns
from protocols.objects import Found, read_objects
from protocols.spoken import storable

_AGAIN = (
    "I cannot read your assessment. Reply with one JSON object and nothing else: "
    '{"truth": …, "indeterminacy": …, "falsehood": …, "reasoning": "…"}, '
    "each of the three your own number from 0 to 1, and the reasoning in your own words."
)
"""Said once to a model of whose reply no numbers could be read."""

_REASONING = 4_000
"""Characters of reasoning that are kept, and shown to the peers."""

_DEPTH = 4
"""How deep inside an object or a list an assessment may lie."""

_PAIR = 2
"""Scores that an object must name to be an assessment."""

_SCORES = ("truth", "indeterminacy", "falsehood")
_NAMES = {name: score for score in _SCORES for name in (score, score[0])}

_KEYED = re.compile(
    r"[{,\s][\"'“`]?(?P<name>truth|indeterminacy|falsehood|[tif])[\"'”`]?\s{0,9}:\s{0,9}[\"'“]?"
    r"(?P<number>\d+\.\d+|\.?\d+)[\"'”]?(?=\s{0,9}(?:,(?!\s?\d)|[}\]\n\"'“#(]|/[/*]))",
    re.IGNORECASE,
)
"""A score in a broken object, written to its end."""

_PLAIN = re.compile(r"\s{0,9}\d{1,9}(?:\.\d{1,99})?\s{0,9}", re.ASCII)
_LABELLED = re.compile(
    r"(?<![\w.])(?P<name>truth|indeterminacy|falsehood|(?-i:[TIF]))(?![\w'’])(?:\s?\([TIF]\))?(?:\s(?:score|value))?"
    r"[\s*_\"'`]{0,6}(?:[:=：|]|\((?=\d\.\d)|(?<=\s)(?:is|of|at)\s)[\s*_\"'`~≈]{0,6}"
    r"(?:(?P<number>\d+\.\d+|\d+)(?![\d%]|[.,]\d|\s?(?:percent|out of|%|/|±|→|[-=]>|(?:to|or|[-–—])\s?\d))"
    r"|[-+−–.<>]?\s?\d)",
    re.IGNORECASE,
)
"""A label and its number; without one where what follows is no plain number: a share, a range, a change."""

_ECHOED = re.compile(r"^(?:[^\S\n]*>|[^\n]*\(round \d)[^\n]*$", re.MULTILINE)
"""A quotation, or a peer's numbers as the prompt shows them."""

_CUT_NUMBER = re.compile(r"(?<![\d.])\d+\.?\Z")
_CUT_IN_OBJECT = re.compile(r"[\d.]+\Z")
"""A whole number at the very end may be the beginning of another; in an object that is still open, any number may."""

_Written = Mapping[str, set[float]]
"""The numbers that stand in full behind the names of a broken object."""


class _Given(NamedTuple):
    """The scores that a reply gives; ``None`` where one is given that is no number from 0 to 1."""

    scores: Mapping[str, float | None]
    source: Source
    fields: Mapping[str, JsonValue] = {}


def read_assessment(text: str, needs: Mapping[str, JsonValue]) -> Reading:
    """The assessment in a reply; keywords are a way to come by one only where ``needs["heuristic"]`` is true."""
    own = storable(text)
    given = _in_objects(own) or _in_text(own)
    why = _fault(given)
    if not why:
        return Reading(assessment=_assessed(given, own))
    if needs.get("heuristic") is True and is_accusing(own):
        told = _clipped(own)
        return Reading(
            assessment=Assessment(truth=0.2, indeterminacy=0.5, falsehood=0.8, reasoning=told, source="heuristic")
        )
    return Reading(why=why)


def unclear(reply: Answered) -> str | None:
    """Return the sentence with which a reply is asked for once more; ``None`` when its numbers were read.

    Numbers that were guessed by keywords are asked for too: they count only where the second reply has none either.
    """
    assessment = Reading.model_validate(reply.reading or {}).assessment
    return None if assessment and assessment.source != "heuristic" else _AGAIN


def read_classification(text: str, _needs: Mapping[str, JsonValue]) -> Classification:
    """The one category that a classifier names; else ``unclassified``."""
    return Classification(type=category(storable(text)))


def _in_objects(own: str) -> _Given | None:
    """The last assessment that stands in an object: what is quoted comes before what is concluded."""
    found = list(read_objects(own, _in_object, lambda region: len(_written(region)) >= _PAIR))
    return found[-1] if found else None


def _in_object(found: Found) -> Iterator[_Given]:
    return _assessments(found.value, _written(found.written) if found.is_mended else None)


def _written(region: str) -> _Written:
    written: dict[str, set[float]] = {}
    for found in _KEYED.finditer(region):
        written.setdefault(_NAMES[found["name"].lower()], set()).add(float(found["number"]))
    return written


def _assessments(
    value: JsonValue,
    written: _Written | None,
    around: Mapping[str, JsonValue] | None = None,
    depth: int = _DEPTH,
) -> Iterator[_Given]:
    """The assessments in ``value``, outermost only; patterns may stand beside one, in the object around it."""
    if isinstance(value, dict):
        fields = {_key(key): inner for key, inner in value.items()}
        scores = _scores(value, written)
        if len(scores) >= _PAIR:
            as_text = any(isinstance(fields.get(name), str) for name in _NAMES)
            yield _Given(
                scores, "json" if written is None and not as_text else "repaired", {**(around or {}), **fields}
            )
            return
        around, value = fields, [*value.values()]
    if isinstance(value, list) and depth:
        for inner in value:
            yield from _assessments(inner, written, around, depth - 1)


def _key(key: str) -> str:
    return key.strip(" *\"'`").lower()


def _scores(found: Mapping[str, JsonValue], written: _Written | None) -> dict[str, float | None]:
    """The scores that an object names; one that is given twice and differently is none."""
    scores: dict[str, float | None] = {}
    for key, value in found.items():
        name = _NAMES.get(_key(key))
        if name:
            score = _score(value)
            is_true = (written is None or score in written.get(name, ())) and scores.get(name, score) == score
            scores[name] = score if is_true else None
    return scores


def _score(value: JsonValue) -> float | None:
    number = float(value) if isinstance(value, str) and _PLAIN.fullmatch(value) else value
    if isinstance(number, bool) or not isinstance(number, int | float):
        return None
    return abs(float(number)) if 0 <= number <= 1 else None


def _in_text(own: str) -> _Given:
    """The labelled numbers: those with which lines begin, else those in passing that are named only once.

    Models reckon aloud: "Local assessment: T=0.1, I=0.2, F=0.9" is a step, and may be a peer's.
    """
    stated: dict[str, set[float | None]] = {}
    mentioned: dict[str, list[float | None]] = {}
    cut = _CUT_IN_OBJECT if own.count("{") > own.count("}") else _CUT_NUMBER
    for line in _ECHOED.sub("", cut.sub("", own)).split("\n"):
        labelled = list(_LABELLED.finditer(line))
        is_stated = bool(labelled) and not any(map(str.isalpha, line[: labelled[0].start()]))
        for found in labelled:
            name, number = _NAMES[found["name"].lower()], _score(found["number"])
            mentioned.setdefault(name, []).append(number)
            if is_stated:
                stated.setdefault(name, set()).add(number)
    chosen = stated if "falsehood" in stated and len(stated) >= _PAIR else mentioned
    return _Given({name: next(iter(found)) if len(found) == 1 else None for name, found in chosen.items()}, "text")


def _fault(given: _Given) -> str:
    """Why ``given`` is no assessment; empty when it is one."""
    spoilt = [name for name in _SCORES if given.scores.get(name, 0) is None]
    missing = [name for name in _SCORES if name not in given.scores]
    if spoilt:
        return f"not one number from 0 to 1: {', '.join(spoilt)}"
    return f"not given: {', '.join(missing)}" if "falsehood" in missing or len(missing) >= _PAIR else ""


def _assessed(given: _Given, own: str) -> Assessment:
    scores = {name: score for name, score in given.scores.items() if score is not None}
    falsehood, reasoning = scores["falsehood"], given.fields.get("reasoning")
    told = _clipped(reasoning) if isinstance(reasoning, str) else ""
    return Assessment(
        truth=scores.get("truth", round(1 - falsehood, 6)),
        indeterminacy=scores.get("indeterminacy", 0.5),
        falsehood=falsehood,
        reasoning=told or _clipped(own),
        patterns=read_patterns(given.fields),
        source=given.source,
        assumed=tuple(name for name in _SCORES if name not in scores),
    )


def _clipped(text: str) -> str:
    return storable(text)[:_REASONING]
