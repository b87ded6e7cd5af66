"""The result of a debate, its rows for screens, and its state for the next run.

Where no synthesiser closed it, the debate is closed by rule (``rules.summaries``).
"""

from collections.abc import Mapping
from typing import Literal, NamedTuple, TypeVar

from protocols.debate.aliases import Aliases
from protocols.debate.model.closing import JudgeDecision, Synthesis
from protocols.debate.model.context import ContextUse
from protocols.debate.model.history import Approval, CompletedRound, DebateHistory, Motion, SafetyTrigger
from protocols.debate.model.io import FEWEST, JUDGE, SYNTHESISER, DebateInput, DebateResult, StopReason
from protocols.debate.model.turn import AgentResponse
from protocols.debate.modes import MODES
from protocols.debate.rules.measures import has_failed
from protocols.debate.rules.safety import blocked_reason, withheld_turns
from protocols.debate.rules.summaries import figures, last_turns, synthesise_by_rule
from protocols.deliberation import Ending, describe_failure
from protocols.flaws import Flaw, is_cut
from protocols.model_call import Answered, FrozenModel, ModelId
from protocols.panel import name_of
from protocols.plurals import counted
from protocols.transcript import Turn

_FAILED: frozenset[StopReason] = frozenset({"participant_lost", "debate_too_small", "safety_blocked"})
_NO_VERDICT = _FAILED | {"cancelled", "not_approved"}
_BROKEN_OFF = _FAILED | {"stopped", "budget", "cancelled"}
_AGREED: frozenset[StopReason] = frozenset({"consensus", "accepted"})

SYNTHESIS, DECISION = "synthesis", "decision"

ClosingText = TypeVar("ClosingText", bound=FrozenModel)

_LISTED = 4
"""Withheld turns that are listed."""

_IN_THE_LEDGER = {
    **dict.fromkeys(("reasoning", "confidence_reason", "steelman", "uncertainty"), ""),
    **dict.fromkeys(("claims", "references", "concerns", "alternatives", "risks"), ()),
}
"""What a turn need not hold any more when its round is not shown in full."""


class DebateRecord(NamedTuple):
    """The record from which a debate's result is built."""

    course: DebateHistory
    names: Aliases
    synthesis: Synthesis | None = None
    """By a model, if one of them wrote it."""
    decision: JudgeDecision | None = None
    approval: Approval | None = None
    remark: str = ""
    synthesis_turn: Turn | None = None


def build_result(inp: DebateInput, record: DebateRecord, ending: Ending[StopReason]) -> DebateResult:
    """Return the result of a debate, with what was found before it broke off."""
    stop_reason = ending.stop_reason
    course, synthesis = record.course, _synthesis(inp, record, stop_reason)
    answer, answered_by = _answer(record) if stop_reason not in _NO_VERDICT else (None, None)
    is_anonymous = MODES[inp.mode].is_anonymous
    return DebateResult(
        mode=inp.mode,
        verdict=synthesis.executive_summary if synthesis and stop_reason not in _NO_VERDICT else None,
        synthesis=synthesis,
        decision=record.decision,
        remark=record.remark,
        consensus_reached=stop_reason in _AGREED,
        accepted_motion=_accepted(course, stop_reason),
        answer=answer,
        answered_by=answered_by,
        is_flagged=_is_flagged(record, stop_reason),
        rounds=course.rounds,
        state=course.state,
        labels={name: seat for seat, name in record.names.items()} if is_anonymous else {},
        escalations=course.escalations,
        approval=record.approval,
        safety_triggers=_triggers(course),
        synthesis_turn=record.synthesis_turn,
        partial=stop_reason in _BROKEN_OFF or (synthesis is not None and synthesis.is_cut),
        **ending.fields(inp, course.failed, _flaws(record)),
    )


def failure_message(result: DebateResult) -> str | None:
    """Return the one clear message of a debate that failed, or ``None`` when it did not."""
    debaters = len(result.state.participants)
    left = debaters - sum(one.is_lost for one in result.state.agent_status)
    ended = f"the debate is too small to continue: {left} of {debaters} debaters are left"
    if left >= FEWEST and result.rounds:
        ended = f"no debater had a turn that can be used in round {result.rounds[-1].number}"
    reasons: Mapping[StopReason, str] = {
        "participant_lost": "STRICT mode, and a participant was lost",
        "debate_too_small": ended,
    }
    if result.stop_reason == "safety_blocked":
        return _blocked(result)[:1000]
    return describe_failure(result, reasons)


def closing_text(kind: type[ClosingText], reply: Answered, written_by: str) -> ClosingText:
    """Return the synthesis or the decision in ``reply``, with its author."""
    read = reply.reading if isinstance(reply.reading, dict) else {}
    return kind.model_validate({**read, "written_by": written_by, "model": reply.model, "is_cut": is_cut(reply)})


def standing(course: DebateHistory) -> list[tuple[str, str]]:
    """Return the figures of the last round, its context, and the measures for dissent and safety."""
    if not course.rounds:
        return []
    last = course.rounds[-1]
    facts = counted(last.measures.new_facts, "new fact")
    return [
        ("last round", f"{figures(last)}, {facts}"),
        *([("no consensus", last.lacking)] if last.lacking else []),
        ("context", shown_in(last.context)),
        ("groupthink", _doubts(course, last)),
        ("safety", _watch(course)),
    ]


