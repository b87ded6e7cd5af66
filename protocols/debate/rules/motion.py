"""The motion: the group's present answer in words, put to the vote from round 2 on.

A round leaves the motion to the next: the position in the middle of the largest cluster of positions, or of those with
the majority's answer where the topic has a form for its answer. No call is made for it. With assigned stances or
teams there is none, and no agreement ends the debate.
"""

import re
from collections.abc import Sequence
from math import fsum

from protocols.answer_text import normalised
from protocols.debate.model.history import MOTION_TOKENS, CompletedRound, DebateHistory, Motion
from protocols.debate.model.io import DebateInput
from protocols.debate.model.turn import AgentResponse, TurnReading
from protocols.debate.modes import MODES
from protocols.debate.rules.agreement import ASSENT, grouped, likeness, repeats
from protocols.lazy_patterns import lazy_pattern
from protocols.model_call import ParticipantId
from protocols.tokens import clip
from protocols.votes import Vote, count

_LONGEST_ASSENT = 160

_ASSENT = lazy_pattern(ASSENT, re.IGNORECASE)


def move(inp: DebateInput, course: DebateHistory, completed: CompletedRound) -> Motion | None:
    """Return the motion for the round after ``completed``; a repeated one keeps its round."""
    shown = [turn for turn in completed.turns if not turn.withheld]
    if not MODES[inp.mode].has_motion or not shown:
        return course.motion
    group = max(
        _clusters(shown, completed.majority), key=lambda one: (len(one), fsum(turn.confidence or 0.0 for turn in one))
    )
    middle = max(group, key=lambda turn: (_closeness(turn, group), turn.confidence or 0.0))
    text = clip(" ".join(middle.said.position.split()), MOTION_TOKENS)
    if course.motion is not None and normalised(course.motion.text) == normalised(text):
        return course.motion
    return Motion(round=completed.number, text=text, by=middle.agent)


def why_not_carried(inp: DebateInput, completed: CompletedRound) -> str:
    """Return why accepting debaters of ``completed`` disagree with its motion: other answers, or another position."""
    if not MODES[inp.mode].has_motion:
        return "parts are assigned, so that no agreement ends it"
    if completed.motion is None:
        return f"nothing is agreed after round {completed.number}: there was no motion"
    accepting = [turn for turn in completed.turns if turn.vote in {"ACCEPT", "MINOR"}]
    if inp.answer is not None:
        given = [turn.said.answer for turn in accepting]
        if None in given:
            return f"{given.count(None)} of {len(given)} who accept gave no answer"
        return f"the accepting debaters gave {len({*given})} different answers" if len({*given}) > 1 else ""
    other = sum(not repeats(turn.said.position, completed.motion.text) for turn in accepting)
    return f"{other} of {len(accepting)} who accept hold another position than the motion" if other else ""


def adopt(said: TurnReading, motion: Motion | None) -> TurnReading:
    """Return the turn with the motion's wording as its position if it accepts and only expresses agreement."""
    if motion is None or said.vote not in {"ACCEPT", "MINOR"} or not is_assent(said.position):
        return said
    return said.model_copy(update={"position": motion.text})


def is_assent(position: str) -> bool:
    """Return whether a position says that it agrees with the group, and nothing else."""
    plain = normalised(position).replace("’", "'")
    return 0 < len(plain) <= _LONGEST_ASSENT and _ASSENT.fullmatch(plain) is not None


def answers_of(inp: DebateInput, turns: Sequence[AgentResponse]) -> dict[ParticipantId, str | None]:
    """Return every debater's final answer; nothing where the topic has no form for one."""
    return {} if inp.answer is None else {turn.agent: turn.said.answer for turn in turns}


def majority_of(turns: Sequence[AgentResponse]) -> str | None:
    """Return the most frequent answer; ``None`` without answers and in a tie."""
    votes = [Vote(voter=one.agent, model=one.model, answer=_compared(one.said.answer)) for one in turns]
    tally = count(votes)
    if tally.winner is None or tally.tied:
        return None
    first = tally.winner.voters[0]
    return next(turn.said.answer for turn in turns if turn.agent == first)


def _clusters(turns: Sequence[AgentResponse], majority: str | None) -> tuple[tuple[AgentResponse, ...], ...]:
    supporters = tuple(
        turn for turn in turns if majority is not None and _compared(turn.said.answer) == _compared(majority)
    )
    return (supporters,) if supporters else grouped(turns)


def _compared(answer: str | None) -> str | None:
    return None if answer is None else normalised(answer)


def _closeness(turn: AgentResponse, group: Sequence[AgentResponse]) -> float:
    return fsum(likeness(turn.said.position, other.said.position) for other in group)
