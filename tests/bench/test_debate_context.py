"""What everyone is shown in the debate of five debaters and six rounds that is measured (point 28)."""

import pytest

from bench.debate_context import ROUNDS, Shown, debate, measure, simulate_debate
from protocols.debate.model.context import ContextBudget
from protocols.debate.model.io import SYNTHESISER


def last_prompts(total: int) -> tuple[Shown, Shown]:
    """What the last debater of round 6 and the synthesiser are shown."""
    rows = [row for row in simulate_debate(debate("collaborative", ContextBudget.scaled(total))) if row[0] == ROUNDS]
    debater = next(row for row in reversed(rows) if row[1] != SYNTHESISER)
    return measure(debater[2], debater[1], debater[3]), measure(rows[-1][2], rows[-1][1], rows[-1][3])


@pytest.mark.long
def test_every_claim_has_a_line_and_every_source_is_named() -> None:
    """With the numbers of the seed: no one is shown less than all claims, sources and the previous round."""
    debater, synthesiser = last_prompts(10_000)
    assert (75, 75) == (debater.all_claims, debater.claims + debater.shortened)
    assert (debater.all_evidence, 1.0) == (debater.evidence, debater.last)
    assert (90, 90, 30) == (synthesiser.all_claims, synthesiser.claims, synthesiser.evidence)
    assert synthesiser.every > 0.5


@pytest.mark.long
def test_twice_the_context_shows_every_claim_whole() -> None:
    """``--context-tokens 20000`` is felt by debaters and synthesiser."""
    debater, synthesiser = last_prompts(20_000)
    assert (75, 0) == (debater.claims, debater.shortened)
    assert (90, 1.0) == (synthesiser.claims, synthesiser.every)
