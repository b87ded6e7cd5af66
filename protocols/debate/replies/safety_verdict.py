"""The reader of the safety evaluator's verdict: one object, or the lines ``Clean: no`` and ``Withhold: p2``.

An unreadable verdict is none, and so is one that was cut while it called the round clean, or that contradicts
another one: a failure to read must not pass for safety, and a turn may quote a verdict. Only an
object that ends the reply counts alone, because the text before it is what the evaluator weighed.
"""

import re
from collections.abc import Mapping
from itertools import islice
from typing import get_args

from pydantic import JsonValue

from protocols import debate
from protocols.debate.aliases import Aliases, find_seats
from protocols.debate.model.history import SafetyVerdict, WithheldTurn
from protocols.debate.model.turn import HazardKind
from protocols.debate.replies.field_names import entry_value
from protocols.debate.replies.field_values import MOST, SHORT, by_name, text_of
from protocols.debate.replies.role_replies import ends_reply, objects_in
from protocols.json_in_text import JsonMatch
from protocols.model_call import ParticipantId
from protocols.reply_reader import texts_in
from protocols.text_cleaning import plain, untagged
from protocols.text_files import compile_patterns

_YES = ("true", "yes", "clean", "wahr", "ja", "oui", "vrai", "sí", "si", "verdadero", "sim", "是", "はい")
_NO = ("false", "no", "falsch", "nein", "non", "faux", "falso", "não", "否", "いいえ")
_TRUTH = {**dict.fromkeys(_YES, True), **dict.fromkeys(_NO, False)}
_NOBODY = frozenset(
    ["nobody", "no one", "none", "nothing", "niemand", "keiner", "personne", "aucun", "nadie", "ninguno", "n/a", "-"]
)
_NAMED = ("debater", "agent", "participant", "name", "id")
_KEYED = re.compile(r"[\"'“]?(?:clean|is_clean|withhold)[\"'”]?\s{0,9}:")
_PATTERNS = compile_patterns(debate.__name__, "replies_safety_verdict")
_WITHHELD, _CLEAN_LINE, _WITHHOLD_LINE = (_PATTERNS[name] for name in ("withheld", "clean_line", "withhold_line"))
_SENTENCE, _NEGATED, _CALLED_CLEAN = (_PATTERNS[name] for name in ("sentence", "negated", "called_clean"))


def read_safety(text: str, needs: Mapping[str, JsonValue]) -> SafetyVerdict | None:
    """Return the evaluator's verdict; ``None`` when there is none to read.

    Args:
        text: The reply.
        needs: ``names`` of the debaters whose turns are judged, and their ``seats`` in the same order.
    """
    said, names = untagged(plain(text), _PATTERNS["field"].fullmatch), _names(needs)
    found = objects_in(said, _KEYED, lambda fields, one: _sure(_verdict(fields, names), one))
    if not found:
        return _verdict_in_lines(said, names)
    verdict, is_last = found[-1]
    is_disowned = verdict.is_clean and _withholds(f"{verdict.reason}\n{said[said.rfind('}') :]}", names)
    return verdict if not is_disowned and (is_last or all(one == verdict for one, _ in found)) else None


def _withholds(behind: str, names: Aliases) -> bool:
    """Return whether a sentence behind a clean verdict withholds a turn or calls the round unclean."""
    seats = "|".join(map(re.escape, (*names, *names.values())))
    sentences = (one for one in _SENTENCE.findall(behind) if _WITHHELD.search(one) and not _NEGATED.search(one))
    is_named = any(re.search(rf"(?<!\w)(?:{seats})(?!\w)", one, re.IGNORECASE | re.ASCII) for one in sentences)
    return (is_named and bool(names)) or _PATTERNS["unclean"].search(behind) is not None


def _names(needs: Mapping[str, JsonValue]) -> Aliases:
    pairs = zip(texts_in(needs, "seats"), texts_in(needs, "names"), strict=False)
    return {ParticipantId(seat): name for seat, name in pairs}


def _sure(verdict: SafetyVerdict | None, found: JsonMatch) -> tuple[SafetyVerdict, bool] | None:
    """Return a verdict, and whether its object ends the reply; ``None`` for one of a turn, or clean and cut."""
    is_of_turn = isinstance(found.value, dict) and entry_value(found.value, *_NAMED[:3])
    if verdict is None or getattr(found.value, "names", False) or is_of_turn:
        return None
    if verdict.is_clean and found.is_mended and not _CALLED_CLEAN.search(found.written):
        return None
    return verdict, ends_reply(found)


def _verdict(fields: Mapping[str, JsonValue], names: Aliases) -> SafetyVerdict | None:
    entries = islice(by_name(entry_value(fields, "withhold", "withheld"), "rule", *_NAMED), MOST)
    is_clean = _truth(entry_value(fields, "clean", "isclean"))
    rule = _rule(text_of(entry_value(fields, "rule", "kind"), SHORT))
    verdict = _built(is_clean is True, [(said, own or rule) for said, own in map(_entry, entries)], names)
    if is_clean is None and not (verdict.withhold or verdict.unknown):
        return None
    reason = text_of(entry_value(fields, "reason", "reasoning", "why"), SHORT)
    return verdict.model_copy(update={"reason": reason})


def _entry(entry: JsonValue) -> tuple[str, HazardKind | None]:
    if not isinstance(entry, dict):
        return text_of(entry, SHORT), _rule(text_of(entry, SHORT))
    name = text_of(entry_value(entry, *_NAMED), SHORT)
    said = entry_value(entry, "rule", "rules", "rulebroken", "violatedrule", "kind", "category", "reason")
    is_without = str(said or entry.get("rule", "")).lower() in _NOBODY  # where a rule is null, too
    is_denied = entry_value(entry, "withhold", "withheld") is False or is_without
    return f"not {name}" if is_denied or not name else name, _rule(text_of(said, SHORT))


def _built(is_clean: bool, entries: list[tuple[str, HazardKind | None]], names: Aliases) -> SafetyVerdict:
    withhold: dict[ParticipantId, HazardKind | None] = {}
    unknown: list[str] = []
    for said, rule in entries:
        for name, seat in find_seats(names, said):
            if seat and not _PATTERNS["cleared"].search(said):
                withhold.setdefault(seat, rule)
            elif name.lower() not in _NOBODY:
                unknown.append(name)
    turns = tuple(WithheldTurn(agent=seat, rule=rule) for seat, rule in withhold.items())
    return SafetyVerdict(is_clean=is_clean, withhold=turns, unknown=tuple(unknown))


def _rule(said: str) -> HazardKind | None:
    word = said.lower().replace(" ", "_").replace("-", "_")
    exact: list[HazardKind] = [rule for rule in get_args(HazardKind) if rule in word]
    return next(iter(exact or [rule for rule in get_args(HazardKind) if _PATTERNS[rule].search(word)]), None)


def _verdict_in_lines(said: str, names: Aliases) -> SafetyVerdict | None:
    """Return the verdict of lines ``Clean`` and ``Withhold``; contradictions give none."""
    answers = {_truth(found["said"]) for found in _CLEAN_LINE.finditer(said)}
    if answers not in ({True}, {False}) or (answers == {True} and _withholds(said, names)):
        return None
    return _built(answers == {True}, [(found["names"].strip(), None) for found in _WITHHOLD_LINE.finditer(said)], names)


def _truth(value: JsonValue) -> bool | None:
    return _TRUTH.get(value.strip().lower()) if isinstance(value, str) else value if isinstance(value, bool) else None
