"""The test for agreement that comes too easily, and for the effect of the objection round (seed 003, decision 3).

Two triggers bring the critical objection round::

    stagnation          two ordinary rounds in a row: < 1 new [FACT] per agent, mean confidence change <= 10 %,
                        standard deviation of votes (devil's advocate: stances) <= 0.15
    early convergence   after round 1 or 2: >= 75 % of the agents at >= 0.85 confidence, and the diversity gate fails:
                        < 3 sources, or premise overlap >= 0.70, or < 2 clusters of positions

A fact is new when no debater had it before and verified evidence supports it; only verified evidence is a source. A
reference that a model only wrote is neither, because any model can write one in every round.

What was before an objection round is settled by it: only rounds after the last one are looked at, and early convergence
fires once at most. An unknown change of confidence, as in round 1, is no sign of stagnation; in an
objection round, which all had to answer, it counts as no change.

Positions are one cluster where they agree (``agreement``). Likeness of premises is that of their sets of words
(Jaccard): crude, and the same in every version.
"""

import re
from collections.abc import Sequence
from itertools import combinations

from protocols.debate.model.history import CompletedRound, DebateHistory, GroupthinkTrigger, Measures
from protocols.debate.model.turn import AgentResponse
from protocols.debate.rules.agreement import clusters
from protocols.debate.rules.measures import DECIMALS, share

FACTS_PER_AGENT = 1
CHANGE = 0.10
SPREAD = 0.15
STAGNANT_ROUNDS = 2
"""The primary trigger."""

EARLY_ROUNDS = 2
CONFIDENT = 0.85
CONFIDENT_SHARE = 0.75
SOURCES = 3
OVERLAP = 0.70
CLUSTERS = 2
"""The secondary trigger and its diversity gate."""

STILL_CONFIDENT = 0.80
BELIEF_CHANGE = 0.05
"""When an objection round has failed."""

_WORD = re.compile(r"[^\W_]+")
_PREMISES = frozenset({"ASSUME", "INFER"})


def fired(course: DebateHistory, completed: CompletedRound) -> tuple[GroupthinkTrigger, ...]:
    """Return the triggers of round ``completed``; ``course`` has the rounds before it."""
    if completed.kind == "objection":
        return ()
    found: list[GroupthinkTrigger] = []
    if _is_stagnation([*_since_objection(course.rounds), completed]):
        found.append("stagnation")
    if _is_early_convergence(course, completed):
        found.append("early_convergence")
    return tuple(found)


def has_failed(objection: CompletedRound) -> bool:
    """Return whether an objection round changed nothing: no new fact, confidence still high, belief unmoved."""
    measures = objection.measures
    is_sure = measures.mean_confidence is not None and measures.mean_confidence >= STILL_CONFIDENT
    return measures.new_facts == 0 and is_sure and (measures.mean_confidence_change or 0.0) < BELIEF_CHANGE


def premise_overlap(turns: Sequence[AgentResponse]) -> float:
    """Return the mean likeness of the debaters' ASSUME and INFER claims over all pairs, 0 to 1.

    Who states no premise shares none.
    """
    pairs = [_likeness(one, other) for one, other in combinations(map(_premises, turns), 2)]
    return round(sum(pairs) / len(pairs), DECIMALS) if pairs else 0.0


def _since_objection(rounds: Sequence[CompletedRound]) -> list[CompletedRound]:
    last = max((n for n, completed in enumerate(rounds, start=1) if completed.kind == "objection"), default=0)
    return list(rounds[last:])


def _is_stagnation(rounds: Sequence[CompletedRound]) -> bool:
    latest = rounds[-STAGNANT_ROUNDS:]
    return len(latest) == STAGNANT_ROUNDS and all(_is_stagnant(completed.measures) for completed in latest)


def _is_stagnant(measures: Measures) -> bool:
    is_still = measures.mean_confidence_change is not None and measures.mean_confidence_change <= CHANGE
    return measures.facts_per_agent < FACTS_PER_AGENT and is_still and measures.spread <= SPREAD


def _is_early_convergence(course: DebateHistory, completed: CompletedRound) -> bool:
    had_its_chance = any(earlier.fired or earlier.kind == "objection" for earlier in course.rounds)
    if had_its_chance or completed.number > EARLY_ROUNDS:
        return False
    are_sure = [turn.confidence is not None and turn.confidence >= CONFIDENT for turn in completed.turns]
    return share(are_sure) >= CONFIDENT_SHARE and not _is_diverse(course, completed)


def _is_diverse(course: DebateHistory, completed: CompletedRound) -> bool:
    """Return whether the round is diverse enough; the registry has its claims already."""
    has_sources = sum(one.is_verified for one in course.state.evidence) >= SOURCES
    return has_sources and premise_overlap(completed.turns) < OVERLAP and clusters(completed.turns) >= CLUSTERS


def _premises(turn: AgentResponse) -> frozenset[str]:
    return frozenset(
        _WORD.findall(" ".join(claim.text for claim in turn.said.claims if claim.label in _PREMISES).lower())
    )


def _likeness(one: frozenset[str], other: frozenset[str]) -> float:
    return round(len(one & other) / len(one | other), DECIMALS) if one | other else 0.0
