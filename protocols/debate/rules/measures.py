"""A round in numbers, the triggers of groupthink, and the effect of the objection round (seed 003, P1 and decision 3).

All figures are over the turns of the round, withheld ones included: their votes count.
What was not said is not made up: a missing vote agrees with nothing and has no place on the scale of votes, a missing
confidence is neither high nor low. Figures are rounded to twelve decimals, so that a change of exactly 0.1 is not below
0.1 by the dust of a subtraction.

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
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from statistics import fmean, pstdev

from protocols.debate.model.history import CompletedRound, DebateHistory, GroupthinkTrigger, Measures
from protocols.debate.model.io import ModeName
from protocols.debate.model.turn import AgentResponse, Stance, Vote
from protocols.debate.rules.agreement import grouped
from protocols.lazy_patterns import lazy_pattern

DECIMALS = 12

VOTES: Mapping[Vote, float] = {"ACCEPT": 1.0, "MINOR": 0.5, "BLOCKER": 0.0}
STANCES: Mapping[Stance, float] = {"YES": 1.0, "NEUTRAL": 0.5, "NO": 0.0}
"""Where they lie, for the "stance standard deviation" of decision 3."""

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

_WORD = lazy_pattern(r"[^\W_]+")
_PREMISES = frozenset({"ASSUME", "INFER"})


def measure(mode: ModeName, turns: Sequence[AgentResponse], *, absent: int = 0) -> Measures:
    """Return the ``turns`` of one round in numbers; a round without turns has none.

    ``absent`` debaters take part and have no turn in it: they agree to nothing, and their confidence is not known.
    """
    if not turns:
        return Measures()
    known = [turn.confidence for turn in turns if turn.confidence is not None]
    changes = [abs(turn.confidence_delta) for turn in turns if turn.confidence_delta is not None]
    facts = sum(turn.new_facts for turn in turns)
    places = _places(mode, turns)
    touched = (turn.claims_touched for turn in turns)
    stood_by = Counter(at for one in touched for at in {*one.introduced, *one.reinforced})
    return Measures(
        agreement=share([*(turn.vote in {"ACCEPT", "MINOR"} for turn in turns), *(False for _ in range(absent))]),
        blockers=sum(turn.vote == "BLOCKER" for turn in turns),
        lowest_confidence=min(known) if len(known) == len(turns) + absent else None,
        mean_confidence=_mean(known),
        mean_confidence_change=_mean(changes),
        votes_changed=_votes_changed(turns),
        new_facts=facts,
        facts_per_agent=round(facts / len(turns), DECIMALS),
        spread=round(pstdev(places), DECIMALS) if places else 0.0,
        positions=len(grouped(turns)),
        claims_per_agent=round(len(stood_by) / len(turns), DECIMALS),
        single_claims=share([times == 1 for times in stood_by.values()]) if stood_by else None,
    )


def share(flags: Sequence[bool]) -> float:
    """Return the share of true values; 0 without values."""
    return round(sum(flags) / len(flags), DECIMALS) if flags else 0.0


def fired(course: DebateHistory, completed: CompletedRound) -> tuple[GroupthinkTrigger, ...]:
    """Return the triggers of round ``completed``; ``course`` has the rounds before it."""
    if completed.kind == "objection":
        return ()
    found: Mapping[GroupthinkTrigger, bool] = {
        "stagnation": _is_stagnation((*course.rounds, completed)),
        "early_convergence": _is_early_convergence(course, completed),
    }
    return tuple(trigger for trigger, has_fired in found.items() if has_fired)


def has_failed(objection: CompletedRound) -> bool:
    """Return whether an objection round changed nothing: no new fact, confidence still high, belief unmoved."""
    measures = objection.measures
    is_sure = measures.mean_confidence is not None and measures.mean_confidence >= STILL_CONFIDENT
    return measures.new_facts == 0 and is_sure and (measures.mean_confidence_change or 0.0) < BELIEF_CHANGE


def premise_overlap(turns: Sequence[AgentResponse]) -> float:
    """Return the mean likeness of the debaters' ASSUME and INFER claims over all pairs, 0 to 1.

    Who states no premise shares none.
    """
    stated = [[claim.text.lower() for claim in turn.said.claims if claim.label in _PREMISES] for turn in turns]
    words = [frozenset(_WORD.findall(" ".join(texts))) for texts in stated]
    pairs = [_likeness(one, other) for one, other in combinations(words, 2)]
    return round(sum(pairs) / len(pairs), DECIMALS) if pairs else 0.0


def _mean(values: Sequence[float]) -> float | None:
    return round(fmean(values), DECIMALS) if values else None


def _votes_changed(turns: Sequence[AgentResponse]) -> float | None:
    """Return the share of changed votes; ``None`` in round 1. A first vote in a later round counts as changed."""
    later = [turn for turn in turns if turn.round > 1]
    return share([turn.vote != turn.vote_before for turn in later]) if later else None


def _places(mode: ModeName, turns: Sequence[AgentResponse]) -> list[float]:
    """Return the numbers that measure disagreement: stances in devil's advocate, else votes (decision 1)."""
    if mode == "devils-advocate":
        return [STANCES[turn.said.stance] for turn in turns if turn.said.stance is not None]
    return [VOTES[turn.vote] for turn in turns if turn.vote is not None]


def _is_stagnation(rounds: Sequence[CompletedRound]) -> bool:
    """Return whether the latest of ``rounds`` are stagnant, without an objection round among them."""
    latest = rounds[-STAGNANT_ROUNDS:]
    return len(latest) == STAGNANT_ROUNDS and all(
        completed.kind == "ordinary" and _is_stagnant(completed.measures) for completed in latest
    )


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
    return has_sources and premise_overlap(completed.turns) < OVERLAP and len(grouped(completed.turns)) >= CLUSTERS


def _likeness(one: frozenset[str], other: frozenset[str]) -> float:
    return round(len(one & other) / len(one | other), DECIMALS) if one | other else 0.0
