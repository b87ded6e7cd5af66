"""How the judge's decision is read: one object, or sections under headings in any of the languages that judges write.

A text without an object and without a heading for the decision is none, and neither is one that gives two different
decisions and says of neither that it is the final one: the judge is asked once more.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import partial

from pydantic import JsonValue

from protocols.answer_text import own_words
from protocols.debate.model.closing import DecisionReading
from protocols.debate.replies.fields import LONG, confidence_of, entries_of, text_of, texts_of
from protocols.debate.replies.finals import stated_answer
from protocols.objects import Found, Limits, read_objects

_LIMITS = Limits(reach=12_000, marks=500)
_DEPTH = 3
"""How deep in objects a decision may lie."""

_NAMES: Mapping[str, tuple[str, ...]] = {
    "decision": (
        *("final decision", "final verdict", "final ruling", "decision", "the decision", "my decision", "ruling"),
        *("verdict", "judgment", "judgement", "my verdict", "entscheidung", "urteil", "endgültige entscheidung"),
        *("décision", "décision finale", "jugement", "decisión", "decisión final", "fallo", "veredicto"),
        *("决定", "裁决", "结论", "判决", "最终决定", "決定", "判断", "結論", "最終判断"),
    ),
    "reasons": (
        *("reasons", "reason", "reasoning", "rationale", "justification", "grounds", "why", "begründung", "gründe"),
        *("raisons", "motifs", "justification", "razones", "motivos", "fundamentos", "理由", "原因", "根拠"),
    ),
    "confidence": (
        "confidence",
        "confidence level",
        "konfidenz",
        "sicherheit",
        "confiance",
        "confianza",
        "信心",
        "確信度",
    ),
    "would_change": (
        *("would change", "what would change it", "what would change this decision", "what would change my mind"),
        *("what would change the decision", "would change the decision", "was die entscheidung ändern würde"),
        *("was sie ändern würde", "ce qui changerait la décision", "qué la cambiaría", "什么会改变决定", "変わる条件"),
    ),
    "answer": ("answer", "final answer", "antwort", "réponse", "respuesta", "答案", "最終回答"),
}
"""Under which names a decision gives what, in an object and as headings."""

_UNCONCLUDED = ("answer", "conclusion", "position")
"""Names under which an object gives its decision where it gives none as such."""

_FINAL = ("final", "endgültige", "最终", "最終")


def _plain(name: str) -> str:
    """``name`` as names are compared: without accents, blanks, marks and capitals."""
    whole = unicodedata.normalize("NFKD", name[:80]).casefold()
    return "".join(letter for letter in whole if letter.isalnum())


_FIELDS = {_plain(name): field for field, names in _NAMES.items() for name in names}
_HEADING = re.compile(
    r"^[ \t]{0,9}(?:#{1,6}[ \t]{1,9}|\d{1,2}[.)][ \t]{1,9}|[-•][ \t]{1,9})?[*_]{0,3}"
    r"(?P<name>[^\W\d_][^\n:：*_#]{0,50}?)[*_]{0,3}[ \t]{0,9}(?:(?P<colon>[:：])[*_]{0,3}|$)",
    re.MULTILINE,
)
_KEYED = re.compile(r"[\"'“]?(?:decision|verdict|ruling|entscheidung|urteil)[\"'”]?\s{0,9}:", re.IGNORECASE)
_OBJECT = re.compile(r"\{\s{0,99}[\"'“]\w")
_EDGES = ' \t\n*_"“”'


def read_decision(text: str, needs: Mapping[str, JsonValue]) -> DecisionReading:
    """Return the judge's decision; without one the reading says why.

    ``needs["shown"]`` is what the judge was shown: an object that stands in it is quoted and decides nothing.
    """
    own, shown = own_words(text), str(needs.get("shown") or "")
    found = list(
        read_objects(own, partial(_decisions, shown), lambda region: _KEYED.search(region) is not None, _LIMITS)
    )
    if found:
        told, is_sure = _chosen([fields for fields, _ in found]), _ends(own, found[-1][1])
        fields = told or (found[-1][0] if is_sure else {})
    elif _OBJECT.search(own):
        return DecisionReading(why="the object is cut or broken, and gives no decision")
    else:
        fields = _chosen(list(_sections(own))) or {}
    decision = text_of(fields.get("decision")) or text_of(fields.get("answer"))
    if not decision:
        return DecisionReading(why="no decision is given, or two different ones")
    return DecisionReading(
        decision=decision,
        reasons=texts_of([*entries_of([fields.get("reasons")])]),
        confidence=confidence_of(fields.get("confidence")),
        answer=stated_answer(needs, fields.get("answer"), f"{decision}\n\n{own}", decision),
        would_change=texts_of([*entries_of([fields.get("would_change")])]),
    )


_Fields = Mapping[str, JsonValue]


def _decisions(shown: str, found: Found) -> Iterator[tuple[_Fields, int]]:
    if found.written in shown:
        return
    for value in found.value if isinstance(found.value, list) else [found.value]:
        if isinstance(value, dict) and (fields := _given(value)):
            yield fields, found.end


def _given(value: Mapping[str, JsonValue], depth: int = _DEPTH) -> _Fields | None:
    """What an object gives, by field; ``None`` without a decision, which may lie in an object of its own."""
    inner = [one for one in value.values() if isinstance(one, dict)]
    told = {field: one for name, one in value.items() if (field := _FIELDS.get(_plain(name)))}
    if isinstance(told.get("decision"), dict):
        del told["decision"]
    if "decision" not in told:
        deeper = next((found for one in inner if depth and (found := _given(one, depth - 1))), None)
        if deeper is not None:
            return {**told, **deeper}
        named = (one for name, one in value.items() if _plain(name) in _UNCONCLUDED and "reasons" in told)
        if (decision := next(named, None)) is None:
            return None
        told["decision"] = decision
    return told


def _chosen(found: list[_Fields]) -> _Fields | None:
    """The decision of all that were found where they are one; ``None`` where they differ."""
    told = {_plain(text_of(fields.get("decision"))) for fields in found}
    return found[-1] if len(told) == 1 else None


def _ends(own: str, end: int) -> bool:
    """Whether nothing is said behind ``end``: what stands last, after others, is what was concluded."""
    return not own[end:].strip("`} \t\n*_")


def _sections(own: str) -> Iterator[_Fields]:
    """What stands under headings; another decision begins anew unless only one of them is called final."""
    headings = [one for one in _HEADING.finditer(own) if _plain(one["name"]) in _FIELDS and _is_heading(one)]
    ends = [*(one.start() for one in headings[1:]), len(own)]
    told: list[tuple[str, str, str]] = []
    for one, end in zip(headings, ends, strict=False):
        told.append((_FIELDS[_plain(one["name"])], one["name"], own[one.end() : end].strip(_EDGES)))
    decisions = [(name, text) for field, name, text in told if field == "decision" and text]
    final = [pair for pair in decisions if pair[0].casefold().startswith(_FINAL)]
    others: dict[str, JsonValue] = {field: text for field, _, text in told if field != "decision"}
    for _, text in final or decisions:
        first, _, rest = text.partition("\n\n")
        yield {"reasons": rest.strip(), **others, "decision": " ".join(first.split())[:LONG]}


def _is_heading(found: re.Match[str]) -> bool:
    """Whether it has a colon behind it or is marked as a heading of its own line."""
    return found["colon"] is not None or found[0].lstrip().startswith(("#", "*", "_"))
