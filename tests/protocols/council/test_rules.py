"""How ballots are counted: worked examples, and what holds for every election."""

from random import Random
from statistics import mean

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from protocols.anonymity import Labels, label
from protocols.council import rules
from protocols.council.model import RankedAnswer, SubmittedBallot, Tally
from tests.protocols.council.paper import cast, election, labels, model, models, seat

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def counted(*ballots: str, count: int, exclude_self_votes: bool = False) -> Tally:
    """The tally of ``ballots``, which has to exist."""
    tally = rules.tally(
        labels(count), models(count), election(*ballots, count=count), exclude_self_votes=exclude_self_votes
    )
    assert tally is not None
    return tally


def by_letter(tally: Tally) -> dict[str, RankedAnswer]:
    """The standings by the letter of their label."""
    return {standing.label[-1]: standing for standing in tally.standings}


sizes = st.integers(1, 7)


@st.composite
def elections(draw: st.DrawFn) -> tuple[int, list[SubmittedBallot]]:
    """A number of answers, and ballots that place all, some or none of them."""
    count = draw(sizes)
    orders = draw(st.lists(st.tuples(st.permutations(LETTERS[:count]), st.integers(0, count)), max_size=8))
    return count, [cast("".join(order[:end]), count, n) for n, (order, end) in enumerate(orders)]


def merits(tally: Tally | None) -> object:
    """Everything a tally says but the labels."""
    if tally is None:
        return None
    rows = sorted((s.author, s.place, str(s.average_position), s.votes, s.borda, s.tied) for s in tally.standings)
    return rows, tally.ballots_counted, tally.ballots_void, tally.agreement


def decided(election: tuple[int, list[SubmittedBallot]], *, exclude: bool) -> Tally:
    """The tally of an election in which something can be counted; others are passed over."""
    count, ballots = election
    return rules.tally(labels(count), models(count), ballots, exclude_self_votes=exclude) or reject()


def test_aggregate_rankings() -> None:
    """Four rankings give average positions, best first, with votes (seed 002, "Aggregate Rankings")."""
    tally = counted("ABCD", "BACD", "ABDC", "CABD", count=4)
    rows = [(rank.model[-1], rank.average_rank, rank.votes) for rank in rules.aggregate(tally)]
    assert rows == [("1", 1.5, 4), ("2", 2.0, 4), ("3", 2.75, 4), ("4", 3.75, 4)]


def test_the_worked_example_in_full() -> None:
    """Places, first places, Borda points and agreement of the same four rankings, by hand."""
    tally = counted("ABCD", "BACD", "ABDC", "CABD", count=4)
    assert [(s.place, s.first_places, s.borda) for s in tally.standings] == [
        (1, 2, 10),
        (2, 1, 8),
        (3, 1, 5),
        (4, 0, 1),
    ]
    # Rank sums 6, 8, 11 and 15 around their mean of 10: 12 (16 + 4 + 1 + 25) / (16 * 60).
    assert tally.agreement == pytest.approx(12 * 46 / 960)
    assert (tally.ballots_counted, tally.ballots_void) == (4, 0)


def test_answers_left_out_share_the_mean_of_the_remaining_positions() -> None:
    """On a ballot over four that places one, the others are at (2 + 3 + 4) / 3, and it is no vote for them."""
    standings = by_letter(counted("A", count=4))
    assert [standings[x].average_position for x in "ABCD"] == [1, 3, 3, 3]
    assert [standings[x].votes for x in "ABCD"] == [1, 0, 0, 0]
    assert [standings[x].borda for x in "ABCD"] == [3, 1, 1, 1]


def test_the_example_of_the_module() -> None:
    """The averages drawn in the module's docstring are what comes out."""
    standings = by_letter(counted("ABCD", "BA", count=4))
    assert [standings[x].average_position for x in "ABCD"] == [1.5, 1.5, 3.25, 3.75]
    assert [standings[x].tied for x in "ABCD"] == [True, True, False, False]


