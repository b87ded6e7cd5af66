"""One round in numbers: what the exits of P1 and the triggers of decision 3 look at, and how diverse it was (seed 003).

All figures are over the turns of the round, withheld ones included: their votes count.
What was not said is not made up: a missing vote agrees with nothing and has no place on the scale of votes, a missing
confidence is neither high nor low. Figures are rounded to twelve decimals, so that a change of exactly 0.1 is not below
0.1 by the dust of a subtraction.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import fmean, pstdev

from protocols.debate.model.history import Measures
from protocols.debate.model.io import ModeName
from protocols.debate.model.turn import AgentResponse, Stance, Vote
from protocols.debate.rules.agreement import clusters

DECIMALS = 12

VOTES: Mapping[Vote, float] = {"ACCEPT": 1.0, "MINOR": 0.5, "BLOCKER": 0.0}
STANCES: Mapping[Stance, float] = {"YES": 1.0, "NEUTRAL": 0.5, "NO": 0.0}
"""Where they lie, for the "stance standard deviation" of decision 3."""


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
        positions=clusters(turns),
        claims_per_agent=round(len(stood_by) / len(turns), DECIMALS),
        single_claims=share([times == 1 for times in stood_by.values()]) if stood_by else None,
    )


def share(flags: Sequence[bool]) -> float:
    """Return the share of true values; 0 without values."""
    return round(sum(flags) / len(flags), DECIMALS) if flags else 0.0


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
