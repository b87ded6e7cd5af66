"""How the summariser's line and the synthesis are read.

Of several objects the last counts, as in a turn. A synthesis may also stand as prose, under the headers of its parts or
as one text; what is left of an object that cannot be read is none.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import islice

from pydantic import JsonValue

from protocols.debate.model.closing import FinalPosition, KeyEvidence, SummaryReading, SynthesisReading
from protocols.debate.replies.fields import LONG, MOST, SHORT, entries_of, ids_of, text_of, texts_of
from protocols.debate.replies.finals import stated_answer
from protocols.debate.replies.names import told_as
from protocols.objects import Found, Limits, read_objects, whole_object
from protocols.spoken import storable

_LIMITS = Limits(reach=12_000, marks=500)

_LINE = 500
"""Characters of the summariser's line."""
_FEW = 20
"""Words; as few are no synthesis."""

_SUMMARIES = ("executivesummary", "summary", "synthesis", "verdict")
_SYNTHESIS_KEYED = re.compile(
    r"[\"'“]?(?:executive[ _]?summary|summary|synthesis|verdict)[\"'”]?\s{0,9}:", re.IGNORECASE
)
_PART = re.compile(
    r"^[ \t#*_\d.)]{0,12}(?P<name>executive summary|summary|key evidence|final positions|dissent(?:ing views?)?)"
    r"[ \t*_]{0,4}(?::[ \t*_]{0,4}|$)",
    re.IGNORECASE | re.MULTILINE,
)
_PARTS = {"executivesummary": "executive_summary", "summary": "executive_summary", "keyevidence": "key_evidence"}
_NAMED = re.compile(r"[*_\"]{0,3}(?P<name>[^:\n]{1,80}?)[*_\"]{0,3}:[*_\"]{0,3}\s(?P<told>.+)", re.DOTALL)
_OF_EVIDENCE = re.compile(r"\W{0,4}E[1-9]\d{0,4}\W{1,4}")
_OBJECT = re.compile(r"\{\s{0,99}[\"'“]\w")
_FENCE = re.compile(r"^[ \t]{0,9}```[^\n]*$", re.MULTILINE)
_INTRODUCED = re.compile(r"[^\n]*:|[ \t]{0,9}#[^\n]*|\W*")


def read_summary(text: str, _needs: Mapping[str, JsonValue]) -> SummaryReading:
    """The summariser's line: the first that is no header, without marks around it, or the one of a whole object."""
    bound = whole_object(text)
    said = text_of(told_as(bound, "oneliner"), _LINE) if bound else _FENCE.sub("", storable(text))
    lines = [told for line in said.splitlines() if not _INTRODUCED.fullmatch(line) and (told := text_of(line, _LINE))]
    return SummaryReading(one_liner=" ".join(lines[0].strip(" -*•_\"“”'`").split()) if lines else "")


def read_synthesis(text: str, needs: Mapping[str, JsonValue]) -> SynthesisReading:
    """The synthesis of a debate; without a summary it says why."""
    said = storable(text)
    found = list(read_objects(said, _syntheses, lambda region: _SYNTHESIS_KEYED.search(region) is not None, _LIMITS))
    told = found[-1] if found else _synthesis_in_prose(said)
    return told.model_copy(
        update={"answer": stated_answer(needs, told.answer, f"{told.executive_summary}\n\n{said}", "")}
    )


def _syntheses(found: Found) -> Iterator[SynthesisReading]:
    for value in found.value if isinstance(found.value, list) else [found.value]:
        if isinstance(value, dict) and (told := _synthesis(value)).executive_summary:
            yield told


def _synthesis(told: Mapping[str, JsonValue]) -> SynthesisReading:
    inner = told_as(told, "synthesis")
    if isinstance(inner, dict):
        return _synthesis(inner)
    evidence = map(_evidence, entries_of([told_as(told, "keyevidence")]))
    positions = map(_position, entries_of([_by_name(told_as(told, "finalpositions"))]))
    return SynthesisReading(
        executive_summary=text_of(told_as(told, *_SUMMARIES)),
        key_evidence=tuple(islice((one for one in evidence if one.text), MOST)),
        final_positions=tuple(islice((stand for stand in positions if stand.position), MOST)),
        dissent=texts_of([*entries_of([told_as(told, "dissent", "dissentingviews")])]),
        answer=_answer(told_as(told, "answer", "finalanswer")),
    )


def _answer(value: JsonValue) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else text_of(value, SHORT)


def _evidence(entry: JsonValue) -> KeyEvidence:
    if isinstance(entry, dict):
        named, told = text_of(told_as(entry, "id"), SHORT), text_of(told_as(entry, "text", "evidence"), SHORT)
    else:
        told = text_of(entry, SHORT)
        opened = _OF_EVIDENCE.match(told)
        named, told = (opened[0], told[opened.end() :]) if opened else ("", told)
    return KeyEvidence(id=next(iter(ids_of(named, "E")), ""), text=told)


def _by_name(value: JsonValue) -> JsonValue:
    """``{"p1": "…", "p2": "…"}`` as a list."""
    if isinstance(value, dict) and told_as(value, "position") is None:
        return [{"agent": name, "position": told} for name, told in value.items()]
    return value


def _position(entry: JsonValue) -> FinalPosition:
    if isinstance(entry, dict):
        agent, told = told_as(entry, "agent", "name", "debater"), told_as(entry, "position", "text")
        return FinalPosition(agent=text_of(agent, SHORT), position=text_of(told, SHORT))
    named = _NAMED.match(text_of(entry, SHORT))
    return FinalPosition(agent=named["name"], position=named["told"]) if named else FinalPosition(agent="", position="")


def _synthesis_in_prose(said: str) -> SynthesisReading:
    if _OBJECT.search(said) or (len(said.split()) < _FEW and not _PART.search(said)):
        return SynthesisReading(why="no object with a summary, and no prose that is one")
    headers = list(_PART.finditer(said))
    ends = [*(header.start() for header in headers[1:]), len(said)]
    parts = {
        _PARTS.get(name := header["name"].lower().replace(" ", ""), name): said[header.end() : end].strip()
        for header, end in zip(headers, ends, strict=False)
    }
    told = _synthesis({**parts, "dissent": parts.get("dissent", parts.get("dissentingviews", ""))})
    return told if told.executive_summary else SynthesisReading(executive_summary=text_of(said, LONG))
