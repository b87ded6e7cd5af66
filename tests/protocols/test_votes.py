"""Counting equal votes: plurality, ties, abstentions, and what counts as the same answer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.answers import AnswerForm
from protocols.model_call import ModelId, ParticipantId
from protocols.votes import Decision, Tally, Vote, count, decide, flaws_of, votes_table
from tests.fakes.baselines import final, said_by
from tests.fakes.shown_tables import texts

FREE = AnswerForm()


def votes(*answers: str | None) -> list[Vote]:
    """One vote of each of p1, p2 … ."""
    return [
        Vote(voter=ParticipantId(f"p{n}"), model=ModelId("lab:small"), answer=answer)
        for n, answer in enumerate(answers, start=1)
    ]


ballots = st.lists(st.none() | st.sampled_from("ABC"), max_size=12)


def test_the_most_frequent_answer_wins() -> None:
    """Plurality: two of four are enough, and agreement is the winner's share of the votes cast."""
    tally = count(votes("A", "B", None, "B", "C"))

    assert tally.winner is not None
    assert ("B", 2, ("p2", "p4")) == (tally.winner.answer, tally.winner.votes, tally.winner.voters)
    assert (4, 1, 0.5, "plurality") == (tally.cast, tally.abstained, tally.agreement, tally.decided_by)


def test_an_unread_vote_and_a_broken_tie_are_flaws() -> None:
    """Each reply without a readable answer is one, and so is the order that decides between equal answers."""
    cast = votes("A", None, "B")
    found = flaws_of(Decision(votes=tuple(cast), tally=count(cast)), "answer")
    assert [("unread", "p2"), ("tie_broken", "p1")] == [(one.kind, one.participant) for one in found]
    assert found[1].note.startswith("A, B share the most votes")
    agreed = votes("A", "A")
    assert () == flaws_of(Decision(votes=tuple(agreed), tally=count(agreed)), "answer")


def test_a_tie_goes_to_the_earliest() -> None:
    """Equal votes: the answer whose first voter was asked first wins, and all that tie are named."""
    tally = count(votes("C", "A", "B", "A", "C"))

    assert (("C", "A"), "earliest_of_tied", "C") == (tally.tied, tally.decided_by, tally.winner and tally.winner.answer)


@pytest.mark.parametrize(
    ("answers", "decided"),
    [((), "none"), (("A",), "only_reply"), ((None,), "only_reply"), ((None, None), "none_readable")],
)
def test_what_there_is_to_count(answers: tuple[str | None, ...], decided: str) -> None:
    """Nothing, one reply, and replies without an answer decide in ways of their own."""
    assert decided == count(votes(*answers)).decided_by


@given(ballots)
def test_every_vote_is_counted_once(answers: list[str | None]) -> None:
    """Votes and abstentions add up, the order is by votes, and no one with more votes loses."""
    tally = count(votes(*answers))

    assert len(answers) == tally.cast + tally.abstained
    assert tally.cast == sum(choice.votes for choice in tally.choices)
    assert sorted((choice.votes for choice in tally.choices), reverse=True) == [one.votes for one in tally.choices]
    assert len({voter for choice in tally.choices for voter in choice.voters}) == tally.cast


@pytest.mark.parametrize(
    ("first", "other"),
    [
        ("be closed", "not be closed"),
        ("close in 2027", "close in 2028"),
        ("be closed", "be rebuilt"),
        ("close", "close without notice"),
        ("go up", "go down"),
        ("buy", "sell"),
        ("worden gesloten", "niet worden gesloten"),
        ("stängas", "inte stängas"),
        ("essere chiuso", "non essere chiuso"),
        ("may close", "must close"),
        ("kapatılmalı", "kapatılmamalı"),
        ("đóng cửa", "không đóng cửa"),
        ("बंद करना", "बंद न करना"),
        ("폐쇄한다", "폐쇄하지 않는다"),
    ],
)
def test_a_negation_a_number_or_a_word_in_place_of_another_makes_another_answer(first: str, other: str) -> None:
    """However many words two open answers share, one that denies the other, or says something in its place, is not."""
    said = [
        f"The bridge that crosses the river behind an old mill should {one} before winter" for one in (first, other)
    ]
    replies = [said_by(f"p{n}", final(text), form=FREE) for n, text in enumerate(said, 1)]
    assert 2 == len(decide(replies).tally.choices)


