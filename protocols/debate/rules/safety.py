"""The calls of the safety evaluator, and the effects of its verdict (seed 003, decision 2).

1. Tier 1: words in a turn (``keywords``) call the evaluator for that turn. They withhold nothing.
2. Tier 2: mode, topic, intent, context and declared high stakes call it for every turn, before the first round. A turn
   that it could not clear counts as intent.
3. Tier 3, the evaluator, judges each turn once; after two clean rounds in a row it leaves, until it is called again.

What is withheld of the turns that it was asked about::

    verdict                                     withheld
    clean                                       nothing
    names debaters                              their turns
    an unknown name, or objects without one     the turns of those named and those that words point to, or all of them
                                                where that is none
    none: lost, refused, not to be read         the turns that words point to

A doubtful verdict (the third row, or one that calls the round clean and names debaters) is asked for once more before
it counts. A turn is withheld for its round alone: its debater is given the rule and speaks again in the next.
"""

from collections.abc import Mapping, Sequence

from protocols.debate.keywords import alerts, topics
from protocols.debate.model.history import (
    CompletedRound,
    DebateHistory,
    Judgement,
    ReleaseTurn,
    SafetyRound,
    SafetyTrigger,
    SafetyVerdict,
)
from protocols.debate.model.io import DebateInput
from protocols.debate.model.turn import AgentResponse, ClaimsTouched, WithheldFor
from protocols.debate.modes import MODES
from protocols.debate.rules.registry import withdraw_turn
from protocols.model_call import ParticipantId

CLEAN_ROUNDS = 2
"""In a row, after which the evaluator leaves."""

_REASON = 100
"""Characters of why one turn is withheld, where all are listed."""
_UNJUDGED = "the safety evaluator gave no verdict on it that can be used"
_NOTHING_OF_IT = {"claims_touched": ClaimsTouched(), "new_facts": 0, "citations_used": ()}
"""What a turn means for the registries while it is withheld."""


def find_triggers(inp: DebateInput) -> tuple[SafetyTrigger, ...]:
    """Return what calls the evaluator before the first turn, in the seed's order."""
    found: Mapping[SafetyTrigger, bool] = {
        "mode": MODES[inp.mode].is_sensitive,
        "topic": bool(topics(inp.question)),
        "intent": bool(alerts(inp.question)),
        "context": inp.vulnerable_audience,
        "high_stakes": bool(inp.high_stakes),
    }
    return tuple(trigger for trigger, is_there in found.items() if is_there)


def call_evaluator(course: DebateHistory) -> DebateHistory:
    """Return the course with the evaluator called in; rounds that were clean before do not count."""
    return course.model_copy(update={"is_evaluated": True, "clean_rounds": 0})


def turns_to_judge(course: DebateHistory, *, at_end: bool) -> tuple[ParticipantId, ...]:
    """Return whose turns the evaluator judges now.

    At the end of a round all that are left where it is called in, else, and before a further debater sees them, those
    that words point to.
    """
    done = {agent for one in course.judgements for agent in one.agents}
    is_whole = at_end and course.is_evaluated
    return tuple(turn.agent for turn in course.open if turn.agent not in done and (is_whole or turn.said.alerts))


def apply_verdict(
    course: DebateHistory, agents: Sequence[ParticipantId], verdict: SafetyVerdict | None
) -> DebateHistory:
    """Return the course after the evaluator was asked about the turns of ``agents``.

    Claims that a withheld turn alone brought in keep their ids and lose their text; what others have taken up stays.
    """
    turns = [turn for turn in course.open if turn.agent in agents]
    why = f"the safety evaluator: {verdict.reason or 'no reason given'}" if verdict else ""
    kinds, state, kept = _withheld(turns, verdict), course.state, []
    for turn in course.open:
        if (kind := kinds.get(turn.agent)) is None:
            kept.append(turn)
            continue
        state = withdraw_turn(state, turn)
        update = {"withheld": _UNJUDGED if kind == "unjudged" else why, "withheld_for": kind, **_NOTHING_OF_IT}
        kept.append(turn.model_copy(update=update))
    judgements = (*course.judgements, Judgement(agents=tuple(agents), verdict=verdict))
    return course.model_copy(update={"open": tuple(kept), "state": state, "judgements": judgements})


def close_safety_round(course: DebateHistory, found: Sequence[SafetyTrigger]) -> tuple[DebateHistory, SafetyRound]:
    """Return the course when the evaluator is through with the round, and what was done; ``found`` called it in."""
    closed = SafetyRound(judgements=course.judgements, is_active=course.is_evaluated, triggers=tuple(found))
    if not course.is_evaluated:
        if closed.is_clean or not closed.judgements:
            return course, closed
        return call_evaluator(course), closed.model_copy(update={"triggers": (*found, "intent")})
    clean = course.clean_rounds + 1 if closed.is_clean else 0
    is_over = clean >= CLEAN_ROUNDS
    return course.model_copy(update={"is_evaluated": not is_over, "clean_rounds": 0 if is_over else clean}), closed


def withheld_turns(course: DebateHistory) -> tuple[AgentResponse, ...]:
    """Return every turn that is withheld now, the latest round first."""
    turns = (turn for one in reversed(course.rounds) for turn in one.turns)
    return tuple(turn for turn in (*course.open, *turns) if turn.withheld)


def find_withheld_turn(course: DebateHistory, request: ReleaseTurn) -> AgentResponse:
    """Return the turn that ``request`` means.

    Raises:
        ValueError: no turn of that debater is withheld, or none in that round.
    """
    there = withheld_turns(course)
    for turn in there:
        if turn.agent == request.agent and request.round in {None, turn.round}:
            return turn
    wanted = request.agent + (f" in round {request.round}" if request.round else "")
    listed = ", ".join(f"{turn.agent} in round {turn.round}" for turn in there)
    raise ValueError(f"no turn of {wanted} is withheld; withheld are: {listed or 'none'}")


def is_blocked(course: DebateHistory) -> bool:
    """Return whether no turn of the last round may be shown, so that the debate waits for a user.

    A round that the evaluator failed to judge blocks only when the round before was withheld as a whole, too.
    """
    *before, last = course.rounds
    if not last.turns or not all(turn.withheld for turn in last.turns):
        return False
    is_judged = any(turn.withheld_for != "unjudged" for turn in last.turns)
    return is_judged or bool(before and before[-1].turns and all(turn.withheld for turn in before[-1].turns))


def blocked_reason(last: CompletedRound) -> str:
    """Return why a user is asked to release a turn of the round, in one line."""
    text = "; ".join(f"{turn.agent} ({turn.withheld[:_REASON]})" for turn in last.turns)
    return f"no turn of round {last.number} may be shown: {text}"


def _withheld(turns: Sequence[AgentResponse], verdict: SafetyVerdict | None) -> Mapping[ParticipantId, WithheldFor]:
    pointed: list[ParticipantId] = [turn.agent for turn in turns if turn.said.alerts]
    if verdict is None:
        return dict.fromkeys(pointed, "unjudged")
    named: dict[ParticipantId, WithheldFor] = {one.agent: one.rule or "other" for one in verdict.withhold}
    if not verdict.unknown and (named or verdict.is_clean):
        return named
    unnamed = pointed or ([] if named else [turn.agent for turn in turns])
    return {**dict.fromkeys(unnamed, "unjudged"), **named}
