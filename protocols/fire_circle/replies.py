"""The reader of truth, indeterminacy, falsehood and patterns; it never raises (seed 000, 5.4).

The first of these ways that finds scores is taken, and no later one mends its numbers::

    schema     the whole reply is one object, and the provider was sent its JSON schema
    json       an object that names two of the three, fenced or not: "truth" or "T" or "Wahrheit"
    repaired   the same, mended by json-repair, or with scores written otherwise ("0.7", 70 %, {"score": 0.7})
    text       labelled numbers: "falsehood: 0.8", "F = 0.8", "**Falsehood (0.8)**", tables
    heuristic  only where asked for: a violation or an attack that is named and not denied is F = 0.8, T = 0.2, I = 0.5

The judged text may contain scores, and so may those of peers. An object whose scores are in the prompt and
which has no reasoning of the model's own is a quotation and is left out. Of several that differ the one with reasoning
counts; otherwise nothing was read, and the model is asked once more.

A score is a number from 0 to 1, or a share of ten or a hundred where the reply says so. What lies outside is not
clamped, and no other number is taken in its place. A number is never made up for falsehood, since a failure to read
must not pass for innocence; of the other two one may be missing: truth is then the complement of falsehood,
indeterminacy a half, and ``assumed`` says so.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pydantic import JsonValue

from protocols.fire_circle.candidates import Candidate, candidates
from protocols.fire_circle.keywords import contradiction, is_accusing, read_patterns
from protocols.fire_circle.labels import Shown, labelled
from protocols.fire_circle.model import Assessment, Reading, Source
from protocols.fire_circle.scores import SCORES, name_of_score
from protocols.model_call import Answered
from protocols.text_cleaning import plain, storable, untagged
from protocols.text_files import compile_patterns

_AGAIN = (
    "I cannot read your assessment. Reply with one JSON object and nothing else: "
    '{"truth": …, "indeterminacy": …, "falsehood": …, "reasoning": "…"}, '
    "each of the three your own number from 0 to 1, and the reasoning in your own words."
)
"""Said once to a model of whose reply no numbers could be read."""

_REASONING = 4_000
"""Characters of reasoning that are kept, and shown to the peers."""

_PAIR = 2
"""Scores that an assessment gives at least."""

_PATTERNS = compile_patterns(__package__, "replies")
_REVISED = _PATTERNS["revised"]
_REVISED_SCORE = _PATTERNS["revised_score"]
_BEFORE = 200
"""Characters before an object in which the text may announce that it replaces another one."""


class _Given(NamedTuple):
    """The scores in a reply; ``None`` for an unusable one."""

    scores: Mapping[str, float | None]
    source: Source
    fields: Mapping[str, JsonValue] = {}
    reasoning: str = ""


def read_assessment(text: str, needs: Mapping[str, JsonValue]) -> Reading:
    """Return the assessment in a reply.

    Args:
        text: The reply.
        needs: ``shown`` is the text that the model was shown; with ``heuristic`` keywords are one way to come by an
            assessment; ``asked_with_schema`` says that the provider was sent the schema of the object.
    """
    own, prompt = (untagged(plain(it), _is_field) for it in (text, str(needs.get("shown") or "")))
    shown = Shown(prompt)
    objects = candidates(own)
    found = [one for one in objects if not _is_echo(one, shown, own)]
    given = _chosen(found, own, needs)
    if given is None and not found:
        given = _Given(labelled(_without(objects, own), shown), "text")
    why = _fault(given) if given else "several assessments that differ"
    if given and not why and _is_disowned(found, given, own, shown):
        why = "the object and the text behind it give different scores"
    if given and not why:
        beside = own if given.source == "text" else _without(objects, own).strip()
        given = given._replace(fields={**given.fields, "listed patterns": _PATTERNS["listed"].findall(beside)})
        return Reading(assessment=_assessed(given, _clipped(given.reasoning or beside)))
    if needs.get("heuristic") is True and is_accusing(own):
        kept = _clipped(own)
        return Reading(
            assessment=Assessment(truth=0.2, indeterminacy=0.5, falsehood=0.8, reasoning=kept, source="heuristic")
        )
    return Reading(why=why)


def unclear(reply: Answered) -> str | None:
    """Return the sentence with which a reply is asked for once more; ``None`` when its numbers were read.

    Numbers that were guessed by keywords are asked for too: they count only where the second reply has none either.
    """
    assessment = Reading.model_validate(reply.reading or {}).assessment
    return None if assessment and assessment.source != "heuristic" else _AGAIN


def _is_field(name: str) -> bool:
    return name_of_score(name) is not None or name == "reasoning"


def _is_echo(one: Candidate, shown: Shown, own: str) -> bool:
    lead = _PATTERNS["lead"].search(own, max(0, one.start - _BEFORE), one.start) or one.fields.get("model") == "peer"
    return one.has_numbers and (bool(lead) or shown.has_scores(one.scores)) and shown.has_words(one.reasoning)


def _chosen(found: Sequence[Candidate], own: str, needs: Mapping[str, JsonValue]) -> _Given | None:
    """Return the content of the objects; ``None`` without any, or if the intended one is unclear."""
    meant = [one for one in found if one.has_numbers] or found
    if not meant:
        return None
    if any(not _agree(one, meant[0]) for one in meant):
        meant = _reasoned(meant, own)
    if not meant:
        return None
    best = max(meant, key=lambda one: (one.is_whole, bool(one.reasoning)))
    is_all = needs.get("asked_with_schema") is True and (best.start, best.end) == (0, len(own))
    source: Source = ("schema" if is_all else "json") if best.is_plain else "repaired"
    return _Given(best.scores, source, best.fields, best.reasoning)


def _agree(one: Candidate, other: Candidate) -> bool:
    """Return whether the scores given by both are equal; a cut one gives fewer."""
    given = ((score, other.scores.get(name, score)) for name, score in one.scores.items())
    return all(score == others or None in (score, others) for score, others in given)


def _reasoned(differing: Sequence[Candidate], own: str) -> list[Candidate]:
    """Return the intended ones of differing objects: the one with reasoning, unless a later one revises it."""
    reasoned = [one for one in differing if one.reasoning]
    if not reasoned or any(not _agree(one, reasoned[0]) for one in reasoned):
        return []
    later = [one for one in differing if one.start > reasoned[-1].end]
    is_revised = any(_REVISED.search(own, max(reasoned[-1].end, one.start - _BEFORE), one.start) for one in later)
    return [] if is_revised else reasoned


def _is_disowned(found: Sequence[Candidate], given: _Given, own: str, shown: Shown) -> bool:
    """Return whether the text behind the last object states other scores, corrects one or takes all of them back."""
    behind = own[found[-1].end :] if found else own
    pairs = [two for one in _REVISED_SCORE.findall(behind) for two in zip(one[::2], one[1::2], strict=True) if two[0]]
    revised = {str(name_of_score(name)): float(score.replace(",", ".")) for name, score in pairs}
    is_revised = any(given.scores.get(name, score) != score for name, score in revised.items())
    if is_revised or _PATTERNS["taken_back"].search(behind):
        return True
    stated = labelled(behind, shown, only_lines=bool(given.reasoning or not found))
    if len(stated) < _PAIR:
        stated = labelled("\n".join(_PATTERNS["lone"].findall(behind)), shown, only_lines=True)
    return "falsehood" in stated and any(given.scores.get(name, score) != score for name, score in stated.items())


def _without(objects: Sequence[Candidate], own: str) -> str:
    kept, end = [], 0
    for one in objects:
        kept.append(own[end : one.start])
        end = max(end, one.end)
    return "\n".join([*kept, own[end:]])


def _fault(given: _Given) -> str:
    """Return the reason why ``given`` is no assessment; empty if it is one."""
    spoilt = [name for name in SCORES if given.scores.get(name, 0) is None]
    missing = [name for name in SCORES if name not in given.scores]
    if spoilt:
        return f"not one number from 0 to 1: {', '.join(spoilt)}"
    return f"not given: {', '.join(missing)}" if "falsehood" in missing or len(missing) >= _PAIR else ""


def _assessed(given: _Given, reasoning: str) -> Assessment:
    scores = {name: score for name, score in given.scores.items() if score is not None}
    falsehood = scores["falsehood"]
    return Assessment(
        truth=scores.get("truth", round(1 - falsehood, 6)),
        indeterminacy=scores.get("indeterminacy", 0.5),
        falsehood=falsehood,
        reasoning=reasoning,
        patterns=read_patterns(given.fields),
        source=given.source,
        assumed=tuple(name for name in SCORES if name not in scores),
        contradicted=contradiction(falsehood, reasoning),
    )


def _clipped(text: str) -> str:
    return storable(text)[:_REASONING]
