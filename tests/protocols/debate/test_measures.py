"""One round in numbers (seed 003: section 2, P1; section 9.2, decisions 1 and 3)."""

import pytest

from protocols.debate.model.history import Measures
from protocols.debate.model.turn import AgentResponse
from protocols.debate.rules.measures import measure
from tests.protocols.debate.parts import reading, turn


def voting(*votes: str | None, held: int = 1) -> list[AgentResponse]:
    """Turns with these votes."""
    return [turn(n, held, reading(vote=vote)) for n, vote in enumerate(votes, start=1)]


def sure(*confidences: float | None) -> list[AgentResponse]:
    """Turns with these confidences."""
    return [turn(n, 1, reading(confidence=confidence)) for n, confidence in enumerate(confidences, start=1)]


def moved(*deltas: float | None) -> list[AgentResponse]:
    """Turns of round 2 whose confidence changed by so much."""
    return [turn(n, 2, confidence_delta=delta) for n, delta in enumerate(deltas, start=1)]


class TestVotes:
    """P1's vote rubric."""

    @pytest.mark.parametrize(
        ("votes", "agreement"),
        [
            (("ACCEPT", "MINOR", "ACCEPT", "MINOR", "BLOCKER"), 0.8),
            (("ACCEPT", "MINOR", "BLOCKER"), 0.666666666667),
            (("BLOCKER", "BLOCKER"), 0.0),
            (("ACCEPT", None), 0.5),
        ],
    )
    def test_agreement_is_the_share_of_accept_and_minor(self, votes: tuple[str | None, ...], agreement: float) -> None:
        """A debater that votes BLOCKER does not agree, and neither does one without a vote."""
        assert agreement == measure("collaborative", voting(*votes)).agreement

    def test_blockers_are_counted(self) -> None:
        """Every BLOCKER counts, and nothing else does."""
        assert 2 == measure("collaborative", voting("BLOCKER", "ACCEPT", "BLOCKER", None, "MINOR")).blockers

    def test_nobody_has_voted_before_round_1(self) -> None:
        """What cannot have changed is not known to be unchanged."""
        assert measure("collaborative", voting("ACCEPT", "MINOR")).votes_changed is None

    @pytest.mark.parametrize(
        ("before", "now", "changed"),
        [
            (("ACCEPT", "MINOR"), ("ACCEPT", "MINOR"), 0.0),
            (("ACCEPT", "MINOR"), ("ACCEPT", "BLOCKER"), 0.5),
            (("ACCEPT", None), ("ACCEPT", "ACCEPT"), 0.5),
            (("ACCEPT", "MINOR"), (None, "MINOR"), 0.5),
            ((None, None), (None, None), 0.0),
        ],
    )
    def test_no_vote_is_a_vote_of_its_own(
        self, before: tuple[str | None, ...], now: tuple[str | None, ...], changed: float
    ) -> None:
        """Whose vote is another than before has changed, to and from no vote as well."""
        turns = [
            one.model_copy(update={"vote_before": vote}) for one, vote in zip(voting(*now, held=2), before, strict=True)
        ]
        assert changed == measure("collaborative", turns).votes_changed


class TestConfidence:
    """P1's and decision 3's figures of confidence."""

    def test_lowest_and_mean(self) -> None:
        """Of those that spoke, in absolute units."""
        told = measure("collaborative", sure(0.7, 0.8, 0.9))
        assert (0.7, 0.8) == (told.lowest_confidence, told.mean_confidence)

    def test_a_missing_confidence_is_neither_high_nor_low(self) -> None:
        """No lowest is known when one gave none; the mean is of those that did."""
        told = measure("collaborative", sure(0.7, None, 0.9))
        assert (None, 0.8) == (told.lowest_confidence, told.mean_confidence)

    def test_nobody_gave_any(self) -> None:
        """There is no mean of nothing."""
        told = measure("collaborative", sure(None, None))
        assert (None, None) == (told.lowest_confidence, told.mean_confidence)

    @pytest.mark.parametrize(
        ("deltas", "change"),
        [((0.2, -0.1, 0.0), 0.1), ((0.2, None), 0.2), ((None, None), None), ((0.1, -0.1), 0.1)],
    )
    def test_a_change_is_the_mean_of_how_far_each_moved(
        self, deltas: tuple[float | None, ...], change: float | None
    ) -> None:
        """Up and down do not cancel out, and who cannot be compared is left out."""
        assert change == measure("collaborative", moved(*deltas)).mean_confidence_change

    def test_a_tenth_is_a_tenth(self) -> None:
        """What a subtraction leaves behind does not push a figure over a threshold."""
        assert 0.1 == measure("collaborative", moved(0.8 - 0.7, 0.9 - 0.8)).mean_confidence_change


class TestFacts:
    """Decision 3: new [FACT] claims per agent."""

    @pytest.mark.parametrize(("facts", "each"), [((0, 0, 0), 0.0), ((1, 0, 1), 0.666666666667), ((1, 1, 1), 1.0)])
    def test_facts_per_agent(self, facts: tuple[int, ...], each: float) -> None:
        """New facts of the round are shared out over those that spoke in it."""
        told = measure("collaborative", [turn(n, new_facts=count) for n, count in enumerate(facts, start=1)])
        assert (sum(facts), each) == (told.new_facts, told.facts_per_agent)


class TestSpread:
    """Decision 3: stance standard deviation; decision 1: what a stance is."""

    @pytest.mark.parametrize(
        ("votes", "spread"),
        [
            (("ACCEPT", "ACCEPT", "ACCEPT"), 0.0),
            (("ACCEPT", "BLOCKER"), 0.5),
            (("ACCEPT", "MINOR"), 0.25),
            (("ACCEPT", "MINOR", "BLOCKER"), 0.408248290464),
            (("ACCEPT", None), 0.0),
            ((None, None), 0.0),
        ],
    )
    def test_votes_lie_on_a_scale(self, votes: tuple[str | None, ...], spread: float) -> None:
        """ACCEPT is 1, MINOR 0.5, BLOCKER 0; the deviation is of the population, and no vote has no place."""
        assert spread == measure("collaborative", voting(*votes)).spread

    def test_stances_are_measured_in_devils_advocate(self) -> None:
        """There YES is 1, NEUTRAL 0.5 and NO 0, whatever is voted; elsewhere a stance means nothing."""
        turns = [turn(n, said=reading(stance=stance)) for n, stance in enumerate(("YES", "NO", "NEUTRAL"), start=1)]
        spreads = [measure(mode, turns).spread for mode in ("devils-advocate", "delphi")]
        assert [0.408248290464, 0.0] == spreads

    def test_a_missing_stance_has_no_place(self) -> None:
        """A debater without one is left out."""
        turns = [turn(1, said=reading(stance="YES")), turn(2, said=reading(stance=None))]
        assert 0.0 == measure("devils-advocate", turns).spread


def test_a_round_in_which_nobody_spoke_has_no_figures() -> None:
    """Nothing agrees with nothing."""
    assert Measures() == measure("collaborative", [])


def test_withheld_turns_count() -> None:
    """A vote and a confidence count though their reasons are withheld."""
    told = measure("collaborative", [turn(1), turn(2, said=reading(vote="BLOCKER"), withheld="exploit_steps")])
    assert (0.5, 1, 0.8) == (told.agreement, told.blockers, told.lowest_confidence)
