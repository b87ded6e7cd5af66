"""The requests after an unusable reply: one sentence for each stage, a list for broken citations."""

from collections.abc import Callable, Mapping, Sequence

from protocols.debate.model.history import SafetyVerdict
from protocols.debate.model.io import DebateInput
from protocols.debate.model.turn import TurnReading, Violation
from protocols.flaws import Flaw, is_cut
from protocols.further_calls import Unclear
from protocols.model_call import Answered
from protocols.tokens import clip

TURN = (
    "No {missing} can be read in your turn. Send the whole turn again, and nothing else: as the one JSON object that "
    'was asked for, with "position" (what you hold yourself, in one or two sentences), "confidence" (from 0 to 1) and '
    '"vote" (ACCEPT, MINOR or BLOCKER){answer}, or in sections headed Position, Confidence, Vote and Reasoning.'
)
SAFETY = (
    'Your judgement cannot be read. Reply with one JSON object and nothing else: {"clean": true or false, "withhold": '
    '[{"debater": "name", "rule": "…"}], "reason": "…"}.'
)
UNNAMED = (
    "Your judgement does not say whose turns may not be shown{unknown}. Reply with the one JSON object again: "
    "name each such debater exactly as listed above, or call the round clean and name none."
)
SUMMARY = "No summary can be read. Reply with one line that says what the round changed, and nothing else."
WHOLE = "No {missing} can be read. Send all of it again as the one JSON object that was asked for, and nothing else."
FINAL = 'final answer (the field "answer")'

_NAMED, _DETAIL = 10, 40
"""Violations that are named, and tokens of what each of them says."""


def unclear_turn(inp: DebateInput) -> Unclear:
    """Return the check of a debater's turn: unreadable fields, and on request broken citations.

    A second turn is clear with its position alone: it takes the place of one that could not be used.
    """

    def unclear(reply: Answered) -> str | None:
        missing, is_second = _missing_in(inp, reply), reply.call_id.endswith("-again")
        if missing.startswith("position") or (missing and not is_second):
            return TURN.format(missing=missing, answer=' and "answer" (the final answer alone)' if inp.answer else "")
        violations = () if is_second or not inp.reask else TurnReading.model_validate(reply.reading).violations
        return citation_request(inp, violations) if violations else None

    return unclear


def _missing_in(inp: DebateInput, turn: Answered) -> str:
    read = TurnReading.model_validate(turn.reading or {})
    given = {"position": read.position, "confidence": read.confidence, "vote": read.vote}
    given |= {"final answer": read.answer} if inp.answer else {}
    return " and no ".join(name for name, value in given.items() if value in ("", None))


def citation_request(inp: DebateInput, violations: Sequence[Violation]) -> str:
    """Return the request to mend ``violations`` and nothing else."""
    found = [(one.kind.replace("_", " "), clip(" ".join(one.detail.split()), _DETAIL)) for one in violations[:_NAMED]]
    listed = "\n".join(f"- {kind}" + (f": {detail}" if detail else "") for kind, detail in found)
    return inp.prompts.fill("again", {"violations": listed})


def _unclear_judgement(reply: Answered) -> str | None:
    if reply.reading is None:
        return SAFETY
    verdict = SafetyVerdict.model_validate(reply.reading)
    if not verdict.is_doubtful:
        return None
    listed = ", ".join(f'"{clip(" ".join(name.split()), _DETAIL)}"' for name in verdict.unknown[:_NAMED])
    return UNNAMED.format(unknown=f": {listed} is the name of no debater whose turn you judge" if listed else "")


def _missing(field: str, request: str) -> Callable[[Answered], str | None]:
    """Return the check that asks for a blank ``field`` of the reading."""
    return lambda reply: None if isinstance(reply.reading, dict) and reply.reading.get(field) else request


BESIDE: Mapping[str, Callable[[Answered], str | None]] = {
    "safety": _unclear_judgement,
    "summary": _missing("one_liner", SUMMARY),
    "synthesis": _missing("executive_summary", WHOLE.format(missing="executive summary")),
    "decision": _missing("decision", WHOLE.format(missing="decision")),
}
"""The rules for the roles beside the debaters, by stage; a reply counts if it follows its own."""

_UNREAD: Mapping[str, str] = {
    "safety": "no verdict that can be used, so turns that words point to are withheld",
    "summary": "no line could be read, so the round is summarised by rule",
    "synthesis": "no summary could be read",
    "decision": "no decision could be read",
}


def unclear_beside(inp: DebateInput, stage: str) -> Unclear:
    """Return the rule of ``stage`` for a first reply, final answer included; a second one is clear without it."""

    def unclear(reply: Answered) -> str | None:
        is_asked = not reply.call_id.endswith("-again") and _is_unanswered(inp, reply, stage)
        return BESIDE[stage](reply) or (WHOLE.format(missing=FINAL) if is_asked else None)

    return unclear


def unread_flaw(inp: DebateInput, reply: Answered, stage: str, round_number: int) -> Flaw | None:
    """Return the flaw of an unreadable reply, of a closing text without a final answer, or of a turn without a vote."""
    is_beside = stage in BESIDE
    missing = "final answer" if _is_unanswered(inp, reply, stage) else "" if is_beside else _missing_in(inp, reply)
    note = _UNREAD[stage] if is_beside and BESIDE[stage](reply) else missing and f"no {missing} could be read"
    if not note or missing.startswith("position") or (is_cut(reply) and not is_beside):
        return None
    return Flaw(kind="unread", stage=stage, round=round_number, participant=reply.participant, note=note)


def _is_unanswered(inp: DebateInput, reply: Answered, stage: str) -> bool:
    return inp.answer is not None and stage in ("synthesis", "decision") and bool(_missing("answer", FINAL)(reply))
