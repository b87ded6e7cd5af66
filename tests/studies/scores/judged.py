"""Preferences of a scripted judge with known strengths and a known position bias."""

import math
import random
from collections.abc import Mapping
from itertools import combinations

from ledger.studies.results import ResultRow
from ledger.studies.scores import Score
from studies.comparison.preferences import Preference
from tests.fakes.reported import row


def judged(
    strengths: Mapping[str, float],
    rows: int,
    *,
    bias: float = 0.0,
    longer: float = 0.0,
    ties: float = 0.0,
    seed: int = 5,
) -> list[Preference]:
    """Return a preference for every pair and row.

    Args:
        strengths: Arm to strength, in logits.
        rows: Rows of the dataset.
        bias: How often, in each order, the first answer is preferred whatever it states.
        longer: Logits that one standard deviation of length adds.
        ties: How often both orders say tie.
        seed: Of the draws.
    """
    rng, found = random.Random(seed), []
    for number in range(rows):
        for arm, other in combinations(sorted(strengths), 2):
            length, other_length = (round(rng.gauss(1_000, 200)) for _ in "ab")
            logit = strengths[arm] - strengths[other] + longer * (length - other_length) / (200 * math.sqrt(2))
            is_better, is_tie = rng.random() < 1 / (1 + math.exp(-logit)), rng.random() < ties
            by_merit = ("first", "second") if is_better else ("second", "first")
            said = ["first" if rng.random() < bias else one for one in by_merit]
            found.append(
                Preference(
                    row_id=f"q{number:04}",
                    repeat=1,
                    arm=arm,
                    other=other,
                    deliberation_id=f"{number}.{arm}",
                    other_id=f"{number}.{other}",
                    as_first="tie" if is_tie else said[0],
                    as_second="tie" if is_tie else said[1],
                    length=length,
                    other_length=other_length,
                )
            )
    return found


def judgements(preferences: list[Preference]) -> tuple[list[ResultRow], list[Score]]:
    """Return the deliberations of the preferences and their scores, as the ledger has them."""
    scores = [
        Score(
            scorer="judge",
            deliberation_id=one.deliberation_id,
            other_id=one.other_id,
            outcome="scored" if one.is_read else "unread",
            value=one.value,
            details=one.model_dump(mode="json"),
            kind="pairwise",
            fingerprint="0" * 64,
            version="1",
        )
        for one in preferences
    ]
    placed = {one.deliberation_id: (one.row_id, one.arm) for one in preferences}
    placed |= {one.other_id: (one.row_id, one.other) for one in preferences}
    rows = [row(deliberation_id=id_, row_id=row_id, arm=arm) for id_, (row_id, arm) in placed.items()]
    return rows, scores