def shown_in(use: ContextUse) -> str:
    """Return how long the longest prompt of a round was, and what of it was not shown whole."""
    given = f" and {use.material:,} of material" if use.material else ""
    cut = (
        (use.claims_shortened, "claim", "shortened"),
        (use.claims_by_id, "claim", "by id alone"),
        (use.turns_shortened, "turn", "shortened"),
    )
    return "; ".join((f"{use.total:,} tokens{given}", *(f"{counted(n, noun)} {how}" for n, noun, how in cut if n)))


def trimmed(course: DebateHistory) -> DebateHistory:
    """Return the history for the next run, with the last round alone in full.

    Of older ones positions, votes, confidences and the touched claims are kept; the replies themselves
    are in the ledger.
    """
    older = tuple(
        completed.model_copy(update={"turns": tuple(map(_trimmed, completed.turns))})
        for completed in course.rounds[:-1]
    )
    return course.model_copy(update={"rounds": (*older, *course.rounds[-1:])})


def _synthesis(inp: DebateInput, record: DebateRecord, stop_reason: StopReason) -> Synthesis | None:
    """Return the synthesis; ``None`` without an approval and in a debate without turns."""
    if stop_reason == "not_approved" or not last_turns(record.course):
        return None
    return record.synthesis or synthesise_by_rule(inp, record.course, record.names)


def _accepted(course: DebateHistory, stop_reason: StopReason) -> Motion | None:
    if stop_reason not in _AGREED or not course.rounds:
        return None
    return course.rounds[-1].motion or (course.motion if stop_reason == "accepted" else None)


def _answer(record: DebateRecord) -> tuple[str | None, Literal["judge", "synthesiser", "majority"] | None]:
    if record.decision is not None and record.decision.answer is not None:
        return record.decision.answer, "judge"
    if record.synthesis is not None and record.synthesis.answer is not None:
        return record.synthesis.answer, "synthesiser"
    last = record.course.rounds[-1].majority if record.course.rounds else None
    return last, None if last is None else "majority"


def _flaws(record: DebateRecord) -> tuple[Flaw, ...]:
    """Return a flaw for each text at the end that another model than the one seated there wrote."""
    closing = ((DECISION, JUDGE, record.decision), (SYNTHESIS, SYNTHESISER, record.synthesis))
    return tuple(
        Flaw(
            kind="fallback_chair",
            stage=stage,
            participant=seat,
            note=f"the {stage} is by {name_of(ModelId(written.model or ''))}",
        )
        for stage, seat, written in closing
        if written is not None and written.written_by == "fallback"
    )


def _is_flagged(record: DebateRecord, stop_reason: StopReason) -> bool:
    nobody_came = record.approval is not None and record.approval.outcome == "timed_out"
    watched = [
        completed.safety
        for completed in record.course.rounds
        if completed.safety.is_active or completed.safety.judgements
    ]
    is_doubted = bool(watched) and not watched[-1].is_clean
    return nobody_came or is_doubted or stop_reason in {"escalation_timed_out", "safety_blocked"}


def _triggers(course: DebateHistory) -> tuple[SafetyTrigger, ...]:
    return tuple(dict.fromkeys(trigger for completed in course.rounds for trigger in completed.safety.triggers))


def _blocked(result: DebateResult) -> str:
    if not result.rounds or not result.rounds[-1].turns:
        return "no turn may be shown"
    return (
        f"{blocked_reason(result.rounds[-1])}. Hold it again with another evaluator (parley debate --evaluator MODEL), "
        f"or release a turn while it waits: parley release {result.deliberation_id} {result.rounds[-1].turns[0].agent}"
    )


def _doubts(course: DebateHistory, last: CompletedRound) -> str:
    if last.fired:
        return f"{' and '.join(last.fired)}: an objection round follows".replace("_", " ")
    if last.kind == "ordinary":
        return "no sign of it"
    decisions = [one.decision for one in course.escalations if one.round == last.number]
    decided = f"a user: {decisions[-1]}" if decisions and decisions[-1] else "a user is asked"
    return f"the objection round failed; {decided}" if has_failed(last) else "the objection round helped"


def _watch(course: DebateHistory) -> str:
    turns = withheld_turns(course)
    withheld = ", ".join(f"{turn.agent} in round {turn.round}" for turn in turns[:_LISTED])
    rest = f" and {len(turns) - _LISTED} more" if len(turns) > _LISTED else ""
    why = ", ".join(_triggers(course)).replace("_", " ")
    there = f"the evaluator judges ({why}), {counted(course.clean_rounds, 'clean round')}"
    gone = "the evaluator left" if why else "the evaluator was not called"
    return f"{there if course.is_evaluated else gone}; withheld: {withheld or 'no turn'}{rest}"


def _trimmed(turn: AgentResponse) -> AgentResponse:
    """Return the turn without long texts, unless a user may still release it."""
    if turn.withheld:
        return turn
    return turn.model_copy(update={"said": turn.said.model_copy(update=_IN_THE_LEDGER)})