def test_self_votes_can_be_left_out() -> None:
    """A reviewer's own answer is dropped from its ballot, and those behind it move up."""
    tally = counted("ABC", "BAC", "CAB", count=3, exclude_self_votes=True)
    standings = by_letter(tally)
    assert [standings[x].average_position for x in "ABC"] == [1.0, 1.5, 2.0]
    assert [standings[x].votes for x in "ABC"] == [2, 2, 2]
    assert [standings[x].first_places for x in "ABC"] == [2, 1, 0]


def test_a_ballot_for_oneself_alone_is_not_counted_without_self_votes() -> None:
    """A ballot that places no one else says nothing then, and is void in the count."""
    tally = counted("A", "AB", count=2, exclude_self_votes=True)
    assert (tally.ballots_counted, tally.ballots_void) == (1, 1)
    assert [(s.label[-1], s.average_position) for s in tally.standings] == [("A", 1.0), ("B", None)]


def test_an_answer_that_no_ballot_counted_has_no_average_and_no_rank() -> None:
    """It comes last and the aggregate leaves it out."""
    tally = counted("BA", count=2, exclude_self_votes=True)
    assert tally.standings[-1].average_position is None
    assert [rank.model for rank in rules.aggregate(tally)] == ["maker/model-2"]


def test_first_places_decide_between_equal_averages() -> None:
    """Of two answers at 2.0 on average the one with more first places is better, and it is no tie."""
    tally = counted("ABC", "CBA", count=3)
    assert [(s.label[-1], s.place, s.tied) for s in tally.standings] == [
        ("A", 1, True),
        ("C", 1, True),
        ("B", 3, False),
    ]


def test_what_cannot_be_reported_apart_shares_a_place_in_label_order() -> None:
    """Equal in average and first places: label order, one place, marked as tied, and the next place is skipped."""
    tally = counted("ABC", "BAC", count=3)
    assert [(s.label[-1], s.place, s.tied) for s in tally.standings] == [
        ("A", 1, True),
        ("B", 1, True),
        ("C", 3, False),
    ]


@pytest.mark.parametrize("ballots", [(), ("",), ("", "", "")])
def test_no_ballot_to_count_is_no_tally(ballots: tuple[str, ...]) -> None:
    """Nothing but void ballots decides nothing."""
    assert rules.tally(labels(3), models(3), election(*ballots, count=3), exclude_self_votes=False) is None


def test_void_ballots_are_counted_as_void() -> None:
    """A void ballot moves no average and is reported."""
    with_void, without = counted("AB", "", "BA", count=2), counted("AB", "BA", count=2)
    assert with_void == without.model_copy(update={"ballots_void": 1})


@pytest.mark.parametrize(("ballots", "count"), [(("ABC",), 3), (("ABC", ""), 3), (("A", "A"), 1)])
def test_one_voice_or_one_answer_is_no_agreement(ballots: tuple[str, ...], count: int) -> None:
    """Agreement takes two ballots and two answers."""
    assert counted(*ballots, count=count).agreement is None


@pytest.mark.parametrize(
    ("ballots", "count", "w"), [(("ABC", "CBA"), 3, 0.0), (("AB", "BA"), 2, 0.0), (("A", "A", "A"), 3, 1.0)]
)
def test_agreement_at_its_ends(ballots: tuple[str, ...], count: int, w: float) -> None:
    """Opposite ballots do not agree at all; equal ones do wholly, also where both leave the same answers out."""
    assert counted(*ballots, count=count).agreement == w


def test_agreement_looks_at_all_that_was_said() -> None:
    """Leaving self-votes out of the tally leaves the agreement of the reviewers as it is."""
    ballots = ("ABC", "BAC", "CAB")
    assert (
        counted(*ballots, count=3).agreement
        == counted(*ballots, count=3, exclude_self_votes=True).agreement
        is not None
    )


