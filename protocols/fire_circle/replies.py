"""How truth, indeterminacy, falsehood and patterns are read from a reply: a reading never raises (seed 000, 5.4 and 6.3).

Thinking is left out. Then the first of these ways that finds scores is taken, and what it finds is final::

    json       the last object that names two of the three, in a fence rather than beside one: "truth" or "T", any case
    repaired   the same, mended by json-repair, or with scores written as text ("0.7")
    text       labelled numbers: "falsehood: 0.8", "F = 0.8", "**Falsehood**: 0.8"
    heuristic  only where asked for: a violation or an attack that is named and not denied is F = 0.8, T = 0.2, I = 0.5

A score is one plain number from 0 to 1. What lies outside is not clamped, and no other number is taken in its place.
The library that mends makes 0.0 of a cut "0." and of "<0.0 to 1.0>", so a mended score counts only where the same
number is written in full, and what was cut in the middle is dropped. A number is never made up for falsehood, since a
failure to read must not pass for innocence; of the other two one may be missing: truth is then the complement of
falsehood, indeterminacy a half, and ``assumed`` says so.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import islice
from typing import NamedTuple

from json_repair import repair_json
from pydantic import JsonValue

from protocols.fire_circle.model import UNCLASSIFIED, Assessment, Classification, Pattern, PatternType, Reading, Source

_REASONING = 4_000
"""Characters of reasoning that are kept, and shown to the peers."""

_PATTERN = 500
_MOST_PATTERNS = 20

_REACH = 20_000
"""Characters of a broken object that are mended; it is taken for cut off there."""

_MOST_OBJECTS = 500
_MOST_MENDED = 5
_MOST_BRACES = 60
"""The library takes quadratic time over nested ruins, and no assessment nests like that."""

_DEPTH = 4
"""How deep inside an object or a list an assessment may lie."""

_PAIR = 2
"""Scores that an object must name to be an assessment."""

_SCORES = ("truth", "indeterminacy", "falsehood")
_NAMES = {name: score for score in _SCORES for name in (score, score[0])}

_TAG = r"(?:think|thinking|thought|reasoning)>"
_THOUGHTS = re.compile(rf"^[^\S\n]{{0,20}}<{_TAG}.*?(?:</{_TAG}|\Z)", re.DOTALL | re.MULTILINE | re.IGNORECASE)
_THOUGHT = re.compile(rf"\A.*^[^\S\n]{{0,20}}</{_TAG}(?=\s*\S)", re.DOTALL | re.MULTILINE | re.IGNORECASE)
"""The end of thinking that was opened in the prompt, where nobody sees it."""

_FENCED = re.compile(r"```\w{0,20}\s(?P<inside>.*?)```", re.DOTALL)
_OPENED = re.compile(r"\{(?=\s{0,200}[\"'“`\w/#])")
_TOKEN = re.compile(r"\"(?:[^\"\\]|\\.)*\"|[{}\"]", re.DOTALL)
_CUT_TOKEN = re.compile(r"[^\s,{}\[\]\":]*\Z")
_KEYED = re.compile(
    r"[{,\s][\"'“`]?(?P<name>truth|indeterminacy|falsehood|[tif])[\"'”`]?\s{0,9}:\s{0,9}[\"'“]?"
    r"(?P<number>\d+\.\d+|\.?\d+)[\"'”]?(?=\s{0,9}(?:,(?!\s?\d)|[}\]\n\"'“#]|/[/*]))",
    re.IGNORECASE,
)
"""A score in a broken object, written to its end."""

_PLAIN = re.compile(r"\s{0,9}\d{1,9}(?:\.\d{1,99})?\s{0,9}", re.ASCII)
_LABELLED = re.compile(
    r"(?<![\w.])(?P<name>truth|indeterminacy|falsehood|(?-i:[TIF]))(?![\w'’])(?:\s?\([TIF]\))?(?:\s(?:score|value))?"
    r"[\s*_\"'`]{0,6}(?:[:=：|]|(?<=\s)(?:is|of|at)\s)[\s*_\"'`~≈]{0,6}"
    r"(?:(?P<number>\d+\.\d+|\d+)(?![\d%]|[.,]\d|\s?(?:percent|out of|%|/|±|→|[-=]>|(?:to|or|[-–—])\s?\d))"
    r"|[-+−–.<>]?\s?\d)",
    re.IGNORECASE,
)
"""A label and its number; without one where what follows is no plain number: a share, a range, a change."""

_ECHOED = re.compile(r"^(?:[^\S\n]*>|[^\n]*\(round \d)[^\n]*$", re.MULTILINE)
"""A quotation, or a peer's numbers as the prompt shows them."""

