"""Ballots with ties: positions, Borda points and agreement against computations of another kind."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats  # type: ignore[import-untyped]  # it has no annotations of its own

from protocols.council import rules
from protocols.council.model import Ballot, Tally
from tests.protocols.council.paper import ballot, election, labels, models


def count(*ballots: str, answers: int) -> Tally:
    """The tally of these ballots over so many answers."""
    tally = rules.tally(labels(answers), models(answers), election(*ballots, count=answers), exclude_self_votes=False)
    assert tally is not None
    return tally


def positions(tally: Tally) -> dict[str, float | None]:
    """Average position by letter."""
    return {standing.label[-1]: standing.average_position for standing in tally.standings}


def written(levels: Sequence[int]) -> str:
    """The ballot that puts the answer of each number at that level, low levels first."""
    ranked = sorted(range(len(levels)), key=lambda n: levels[n])
    said = ""
    for before, n in zip([None, *ranked], ranked, strict=False):
        said += "=" if before is not None and levels[before] == levels[n] else ""
        said += chr(ord("A") + n)
    return said


def test_the_example_of_the_rules() -> None:
    """Answers that share a place are at the mean of the positions they take up."""
    tally = count("ABCD", "BA", "AB=DC", answers=4)
    assert positions(tally) == pytest.approx({"A": 4 / 3, "B": 11 / 6, "C": 3.5, "D": 10 / 3})


def test_a_tie_gives_half_a_point_for_each_answer_at_the_same_place() -> None:
    """C beats three; A and D beat one and share with one another; B beats none."""
    tally = count("CA=DB", answers=4)
    assert {one.label[-1]: one.borda for one in tally.standings} == {"C": 3, "A": 1.5, "D": 1.5, "B": 0}


def test_a_shared_first_place_counts_for_each() -> None:
    """An answer that a ballot puts first, alone or tied, has a first place on it."""
    tally = count("A=BC", "CAB", answers=3)
    assert {one.label[-1]: one.first_places for one in tally.standings} == {"A": 1, "B": 1, "C": 1}


@given(
    st.integers(2, 6).flatmap(
        lambda n: st.lists(st.lists(st.integers(0, 3), min_size=n, max_size=n), min_size=2, max_size=6)
    )
)
def test_positions_and_agreement_are_those_of_another_computation(levels: list[list[int]]) -> None:
    """Positions are mean ranks, and Kendall's W is Friedman's statistic over its largest value, ties corrected."""
    tally = count(*map(written, levels), answers=len(levels[0]))
    ranks = np.array([stats.rankdata(one) for one in levels])
    assert positions(tally) == pytest.approx({chr(ord("A") + n): mean for n, mean in enumerate(ranks.mean(axis=0))})
    raters, answers = ranks.shape
    spread = ((ranks.sum(axis=0) - raters * (answers + 1) / 2) ** 2).sum()
    most = raters * ((ranks**2).sum() - raters * answers * (answers + 1) ** 2 / 4)
    assert tally.agreement == (None if np.isclose(most, 0) else pytest.approx(spread / most))


def test_an_own_answer_that_is_left_out_of_a_tie_leaves_the_others_in_place() -> None:
    """Without its reviewer's own answer, what shared the place with it is there alone."""
    tally = rules.tally(labels(3), models(3), election("A=BC", count=3), exclude_self_votes=True)
    assert tally is not None
    assert positions(tally) == {"A": None, "B": 1, "C": 2}


@pytest.mark.parametrize(
    ("ballots", "said"),
    [
        (("ABC", "ABC"), ()),
        (("AB=C",), ("Response B, Response C: equal at 2.50, put in order by the order of the labels",)),
        (("A=B", "A=B"), ("Response A, Response B: equal at 1.50, put in order by the order of the labels",)),
        (
            ("ABC", "CBA", "B=A=C"),
            ("Response A, Response C, Response B: equal at 2.00, put in order by the order of the labels",),
        ),
    ],
)
def test_ties_that_another_rule_breaks_are_said(ballots: tuple[str, ...], said: tuple[str, ...]) -> None:
    """Equal averages are reported, with the rule that put them in order."""
    answers = len(set("".join(ballots)) - {"="})
    assert rules.ties_broken(count(*ballots, answers=answers)) == said


def test_a_ballot_of_before_ties_has_each_label_at_a_place_of_its_own() -> None:
    """A history that knows no places is counted as it was."""
    old = Ballot.model_validate({"ranking": ["Response B", "Response A"], "standing": "complete"})
    assert old.by_place == (("Response B",), ("Response A",))


def test_places_must_be_those_of_the_ranking() -> None:
    """A ballot cannot say one order in its ranking and another in its places."""
    with pytest.raises(ValueError, match="in another order"):
        Ballot.model_validate({**ballot("AB", 2).model_dump(), "places": [["Response B"], ["Response A"]]})
