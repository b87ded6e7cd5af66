"""The interventions of people in a running debate, and the reasons for which it waits for them."""

from protocols.debate.model.history import CompletedRound, DebateHistory, Escalation
from protocols.debate.model.io import MOST_ROUNDS, DebateInput, HighStakes, ResolveEscalation, StopReason
from protocols.debate.rules.registry import add_decision
from protocols.debate.rules.stop_rules import Next
from protocols.update_requests import AddRounds

_SYNTHESISED: frozenset[StopReason] = frozenset(
    {"consensus", "plateau", "round_cap", "accepted", "rejected", "escalation_timed_out"}
)

_STAKES: dict[HighStakes, str] = {
    "security": "security or abuse potential",
    "medical_legal": "medical or legal implications",
    "agentic": "agentic execution with real-world effects",
    "safety_critical": "real-time or safety-critical systems",
}
"""As decision 6 names them."""


def stop_reason_of(following: Next) -> StopReason | None:
    """Return the stop reason of ``following``; ``None`` when a round follows."""
    match following:
        case "round" | "objection" | "escalate" | "release":
            return None
        case end:
            return end


def is_synthesised(end: StopReason) -> bool:
    """Return whether a debate with that end has a synthesis."""
    return end in _SYNTHESISED


def escalation_reason(completed: CompletedRound) -> str:
    """Return the reason for an escalation after the objection round ``completed`` (decision 3, the last part)."""
    measures = completed.measures
    sure = "unknown" if measures.mean_confidence is None else f"{measures.mean_confidence:.0%}"
    moved = "unknown" if measures.mean_confidence_change is None else f"{measures.mean_confidence_change:.1%}"
    return f"the objection round brought no new fact; mean confidence {sure}, belief change {moved}"


def approval_reason(inp: DebateInput) -> str:
    """Return the reason for which an approval is needed (decision 6)."""
    return f"high stakes: {', '.join(_STAKES[one] for one in inp.high_stakes)}"


def extend_limit(course: DebateHistory, request: AddRounds) -> DebateHistory:
    """Return the history with more rounds allowed; the focus question belongs to the first of them."""
    gained = course.limit + len(course.rounds) - course.ordinary + 1  # objection rounds have numbers, too
    focus = course.focus
    if request.focus:
        padded = (*focus, *("" for _ in range(gained - len(focus))))
        focus = (*padded[: gained - 1], request.focus, *padded[gained:])
    return course.model_copy(update={"limit": course.limit + request.rounds, "focus": focus})


def apply_resolution(course: DebateHistory, escalation: Escalation) -> DebateHistory:
    """Return the course after a user decided, or did not come.

    Continuing adds at least one round, and a note binds all debaters as a decision.
    """
    state, limit = course.state, course.limit
    if escalation.decision == "continue":
        state = add_decision(state, escalation.note, escalation.round) if escalation.note else state
        limit = max(limit, course.ordinary + 1)
    changes = {"escalations": (*course.escalations, escalation), "state": state, "limit": limit}
    return course.model_copy(update=changes)


def refuse_resolution(course: DebateHistory, request: ResolveEscalation) -> None:
    """Refuse to continue a debate that had the highest number of rounds.

    Raises:
        ValueError: it has.
    """
    if request.decision == "continue" and course.ordinary >= MOST_ROUNDS:
        raise ValueError(
            f"the debate has had its {MOST_ROUNDS} rounds and cannot continue; accept or reject it: "
            "parley accept ID, or parley reject ID"
        )
