"""How diverse a round was, by its outcome (seed 003, decision 5)."""

import pytest

from protocols.debate.model.turn import AgentResponse, ClaimsTouched
from protocols.debate.rules.measures import measure
from tests.protocols.debate.parts import reading, turn


def spoke(number: int, position: str, *introduced: str, reinforced: tuple[str, ...] = ()) -> AgentResponse:
    """A turn that made some claims and supported others."""
    touched = ClaimsTouched(introduced=introduced, reinforced=reinforced)
    return turn(number, said=reading(position=position), claims_touched=touched)


def figures(*turns: AgentResponse) -> tuple[int | None, float | None, float | None]:
    """Positions, claims for each debater, and the share of claims that one debater alone supports."""
    found = measure("collaborative", turns)
    return found.positions, found.claims_per_agent, found.single_claims


def test_point_33_a_round_has_its_diversity() -> None:
    """Three debaters, two positions, four claims of which three have one debater each."""
    turns = (
        spoke(1, "Close the centre at weekends", "C1", "C2"),
        spoke(2, "Close the centre at weekends first", "C3", reinforced=("C1",)),
        spoke(3, "Build a ring road instead", "C4"),
    )
    assert (2, round(4 / 3, 12), 0.75) == figures(*turns)


def test_a_round_in_which_nobody_spoke_has_none() -> None:
    """There is nothing to count, which is not the same as no diversity."""
    assert (None, None, None) == figures()


def test_a_round_without_claims_has_no_share_of_them() -> None:
    """Positions are counted all the same."""
    assert (1, 0.0, None) == figures(spoke(1, "Close it"), spoke(2, "Close it"))


@pytest.mark.parametrize(("times", "share"), [(1, 1.0), (2, 0.0), (3, 0.0)])
def test_a_claim_that_others_stand_by_is_no_single_one(times: int, share: float) -> None:
    """The debater that made it."""
    others = (spoke(number, "Close it", reinforced=("C1",)) for number in range(2, times + 1))
    assert share == figures(spoke(1, "Close it", "C1"), *others)[2]


def test_who_makes_and_stands_by_a_claim_counts_once() -> None:
    """It is one debater."""
    assert 1.0 == figures(spoke(1, "Close it", "C1", reinforced=("C1",)), spoke(2, "Keep it"))[2]
