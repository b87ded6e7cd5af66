"""The readers of the summary line, the synthesis and the judge's decision: an object, or text under headings.

Of several objects with a synthesis the last counts, as in a turn. A reply that gives two different decisions, and says
of neither that it is the final one, decides nothing, and neither does a text without an object and without a heading
for the decision: the judge is asked once more.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import islice

from pydantic import JsonValue

from protocols.answer_text import own_words
from protocols.debate.model.closing import DecisionReading, FinalPosition, KeyEvidence, SummaryReading, SynthesisReading
from protocols.debate.model.reply_objects import DecisionReply
from protocols.debate.replies.field_names import entry_value, letters
from protocols.debate.replies.field_values import (
    LONG,
    MOST,
    SHORT,
    confidence_of,
    entries_of,
    ids_of,
    text_of,
    texts_of,
)
from protocols.debate.replies.role_replies import ends_reply, has_object, objects_in, parts_of, stated_answer
from protocols.json_in_text import whole_object
from protocols.text_cleaning import storable

_LINE = 500
"""Characters of the summariser's line."""
_FEW = 20
"""Words; as few are no synthesis."""
_DEPTH = 3
"""How deep in objects a decision may lie."""

_PARTS: Mapping[str, tuple[str, ...]] = {
    "executive_summary": ("executive summary", "summary"),
    "key_evidence": ("key evidence",),
    "final_positions": ("final positions",),
    "dissent": ("dissent", "dissenting views", "dissenting view"),
}
"""Under which names a synthesis gives what, in an object and as headings."""

_DECISION: Mapping[str, tuple[str, ...]] = {
    "decision": (
        *("final decision", "final verdict", "final ruling", "decision", "the decision", "my decision", "ruling"),
        *("verdict", "judgment", "judgement", "my verdict", "endgültige entscheidung", "entscheidung", "urteil"),
        *("décision finale", "décision", "jugement", "decisión final", "decisión", "fallo", "veredicto"),
        *("最终决定", "决定", "裁决", "结论", "判决", "最終判断", "決定", "判断", "結論"),
    ),
    "reasons": (
        *("reasons", "reason", "reasoning", "rationale", "justification", "grounds", "why", "begründung", "gründe"),
        *("raisons", "motifs", "razones", "motivos", "fundamentos", "理由", "原因", "根拠"),
    ),
    "confidence": (
        *("confidence", "confidence level", "konfidenz", "sicherheit", "confiance", "confianza", "信心", "確信度"),
        *("zuversicht", "置信度", "信頼度"),
    ),
    "would_change": (
        *("would change", "what would change it", "what would change this decision", "what would change my mind"),
        *("what would change my decision", "was meine entscheidung ändern würde", "ce qui la changerait"),
        *("what would change the decision", "would change the decision", "was die entscheidung ändern würde"),
        *("was sie ändern würde", "ce qui changerait la décision", "qué la cambiaría", "什么会改变决定", "変わる条件"),
    ),
    "answer": ("final answer", "answer", "antwort", "réponse", "respuesta", "答案", "最終回答"),
}
"""Under which names a decision gives what, in an object and as headings; the first that an object has counts."""
_CONCLUDED = ("answer", "conclusion", "position")
"""Names under which an object gives its decision where it gives none as such."""
_ASKED_FOR = letters(DecisionReply.model_fields["decision"].description or "")
"""What the format says of a decision, which an echo of it gives as one."""
_FINAL = ("final", "endgültige", "最终", "最終")

_SYNTHESIS_KEYED = re.compile(
    r"[\"'“]?(?:executive[ _]?summary|summary|synthesis|verdict)[\"'”]?\s{0,9}:", re.IGNORECASE
)
_DECISION_KEYED = re.compile(r"[\"'“]?(?:decision|verdict|ruling|entscheidung|urteil)[\"'”]?\s{0,9}:", re.IGNORECASE)
_NAMED = re.compile(r"[*_\"]{0,3}(?P<name>[^:\n]{1,80}?)[*_\"]{0,3}:[*_\"]{0,3}\s(?P<told>.+)", re.DOTALL)
_OF_EVIDENCE = re.compile(r"\W{0,4}E[1-9]\d{0,4}\W{1,4}")
_FENCE = re.compile(r"^[ \t]{0,9}```[^\n]*$", re.MULTILINE)
_INTRODUCED = re.compile(r"[^\n]*:|[ \t]{0,9}#[^\n]*|\W*")

_Fields = Mapping[str, JsonValue]


def read_summary(text: str, _needs: _Fields) -> SummaryReading:
    """Return the summary line: the first line that is no header, or the one of a whole object."""
    bound = whole_object(text)
    said = text_of(entry_value(bound, "oneliner"), _LINE) if bound else _FENCE.sub("", storable(text))
    lines = [
        sentence for line in said.splitlines() if not _INTRODUCED.fullmatch(line) and (sentence := text_of(line, _LINE))
    ]
    return SummaryReading(one_liner=" ".join(lines[0].strip(" -*•_\"“”'`").split()) if lines else "")


