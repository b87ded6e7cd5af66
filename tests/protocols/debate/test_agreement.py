"""When two positions agree, and that a position and its negation never do (point 25)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.debate.rules.agreement import agree, is_opposed, likeness, repeats

SAME = (
    ("Close the centre to cars in steps.", "Close the centre to cars in steps."),
    ("Yes, close the centre to cars.", "We should close the centre to cars."),
    ("We should not ban phones in schools.", "Schools should allow phones."),
    (
        "Wir sollten das Zentrum für Autos sperren.",
        "Das Zentrum sollte für Autos gesperrt sein, wir sollten es sperren.",
    ),
    ("我们应该关闭市中心", "我们应该在周末关闭市中心"),
    ("42", "42."),
    ("Yes.", "Yes!"),
)
OPPOSED = (
    ("We should adopt the plan.", "We should not adopt the plan."),
    ("We should adopt the plan.", "We shouldn't adopt the plan."),
    ("We should adopt the plan.", "We should never adopt the plan, whatever it brings to the city and its shops."),
    ("Yes.", "No."),
    ("YES, the city should close its centre.", "NO, the city should close its centre."),
    ("No, close nothing.", "Neither: it is the wrong question."),
    ("Yes", "Neutral"),
    ("My answer is yes.", "My answer is no."),
    ("Ban phones in schools.", "Allow phones in schools."),
    ("The plan is safe.", "The plan is unsafe."),
    ("I am for the toll.", "I am against the toll."),
    ("Set the limit at 30 km/h.", "Set the limit at 50 km/h."),
    ("We should choose Berlin for the games.", "We should choose Munich for the games."),
    ("The answer is B.", "The answer is C."),
    ("Adopt the toll rather than the ban.", "Adopt the ban rather than the toll."),
    ("Wir sollten den Plan annehmen.", "Wir sollten den Plan nicht annehmen."),
    ("Wir sollten den Plan annehmen.", "Wir sollten den Plan ablehnen."),
    ("Ja, die Stadt soll es tun.", "Nein, die Stadt soll es tun."),
    ("Nous devons adopter le plan.", "Nous ne devons pas adopter le plan."),
    ("Oui, il faut fermer.", "Non, il faut fermer."),
    ("Debemos adoptar el plan.", "No debemos adoptar el plan."),
    ("Debemos permitir los coches.", "Debemos prohibir los coches."),
    ("我们应该采用这个计划", "我们不应该采用这个计划"),
    ("是的，应该关闭", "否，应该关闭"),
    ("この計画を採用すべきだ", "この計画を採用すべきではない"),
)
APART = (
    ("Close the centre to cars in steps.", "Build two bridges over the river next year."),
    ("A toll divides by income.", "Trains should be free for pupils."),
)
VOCABULARY = (
    *("adopt", "plan", "toll", "centre", "streets", "cars", "build", "bridges"),
    *("river", "trains", "schools", "phones", "winter"),
)
WORDS = st.sampled_from(VOCABULARY)
POSITIONS = st.lists(WORDS, min_size=2, max_size=12, unique=True)


@pytest.mark.parametrize(("one", "other"), SAME)
def test_the_same_position_in_other_words_agrees(one: str, other: str) -> None:
    """Positions that hold the same agree, whichever comes first."""
    assert agree(one, other)
    assert agree(other, one)


@pytest.mark.parametrize(("one", "other"), OPPOSED)
def test_positions_that_deny_each_other_do_not_agree(one: str, other: str) -> None:
    """A negation, an opposite, another number, name, or answer keeps two positions apart, however alike their words."""
    assert not agree(one, other)
    assert not agree(other, one)
    assert not repeats(other, one)


@pytest.mark.parametrize(("one", "other"), APART)
def test_positions_on_other_matters_are_apart_and_not_opposed(one: str, other: str) -> None:
    """Who speaks of something else denies nothing, and agrees with nothing either."""
    assert (False, False) == (agree(one, other), is_opposed(one, other))


@given(POSITIONS)
def test_a_position_and_its_negation_never_agree(words: list[str]) -> None:
    """Whatever is held, "we should not" before the same words is another position, and agrees with itself."""
    held, denied = f"We should {' '.join(words)}.", f"We should not {' '.join(words)}."
    assert agree(held, held)
    assert agree(denied, denied)
    assert not agree(held, denied)
    assert not repeats(denied, held)


@given(st.text(max_size=300), st.text(max_size=300))
def test_agreement_is_mutual_and_never_fails(one: str, other: str) -> None:
    """Any two texts are compared, and the order does not matter."""
    assert agree(one, other) == agree(other, one)
    assert is_opposed(one, other) == is_opposed(other, one)
    assert 0 <= likeness(one, other) <= 1


@given(POSITIONS, POSITIONS)
def test_a_motion_with_an_addition_is_still_the_motion(words: list[str], more: list[str]) -> None:
    """MINOR repeats the motion and adds to it: however long the addition, it is the motion that is held."""
    moved = f"We should {' '.join(words)}."
    assert repeats(f"{moved} I would only add a review: {' '.join(f'q{word}' for word in more)}.", moved)


def test_likeness_is_that_of_the_words_that_say_something() -> None:
    """Function words count for nothing, and what says nothing is like nothing."""
    assert (
        0.5
        == likeness("We should adopt the toll for lorries.", "They would adopt a toll on bridges in winter.") * 5 / 4
    )
    assert 1 == likeness("We should adopt it.", "They would adopt this.")
    assert 0 == likeness("", "")
