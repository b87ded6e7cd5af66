"""The readers of the summary line, the synthesis and the judge's decision: an object, or text under headings.

Of several objects with a synthesis the last counts, as in a turn. A reply that gives two different decisions, and says
of neither that it is the final one, decides nothing, and neither does a text without an object and without a heading
for the decision: the judge is asked once more.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import islice

from pydantic import JsonValue

from protocols import debate
from protocols.answer_text import is_retracted, own_words
from protocols.debate.model.closing import DecisionReading, FinalPosition, KeyEvidence, SummaryReading, SynthesisReading
from protocols.debate.model.reply_objects import DecisionReply, SynthesisReply
from protocols.debate.replies.field_names import entry_value, letters
from protocols.debate.replies.field_values import LONG, MOST, SHORT, by_name, confidence_of, ids_of, text_of, texts_of
from protocols.debate.replies.positions import last_meant
from protocols.debate.replies.role_replies import ends_reply, has_object, objects_in, parts_of, squeezed, stated_answer
from protocols.text_cleaning import plain, storable
from protocols.text_files import compile_patterns, read_toml

_LINE = 500
"""Characters of the summariser's line."""
_FEW = 20
"""Words; as few are no synthesis."""
_PARTS, _DECISION = (
    {field: tuple(names.split()) for field, names in table.items()}
    for table in read_toml(debate.__name__, "closing_names.toml").values()
)
"""Under which names a synthesis and a decision give what."""
_CONCLUDED = ("answer", "conclusion", "position")
"""Names under which an object gives its decision where it gives none as such."""
_DECISION_ASKED, _SUMMARY_ASKED = (
    letters((reply.model_fields[name].description or "").removeprefix("The "))
    for reply, name in ((DecisionReply, "decision"), (SynthesisReply, "executive_summary"))
)
"""What the formats say of their texts, with which an echo of them ends."""
_FINAL = ("final", "endgültige", "最终", "最終")

_SHOWN = ("text", "evidence", "description", "summary", "content", "whatitshows", "shows", "finding")
_AGENT = ("agent", "name", "debater")
_HELD = ("position", "finalposition", "stance", "view", "text")
_OF_EVIDENCE = re.compile(r"\W{0,4}E[1-9]\d{0,4}\W{1,4}")
_FENCE = re.compile(r"^[ \t]{0,9}```[^\n]*$", re.MULTILINE)
_LINE_KEYED = re.compile(r"[\"'“]?(?:one[ _]?liner|summary)[\"'”]?\s{0,9}:", re.IGNORECASE)
_PATTERNS = compile_patterns(debate.__name__, "replies_closing")
_SYNTHESIS_KEYED, _DECISION_KEYED, _NAMED = (_PATTERNS[it] for it in ("synthesis_keyed", "decision_keyed", "debater"))

_Fields = Mapping[str, JsonValue]


def read_summary(text: str, _needs: _Fields) -> SummaryReading:
    """Return the summary line: the first line that is no header, or the one of a whole object."""
    said = storable(text)
    bound = objects_in(said, _LINE_KEYED, lambda value, _: text_of(entry_value(value, "oneliner", "summary")) or None)
    said = bound[-1] if bound else "" if has_object(said) else _FENCE.sub("", said)
    named = (
        _PATTERNS["named"].sub("", line) for line in said.splitlines() if not _PATTERNS["introduced"].fullmatch(line)
    )
    texts = (one for line in named if (one := text_of(line, _LINE)) and not _is_none(one))
    lines = [one for one in texts if not _PATTERNS["unprovided"].search(one)]
    return SummaryReading(one_liner=" ".join(lines[0].strip(" >-*•_\"“”'`").split()) if lines else "")


def read_synthesis(text: str, needs: _Fields) -> SynthesisReading:
    """Return the synthesis of a debate; one without a summary has the reason in ``why``."""
    said = storable(text)
    found = objects_in(said, _SYNTHESIS_KEYED, lambda value, _: value if _summary(value) else None)
    echoed = bool(found) and letters(_summary(found[-1])) == _SUMMARY_ASKED
    closing = None if echoed else found[-1] if found else _in_prose(said)
    if closing is None:
        return SynthesisReading(why="no object with a summary, and no prose that is one")
    evidence = map(_evidence, by_name(entry_value(closing, "keyevidence"), *_SHOWN))
    positions = map(_position, by_name(entry_value(closing, "finalpositions"), *_HELD))
    return SynthesisReading(
        executive_summary=_summary(closing),
        key_evidence=tuple(islice((one for one in evidence if one.text), MOST)),
        final_positions=tuple(islice((one for one in positions if one.position), MOST)),
        dissent=texts_of([entry_value(closing, "dissent", "dissentingviews")]),
        answer=stated_answer(
            needs, entry_value(closing, "answer", "finalanswer"), f"{_summary(closing)}\n\n{said}", ""
        ),
    )