def read_synthesis(text: str, needs: _Fields) -> SynthesisReading:
    """Return the synthesis of a debate; one without a summary has the reason in ``why``."""
    said = storable(text)
    found = [fields for fields in objects_in(said, _SYNTHESIS_KEYED, _summed_up) if _summary(fields)]
    closing = found[-1] if found else _in_prose(said)
    if closing is None:
        return SynthesisReading(why="no object with a summary, and no prose that is one")
    evidence = map(_evidence, entries_of([entry_value(closing, "keyevidence")]))
    positions = map(_position, entries_of([_by_name(entry_value(closing, "finalpositions"))]))
    return SynthesisReading(
        executive_summary=_summary(closing),
        key_evidence=tuple(islice((one for one in evidence if one.text), MOST)),
        final_positions=tuple(islice((one for one in positions if one.position), MOST)),
        dissent=texts_of([entry_value(closing, "dissent", "dissentingviews")]),
        answer=stated_answer(
            needs, entry_value(closing, "answer", "finalanswer"), f"{_summary(closing)}\n\n{said}", ""
        ),
    )


def _summed_up(value: Mapping[str, JsonValue], _found: object = None) -> _Fields:
    inner = entry_value(value, "synthesis")
    return _summed_up(inner) if isinstance(inner, dict) else value


def _summary(fields: _Fields) -> str:
    return text_of(entry_value(fields, "executivesummary", "summary", "synthesis", "verdict"))


def _in_prose(said: str) -> _Fields | None:
    parts = {part.field: part.text for part in parts_of(said, _PARTS)}
    if has_object(said) or (len(said.split()) < _FEW and not parts):
        return None
    return parts if parts.get("executive_summary") else {"executive_summary": text_of(said, LONG)}


def _evidence(entry: JsonValue) -> KeyEvidence:
    if isinstance(entry, dict):
        named, text = text_of(entry_value(entry, "id"), SHORT), text_of(entry_value(entry, "text", "evidence"), SHORT)
    else:
        text = text_of(entry, SHORT)
        opened = _OF_EVIDENCE.match(text)
        named, text = (opened[0], text[opened.end() :]) if opened else ("", text)
    return KeyEvidence(id=next(iter(ids_of(named, "E")), ""), text=text)


def _by_name(value: JsonValue) -> JsonValue:
    """Return ``{"p1": "…", "p2": "…"}`` as a list."""
    if isinstance(value, dict) and entry_value(value, "position") is None:
        return [{"agent": name, "position": position} for name, position in value.items()]
    return value


def _position(entry: JsonValue) -> FinalPosition:
    if isinstance(entry, dict):
        agent, position = entry_value(entry, "agent", "name", "debater"), entry_value(entry, "position", "text")
        return FinalPosition(agent=text_of(agent, SHORT), position=text_of(position, SHORT))
    named = _NAMED.match(text_of(entry, SHORT))
    return FinalPosition(agent=named["name"], position=named["told"]) if named else FinalPosition(agent="", position="")


def read_decision(text: str, needs: _Fields) -> DecisionReading:
    """Return the judge's decision; one without a decision has the reason in ``why``.

    ``needs["shown"]`` is the text that the judge was shown; an object in it is a quotation and no decision.
    """
    own, shown = own_words(text), str(needs.get("shown") or "")
    found = objects_in(
        own,
        _DECISION_KEYED,
        lambda value, one: (fields, one) if one.written not in shown and (fields := _decided(value)) else None,
    )
    if not found and has_object(own):
        return DecisionReading(why="the object gives no decision, or is cut or broken")
    several = [fields for fields, _ in found] or list(_decided_in_prose(own))
    is_last = bool(found) and ends_reply(found[-1][1])
    is_one = len({letters(text_of(fields["decision"])) for fields in several}) == 1
    chosen = several[-1] if is_one or is_last else {}
    decision = text_of(chosen.get("decision")) or text_of(chosen.get("answer"))
    if letters(decision) in ("", _ASKED_FOR):
        return DecisionReading(why="no decision is given, or two different ones")
    return DecisionReading(
        decision=decision,
        reasons=texts_of([chosen.get("reasons")]),
        confidence=confidence_of(chosen.get("confidence")),
        answer=stated_answer(needs, chosen.get("answer"), f"{decision}\n\n{own}", decision),
        would_change=texts_of([chosen.get("would_change")]),
    )


def _decided(value: _Fields, depth: int = _DEPTH) -> _Fields | None:
    """Return the fields of an object; ``None`` without a decision, also in nested objects."""
    fields = {field: entry_value(value, *map(letters, names)) for field, names in _DECISION.items()}
    if fields["decision"] is not None and not isinstance(fields["decision"], dict):
        return fields
    inner = (one for one in value.values() if isinstance(one, dict) and depth)
    deeper = next((found for one in inner if (found := _decided(one, depth - 1))), None)
    if deeper is not None:
        return {**fields, **{field: one for field, one in deeper.items() if one is not None}}
    concluded = entry_value(value, *_CONCLUDED) if fields["reasons"] is not None else None
    return None if concluded is None else {**fields, "decision": concluded}


def _decided_in_prose(own: str) -> Iterator[_Fields]:
    """Yield the fields under headings; a second decision begins a new one unless only one is called final."""
    parts = parts_of(own, _DECISION)
    decisions = [part for part in parts if part.field == "decision" and part.text]
    others: dict[str, JsonValue] = {part.field: part.text for part in parts if part.field != "decision"}
    for part in [one for one in decisions if one.name.casefold().startswith(_FINAL)] or decisions:
        first, _, rest = part.text.partition("\n\n")
        yield {"reasons": rest.strip(), **others, "decision": " ".join(first.split())[:LONG]}
