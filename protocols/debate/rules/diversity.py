"""How diverse a round was, by its outcome: positions, claims, and claims that one debater alone brings (decision 5)."""

from collections import Counter
from collections.abc import Sequence

from protocols.debate.model.course import Measures
from protocols.debate.model.turns import AgentResponse
from protocols.debate.rules.groupthink import clusters
from protocols.debate.rules.measures import DECIMALS, share


def with_diversity(measured: Measures, turns: Sequence[AgentResponse]) -> Measures:
    """Return ``measured`` with the diversity of ``turns``; a round in which nobody spoke has none."""
    if not turns:
        return measured
    touched = (turn.claims_touched for turn in turns)
    stood_by = Counter(at for one in touched for at in {*one.introduced, *one.reinforced})
    return measured.model_copy(
        update={
            "positions": clusters(turns),
            "claims_per_agent": round(len(stood_by) / len(turns), DECIMALS),
            "single_claims": share([times == 1 for times in stood_by.values()]) if stood_by else None,
        }
    )
