"""The next step after a completed round (seed 003, section 2, P1, and decision 3).

First whether it can continue at all, then groupthink, since a doubtful agreement must not end a debate; then the exits
of P1 in the seed's order::

    consensus   >= 80 % ACCEPT or MINOR, no BLOCKER, all confidences >= 0.70, and those that accept the motion agree
                with it (``motion``): never in round 1, where there is none, nor where parts are assigned
    plateau     two rounds in a row: mean confidence change < 10 %, < 10 % of the votes changed, no new [FACT]
    round cap   as many ordinary rounds as are allowed; objection rounds do not count

A user who continues a debate after a failed objection round gets another round, even beyond the cap. What users change
in a running debate, and why it waits for them, is here too.
"""

from collections.abc import Mapping
from typing import Literal

from protocols.debate.model.history import CompletedRound, DebateHistory, Escalation, Measures
from protocols.debate.model.io import FEWEST, MOST_ROUNDS, DebateInput, HighStakes, ResolveEscalation, StopReason
from protocols.debate.rules.measures import has_failed
from protocols.debate.rules.motion import why_not_carried
from protocols.debate.rules.registry import add_decision
from protocols.debate.rules.safety import is_blocked
from protocols.update_requests import AddRounds

Next = Literal["round", "objection", "escalate", "release"] | StopReason
"""Another round, of either kind; waiting for a user, who decides or releases a turn; or the end."""

AGREEMENT = 0.80
CONFIDENCE = 0.70
"""Of consensus."""

CHANGE = 0.10
PLATEAU_ROUNDS = 2
"""Of the plateau; a change of exactly a tenth is one."""


_DECIDED: Mapping[str | None, Next] = {
    None: "escalate",
    "accept": "accepted",
    "reject": "rejected",
    "timed_out": "escalation_timed_out",
    "continue": "round",
}
"""What a user makes of an objection round that failed."""

SYNTHESISED: frozenset[StopReason] = frozenset(
    {"consensus", "plateau", "round_cap", "accepted", "rejected", "escalation_timed_out"}
)
"""The ends with a synthesis."""

_STAKES: dict[HighStakes, str] = {
    "security": "security or abuse potential",
    "medical_legal": "medical or legal implications",
    "agentic": "agentic execution with real-world effects",
    "safety_critical": "real-time or safety-critical systems",
}
"""As decision 6 names them."""


def decide_next(course: DebateHistory, inp: DebateInput) -> Next:
    """Return the next step after the last round of ``course``."""
    last = course.rounds[-1]
    return _broken(course, inp) or _doubted(course, last) or _exit(course, last, inp) or "round"


def why_no_consensus(inp: DebateInput, completed: CompletedRound) -> str:
    """Return every condition of a consensus that ``completed`` does not meet; empty when it meets all."""
    measures, sure = completed.measures, completed.measures.lowest_confidence
    below = "" if sure is not None and sure >= CONFIDENCE else f"a confidence is below {CONFIDENCE:.0%}"
    lacking = (
        f"agreement is below {AGREEMENT:.0%}" if measures.agreement < AGREEMENT else "",
        f"{measures.blockers} BLOCKER" if measures.blockers else "",
        "a confidence is missing" if sure is None else below,
        why_not_carried(inp, completed),
    )
    return "; ".join(filter(None, lacking))


def stop_reason_of(following: Next) -> StopReason | None:
    """Return the stop reason of ``following``; ``None`` when a round follows."""
    match following:
        case "round" | "objection" | "escalate" | "release":
            return None
        case end:
            return end


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


def _broken(course: DebateHistory, inp: DebateInput) -> Next | None:
    if inp.failure_mode == "strict" and course.failed:
        return "participant_lost"
    if len(course.active) < FEWEST or not course.rounds[-1].turns:
        return "debate_too_small"
    return "release" if is_blocked(course) else None


def _doubted(course: DebateHistory, last: CompletedRound) -> Next | None:
    if last.fired:
        return "objection"
    if last.kind == "ordinary" or not has_failed(last):
        return None
    decisions = [one.decision for one in course.escalations[-1:] if one.round == last.number]
    return _DECIDED[decisions[0]] if decisions else "escalate"


def _exit(course: DebateHistory, last: CompletedRound, inp: DebateInput) -> StopReason | None:
    if not why_no_consensus(inp, last):
        return "consensus"
    if _is_plateau(course):
        return "plateau"
    return "round_cap" if course.ordinary >= course.limit else None


def _is_plateau(course: DebateHistory) -> bool:
    latest = course.rounds[-PLATEAU_ROUNDS:]
    return len(latest) == PLATEAU_ROUNDS and all(_is_still(completed.measures) for completed in latest)


def _is_still(measures: Measures) -> bool:
    """Return whether positions stayed the same; not known before the second turn."""
    change, votes = measures.mean_confidence_change, measures.votes_changed
    return measures.new_facts == 0 and change is not None and change < CHANGE and votes is not None and votes < CHANGE