@pytest.mark.parametrize(
    ("first", "other"),
    [
        ("-5", "5"),
        ("C", "C++"),
        ("5", "5%"),
        ("3.5", "5.3"),
        ("x-1", "x+1"),
        ("The ratio is 3:4", "The ratio is 4:3"),
        ("5 €", "5 £"),
        ("At 9 am", "At 9 pm"),
        ("a > b", "b > a"),
        ("The Sun orbits the Earth.", "The Earth orbits the Sun."),
    ],
)
def test_a_sign_or_two_words_that_changed_places_make_another_answer(first: str, other: str) -> None:
    """Signs belong to the number or name that they are written at, and who does something is not whom it is done to."""
    replies = [said_by(f"p{n}", final(text), form=FREE) for n, text in enumerate((first, other), 1)]
    assert 2 == len(decide(replies).tally.choices)


@pytest.mark.parametrize(
    ("first", "other"),
    [("Apples and pears", "Pears and apples"), ("**Paris**.", "paris"), ("−5 °C", "-5 °C"), ("Red, blue", "blue, red")],
)
def test_the_order_of_a_list_and_the_dress_of_an_answer_make_no_other_one(first: str, other: str) -> None:
    """Two of a list may come in any order, and decoration and capitals do not count."""
    replies = [said_by(f"p{n}", final(text), form=FREE) for n, text in enumerate((first, other), 1)]
    assert 1 == len(decide(replies).tally.choices)


def test_open_answers_are_the_same_when_their_words_are() -> None:
    """At 85 words in a hundred in common, two open answers are one; below they are two."""
    said = ["The sky is blue because air scatters short waves", "Because air scatters short waves the sky is blue!"]
    replies = [said_by(f"p{n}", final(text), form=FREE) for n, text in enumerate((*said, "It reflects the sea"), 1)]
    decision = decide(replies)

    assert [2, 1] == [choice.votes for choice in decision.tally.choices]
    assert decision.reply == replies[0]


@pytest.mark.parametrize(
    ("first", "other"),
    [
        *(("5 %", "5%"), ("5 km", "5km"), ("1,000 euros", "1000 euros"), ("3-5 days", "3–5 days")),
        *(("At 9 AM", "At 9am"), ("It costs 5 €", "It costs 5€")),
    ],
)
def test_the_spelling_of_a_number_makes_no_other_answer(first: str, other: str) -> None:
    """A blank before a unit, a comma between thousands, and the form of a dash say nothing: the answers are one."""
    replies = [said_by(f"p{n}", final(text), form=FREE) for n, text in enumerate((first, other), 1)]
    assert 1 == len(decide(replies).tally.choices)


def test_exact_answers_differ_only_in_capitals() -> None:
    """An exact answer counts as the same without regard to capitals and spaces, and to nothing else."""
    form = AnswerForm(kind="exact")
    replies = [said_by(f"p{n}", final(text), form=form) for n, text in enumerate(("York", "New  York", "new york"), 1)]

    assert [("New York", 2), ("York", 1)] == [(one.answer, one.votes) for one in decide(replies).tally.choices]


def test_the_verdict_is_the_first_reply_with_the_answer() -> None:
    """The whole text of the first that gave the winning answer; without an answer, of the first at all."""
    replies = [said_by("p1", final("1")), said_by("p2", final("2")), said_by("p3", final("2"))]

    assert (replies[1], None) == (decide(replies).reply, decide([]).reply)
    silent = [said_by("p1", final("")), said_by("p2", final(""))]
    assert silent[0] == decide(silent).reply


def test_the_count_as_a_table() -> None:
    """Answers with votes, share and voters; how many gave no answer is stated below."""
    table = votes_table(count(votes("A", "B", None, "B")))

    assert ["B", "2", "67%", "p2, p4"] == texts(table)[1]
    assert "4 answered, 1 without a final answer" in table.notes[0].text


def test_an_empty_count_has_no_winner() -> None:
    """Where nothing was counted nothing is agreed on."""
    assert (None, None, ()) == (Tally().winner, Tally().agreement, votes_table(Tally()).rows)