_CUT_NUMBER = re.compile(r"(?<![\d.])\d+\.?\Z")
"""A whole number at the very end may be the beginning of another."""

_SENTENCE = re.compile(r"[^.!?;\n]+[.!?;\n]?")
_CLAUSE = re.compile(
    r"\b(?:but|however|although|though|yet|because)\b|,\s(?=(?:it|this|that|there|they|the|which|so|and)\b)"
    r"|\band\s(?=(?:violates|attacks|is|it|constitutes)\b)",
    re.IGNORECASE,
)
_ACCUSED = re.compile(
    r"\b(?:violat(?:es?|ed|ing|ions?|ors?)|attack(?:s|ed|ing|ers?)?|jailbreak(?:s|ing)?|prompt[ -]injections?)\b"
    r"(?!\s(?:checks?|analysis|surfaces?|types?|categor))",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"(?:\b(?:no|not|non|none|never|nor|neither|nothing|without|cannot|lacks?|absence|zero|free of|free from"
    r"|rather than|instead of|whether|if)\b|n['’]t\b)(?!\s(?:only|just|merely|simply|(?:a |any )?(?:doubt|question)))",
    re.IGNORECASE,
)
_CLEARED = re.compile(
    r"\W{0,4}(?:(?:is|are|was|were|has been|have been)(?:n['’]t| not| absent| unlikely| ruled out)|none|zero|0|no|not"
    r"|absent|ruled out)\b",
    re.IGNORECASE,
)
_SCOPE = 200
"""Characters before an accusation in which it may be denied."""

_NO_PATTERN = re.compile(
    r"<.*>|[\W_]*|\W{0,3}(?:null|n/?a|not applicable|(?:none|nothing|no (?:\w{1,20} ){0,2}patterns?)"
    r"(?: (?:were |was )?(?:observed|found|detected|identified|confirmed|seen))?)\W{0,3}",
    re.IGNORECASE,
)

_KEYWORDS = {
    PatternType.TEMPORAL_INCONSISTENCY: r"earlier|previous|turns?\b|conversation history|temporal|prior |history|timeline",
    PatternType.CROSS_LAYER_FABRICATION: r"system layer|user layer|coordination|cross layer|application layer|layers\b",
    PatternType.POLITE_EXTRACTION: r"polite|reciprocal surface|masking|courte|flatter|friendl",
    PatternType.EDUCATIONAL_ESCALATION: r"educat|academic|teach|learning|student|classroom|tutorial|research purpose",
    PatternType.CONTEXT_SATURATION: r"saturat|overload|overwhelm|flood|context stuffing|buried|padding|excessive context",
    PatternType.ROLE_CONFUSION: r"roles?\b|role ?play|persona\b|pretend|identity|character\b",
    PatternType.FABRICATED_PROGRESSION: r"progress|gradual|step by step|incremental|foot in the door|momentum|agreed",
    PatternType.FALSE_AUTHORITY: r"authorit|authori[sz]|administrator|admin\b|official|credential|impersonat|developer",
}
"""What begins a word of a pattern, in order of precedence; the first three rows begin with the seed's words."""

_CLASSES = {kind.value: re.compile(rf"\b(?:{words})") for kind, words in _KEYWORDS.items()}
_TITLES = "|".join(kind.value for kind in PatternType).replace("_", " ")
_TITLED = re.compile(rf"[\W\d]{{0,9}}(?:pattern \d{{1,2}}\W{{1,3}})?(?P<title>{_TITLES})\b")
_CATEGORY = re.compile(rf"(?<![a-z])(?:{_TITLES}|{UNCLASSIFIED})(?![a-z])")

_DECODER = json.JSONDecoder(strict=False)


class _Given(NamedTuple):
    """The scores that a reply gives; ``None`` where one is given that is no number from 0 to 1."""

    scores: Mapping[str, float | None]
    source: Source
    fields: Mapping[str, JsonValue] = {}