def test_ties_inside_ballots_are_corrected_for() -> None:
    """Two ballots over three answers, A first and A, B, C: W = 12 * 6.5 / (4 * 24 - 2 * 6), by hand."""
    assert counted("A", "ABC", count=3).agreement == pytest.approx(12 * 6.5 / 84)


@given(elections(), st.booleans(), st.randoms(use_true_random=False))
def test_the_order_of_the_ballots_changes_nothing(
    election: tuple[int, list[SubmittedBallot]], exclude: bool, draws: Random
) -> None:
    """The same ballots in another order are the same tally, to the last bit."""
    count, ballots = election
    shuffled = sorted(ballots, key=lambda _: draws.random())
    first, second = (
        rules.tally(labels(count), models(count), cast, exclude_self_votes=exclude) for cast in (ballots, shuffled)
    )
    assert first == second


@given(elections().flatmap(lambda e: st.tuples(st.just(e), st.permutations(range(e[0])))))
def test_dealing_other_labels_moves_no_answer(dealt: tuple[tuple[int, list[SubmittedBallot]], list[int]]) -> None:
    """Every author is as it was when the labels are assigned otherwise: a letter is worth nothing."""
    (count, ballots), order = dealt
    other = Labels(authors=tuple(seat(n) for n in order))
    renamed = [
        cast.model_copy(
            update={
                "own_label": cast.own_label and other.of(cast.reviewer),
                "ballot": cast.ballot.model_copy(
                    update={
                        "ranking": tuple(other.of(labels(count).author(name)) for name in cast.ballot.ranking),
                        "places": (),
                    }
                ),
            }
        )
        for cast in ballots
    ]
    before, after = (
        rules.tally(dealt_as, models(count), cast, exclude_self_votes=True)
        for dealt_as, cast in ((labels(count), ballots), (other, renamed))
    )
    assert merits(before) == merits(after)


@given(elections())
def test_averages_stay_between_first_and_last_and_balance(election: tuple[int, list[SubmittedBallot]]) -> None:
    """Every position lies in 1..n, their mean is (n + 1) / 2, and Borda hands out n (n - 1) / 2 points per ballot."""
    count = election[0]
    tally = decided(election, exclude=False)
    averages = [s.average_position for s in tally.standings if s.average_position is not None]
    assert 1 <= min(averages) <= max(averages) <= count
    assert mean(averages) == pytest.approx((count + 1) / 2)
    assert sum(s.borda for s in tally.standings) == pytest.approx(tally.ballots_counted * count * (count - 1) / 2)


@given(elections(), st.booleans())
def test_places_follow_merit_and_agreement_is_a_share(
    election: tuple[int, list[SubmittedBallot]], exclude: bool
) -> None:
    """Standings are in order of place, the first place is taken, and W lies between 0 and 1 where there is one."""
    tally = decided(election, exclude=exclude)
    assert [s.place for s in tally.standings] == sorted(s.place for s in tally.standings)
    assert tally.winner.place == 1
    assert tally.agreement is None or 0 <= tally.agreement <= 1


@given(st.permutations(LETTERS[:5]), st.integers(2, 9))
def test_unanimous_reviewers_agree_wholly_and_get_what_they_said(order: list[str], voices: int) -> None:
    """Equal ballots are W = 1, and the tally is their order."""
    tally = counted(*["".join(order)] * voices, count=5)
    assert tally.agreement == 1
    assert [s.label[-1] for s in tally.standings] == order


def test_a_reviewer_without_an_answer_has_no_self_vote() -> None:
    """For a reviewer without an answer nothing is left out."""
    guest = cast("BA", 2, reviewer=5)
    tally = rules.tally(labels(2), {**models(2), seat(5): model(5)}, [guest], exclude_self_votes=True)
    assert tally is not None
    assert [s.average_position for s in tally.standings] == [1, 2]
    assert label(1) == tally.winner.label