def _summary(fields: _Fields) -> str:
    """Return the summary of an object; blank where an object in it has one."""
    given = entry_value(fields, "executivesummary", "summary", "synthesis", "verdict")
    said = "" if isinstance(given, dict) and _summary(given) else text_of(given)
    return "" if _PATTERNS["elsewhere"].match(said) else said


def _is_none(said: str) -> bool:
    """Return whether it decides nothing, or points to another place."""
    return any(_PATTERNS[name].match(said) for name in ("undecided", "elsewhere"))


def _in_prose(said: str) -> _Fields | None:
    parts = {part.field: part.text for part in parts_of(said, _PARTS)}
    if has_object(said) or (not parts and (len(said.split()) < _FEW or _PATTERNS["unprovided"].search(said[:LONG]))):
        return None
    return parts if parts.get("executive_summary") else {"executive_summary": text_of(said, LONG)}


def _evidence(entry: JsonValue) -> KeyEvidence:
    if isinstance(entry, dict):
        named, text = (text_of(entry_value(entry, *names), SHORT) for names in (("id", "evidenceid", "name"), _SHOWN))
    else:
        text = text_of(entry, SHORT)
        opened = _OF_EVIDENCE.match(text)
        named, text = (opened[0], text[opened.end() :].strip()) if opened else ("", text)
    return KeyEvidence(id=next(iter(ids_of(named, "E")), ""), text=text)


def _position(entry: JsonValue) -> FinalPosition:
    if isinstance(entry, dict):
        agent, position = (text_of(entry_value(entry, *names), SHORT) for names in (_AGENT, _HELD))
        return FinalPosition(agent=agent, position=position)
    named = _NAMED.match(text_of(entry, SHORT))
    return FinalPosition(agent=named["name"], position=named["told"]) if named else FinalPosition(agent="", position="")


def read_decision(text: str, needs: _Fields) -> DecisionReading:
    """Return the judge's decision; one without a decision has the reason in ``why``.

    ``needs["shown"]`` is the text that the judge was shown; an object in it is a quotation and no decision.
    """
    own, shown = own_words(plain(text)), squeezed(plain(str(needs.get("shown") or "")))
    found = objects_in(
        own,
        _DECISION_KEYED,
        lambda value, one: (
            (fields, one) if squeezed(one.written) not in shown and (fields := _decided(value)) else None
        ),
    )
    if not found and has_object(own):
        return DecisionReading(why="the object gives no decision, or is cut or broken")
    behind = found[-1][1].text[found[-1][1].end :] if found else own
    several = [*(fields for fields, _ in found), *_decided_in_prose(behind)]
    is_last = bool(found) and ends_reply(found[-1][1])
    is_one = len({letters(text_of(fields["decision"])) for fields in several}) == 1
    chosen = several[len(found) - 1] if is_one or is_last else {}
    decision = last_meant(text_of(chosen.get("decision")) or text_of(chosen.get("answer")))
    is_echoed = letters(decision).endswith(_DECISION_ASKED)
    after = behind if found else own.partition(decision or "\n")[2]
    written = found[-1][1].written if found and found[-1][1].is_mended else None
    if not letters(decision) or is_echoed or _is_none(decision) or is_retracted(after, (), decision):
        return DecisionReading(why="no decision is given, or two different ones, or one that is taken back")
    return DecisionReading(
        decision=decision,
        reasons=texts_of([chosen.get("reasons")]),
        confidence=confidence_of(chosen.get("confidence"), written),
        answer=stated_answer(needs, chosen.get("answer"), f"{decision}\n\n{own}", decision),
        would_change=texts_of([chosen.get("would_change")]),
    )


def _decided(value: _Fields) -> _Fields | None:
    """Return the fields of an object; ``None`` without a decision."""
    fields = {field: entry_value(value, *map(letters, names)) for field, names in _DECISION.items()}
    concluded = entry_value(value, *_CONCLUDED) if fields["reasons"] is not None else None
    decision = concluded if fields["decision"] is None else fields["decision"]
    if isinstance(decision, dict):
        inner = _decided(decision)
        return inner and {**fields, **{field: one for field, one in inner.items() if one is not None}}
    return None if decision is None else {**fields, "decision": decision}


def _decided_in_prose(own: str) -> Iterator[_Fields]:
    """Yield the fields under headings; a second decision begins a new one unless only one is called final."""
    parts = parts_of(own, _DECISION)
    decisions = [part for part in parts if part.field == "decision" and part.text]
    others: dict[str, JsonValue] = {part.field: part.text for part in parts if part.field != "decision"}
    given = [part.text for part in parts if part.field == "confidence"]
    shares = {confidence_of(text) for text in given if not (own.endswith(text) and len(text.strip(".,")) == 1)}
    others["confidence"] = shares.pop() if len(shares) == 1 else None
    for part in [one for one in decisions if one.name.casefold().startswith(_FINAL)] or decisions:
        first, rest = [*re.split(r"\n\s*\n", part.text, maxsplit=1), ""][:2]
        yield {"reasons": rest.strip(), **others, "decision": " ".join(first.split())[:LONG]}