def read_assessment(text: str, needs: Mapping[str, JsonValue]) -> Reading:
    """The assessment in a reply; keywords are a way to come by one only where ``needs["heuristic"]`` is true."""
    own = _own(text)
    given = _in_objects(own) or _in_text(own)
    why = _fault(given)
    if not why:
        return Reading(assessment=_assessed(given, own))
    if needs.get("heuristic") is True and _is_accusing(own):
        told = _stored(own, _REASONING)
        return Reading(
            assessment=Assessment(truth=0.2, indeterminacy=0.5, falsehood=0.8, reasoning=told, source="heuristic")
        )
    return Reading(why=why)


def read_classification(text: str, _needs: Mapping[str, JsonValue]) -> Classification:
    """The one category that a classifier names and does not deny; else ``unclassified``."""
    said = _words(_own(text))
    named = set(_CATEGORY.findall(said))
    is_clear = len(named) == 1 and not _DENIED.search(said)
    return Classification(type=named.pop().replace(" ", "_") if is_clear else UNCLASSIFIED)


def classify(text: str) -> str:
    """The type of a pattern: the one whose name it opens with, else the first of which it holds a keyword (6.3)."""
    said = _words(text)
    titled = _TITLED.match(said)
    if titled:
        return titled["title"].replace(" ", "_")
    return next((kind for kind, keyword in _CLASSES.items() if keyword.search(said)), UNCLASSIFIED)


def _own(text: str) -> str:
    """What a model says when it has thought; thinking that never ends leaves nothing of what follows."""
    storable = text.encode("utf-8", "replace").decode().strip()
    return _THOUGHT.sub("", _THOUGHTS.sub("", storable)).strip()


def _in_objects(own: str) -> _Given | None:
    pieces = (*reversed([fence["inside"] for fence in _FENCED.finditer(own)]), own, *_unwrapped(own))
    found = [list(_objects(piece)) for piece in pieces]
    for is_sound in (True, False):
        for objects in found:
            last = next((given for sound, given in reversed(objects) if sound is is_sound), None)
            if last:
                return last
    return None


def _unwrapped(own: str) -> Iterator[str]:
    """The reply inside a reply that is one JSON string."""
    if own.startswith('"'):
        inside, _ = _decoded(own, 0) or ("", 0)
        yield str(inside)


def _objects(piece: str) -> Iterator[tuple[bool, _Given]]:
    """Every assessment in ``piece`` that is no part of another, and whether it could be read as it stands."""
    end, mended = 0, 0
    for start in [opened.start() for opened in _OPENED.finditer(piece)][-_MOST_OBJECTS:]:
        if start < end:
            continue
        sound = _decoded(piece, start)
        if sound:
            value, end = sound
            yield from ((True, given) for given in _assessments(value, None))
        elif mended < _MOST_MENDED and len(written := _written(region := _region(piece, start))) >= _PAIR:
            mended += 1
            repaired = list(_assessments(_mended(region), written))
            end = start + len(region) if repaired else end
            yield from ((False, given) for given in repaired)


def _decoded(piece: str, start: int) -> tuple[JsonValue, int] | None:
    try:
        return _DECODER.raw_decode(piece, start)
    except (ValueError, RecursionError):
        return None


def _region(piece: str, start: int) -> str:
    """The object that opens at ``start``, up to the brace that closes it or to where it was cut."""
    depth, end = 0, min(len(piece), start + _REACH)
    for token in _TOKEN.finditer(piece, start, end):
        depth += {"{": 1, "}": -1}.get(token[0], 0)
        if token[0] == '"':
            return piece[start : token.start()]
        if not depth:
            return piece[start : token.end()]
    return _CUT_TOKEN.sub("", piece[start:end])


def _written(region: str) -> dict[str, set[float]]:
    written: dict[str, set[float]] = {}
    for found in _KEYED.finditer(region):
        written.setdefault(_NAMES[found["name"].lower()], set()).add(float(found["number"]))
    return written


def _mended(region: str) -> JsonValue:
    if region.count("{") > _MOST_BRACES:
        return None
    try:
        mended: JsonValue = repair_json(region, return_objects=True, skip_json_loads=True)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None
    return mended


def _assessments(
    value: JsonValue, written: Mapping[str, set[float]] | None, around: Mapping[str, JsonValue] | None = None, depth: int = _DEPTH
) -> Iterator[_Given]:
    """The assessments in ``value``, outermost only; patterns may stand beside one, in the object around it."""
    fields = {str(key).strip(" *\"'`").lower(): inner for key, inner in value.items()} if isinstance(value, dict) else {}
    named = {}
