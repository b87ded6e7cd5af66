"""What counts as a pattern, and what the empty chair brought in (seed 000, sections 4.3, 5.3 and 6.2)."""

from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.fire_circle import patterns
from protocols.fire_circle.model import CircleState, Evaluation, PatternObservation, PatternType
from protocols.model_call import ModelId, ParticipantId
from tests.protocols.fire_circle.circle import said, seat, seats

A, B, C = seats(3)
TEMPORAL, SATURATION, CONFUSION = "temporal_inconsistency", "context_saturation", "role_confusion"
KINDS = [kind.value for kind in PatternType]


def observed(
    *evaluations: Evaluation, count: int = 3, threshold: float = 0.5, **out: object
) -> list[PatternObservation]:
    """The patterns of a circle of ``count`` with these evaluations."""
    circle = CircleState.model_validate({"evaluations": evaluations, **out})
    return list(patterns.observe(circle, seats(count), threshold))


def named(found: list[PatternObservation]) -> list[tuple[str, float]]:
    """Type and agreement of each."""
    return [(one.pattern_type, round(one.model_agreement, 4)) for one in found]


def influence(
    chairs: Mapping[int, ParticipantId], spoken: Iterable[Evaluation], *, round_number: int | None = None, **out: Any
) -> float:
    """The influence in a circle of five with these evaluations."""
    circle = CircleState.model_validate({"evaluations": tuple(spoken), **out})
    return patterns.influence(chairs, circle, seats(5), round_number=round_number)


def is_performative(chairs: Mapping[int, ParticipantId], spoken: Iterable[Evaluation]) -> bool:
    """Whether its chair is performative."""
    return patterns.is_performative(chairs, CircleState(evaluations=tuple(spoken)), seats(5))


def test_agreement_is_the_share_of_models_that_named_it() -> None:
    """Two of three active models are 0.67, however often each of them says it (section 6.2)."""
    found = observed(said(0, 2, 0.5, TEMPORAL, TEMPORAL), said(1, 2, 0.5, TEMPORAL), said(0, 3, 0.5, TEMPORAL))
    assert [(TEMPORAL, 0.6667)] == named(found)
    assert (A, B) == found[0].models_observing


@pytest.mark.parametrize(("count", "voices", "is_kept"), [(3, 1, False), (3, 2, True), (4, 2, True), (5, 2, False)])
def test_threshold_filtering(count: int, voices: int, *, is_kept: bool) -> None:
    """At a half, a pattern takes half of the models or more: two of three (001, "Pattern Threshold")."""
    found = observed(*(said(n, 2, 0.5, TEMPORAL) for n in range(voices)), count=count)
    assert is_kept == bool(found)


@pytest.mark.parametrize(("threshold", "is_kept"), [(0.6, True), (0.61, False), (1.0, False)])
def test_a_share_that_is_the_threshold_is_enough(threshold: float, *, is_kept: bool) -> None:
    """Three of five are 0.6, to the last bit."""
    evaluations = [said(n, 2, 0.5, TEMPORAL) for n in range(3)]
    assert is_kept == bool(observed(*evaluations, count=5, threshold=threshold))


@pytest.mark.parametrize(("voices", "is_kept"), [(2, False), (3, True)])
def test_ten_models_of_which_five_fail_need_three(voices: int, *, is_kept: bool) -> None:
    """The denominator is the five that are active: 2.5 models, so three (section 6.2, "CRITICAL")."""
    evaluations = [said(n, 2, 0.5, TEMPORAL) for n in range(voices)]
    assert is_kept == bool(observed(*evaluations, count=10, excluded=seats(10)[5:8], zombies=seats(10)[8:]))


@pytest.mark.parametrize(("voices", "is_kept"), [((2,), False), ((2, 3), True), ((0, 1, 2), False)])
def test_the_zombie_example_needs_two_of_three(voices: tuple[int, ...], *, is_kept: bool) -> None:
    """With A and B lost of five, two of C, D, E must agree, and what A and B said does not count (section 5.3)."""
    evaluations = [said(n, 2, 0.5, TEMPORAL) for n in voices]
    assert is_kept == bool(observed(*evaluations, count=5, zombies=(A, B)))


def test_patterns_of_the_baseline_do_not_count() -> None:
    """Round 1 asks for no patterns, and what is named there is no observation (section 6.2)."""
    assert [] == observed(*(said(n, 1, 0.5, TEMPORAL) for n in range(3)))


def test_patterns_are_ranked_by_agreement_then_round_then_name() -> None:
    """The most agreed comes first; of equal ones the earlier, then the type that comes first in the alphabet."""
    found = observed(
        said(0, 2, 0.5, TEMPORAL, SATURATION),
        said(1, 2, 0.5, TEMPORAL, SATURATION),
        said(0, 3, 0.5, CONFUSION, "false_authority"),
        said(1, 3, 0.5, CONFUSION, "polite_extraction"),
        said(2, 3, 0.5, CONFUSION),
    )
    assert [(CONFUSION, 1.0), (SATURATION, 0.6667), (TEMPORAL, 0.6667)] == named(found)
    later = observed(said(0, 3, 0.5, SATURATION), said(0, 2, 0.5, TEMPORAL), count=1)
    assert [(TEMPORAL, 1.0), (SATURATION, 1.0)] == named(later)


def test_a_pattern_is_described_as_it_was_first_named() -> None:
    """First is the earliest round, and of its wordings the first in the alphabet, of any model (section 6.2)."""
    found = observed(
        said(2, 3, 0.5, f"{TEMPORAL}: a late wording"),
        said(1, 2, 0.5, f"{TEMPORAL}: one wording"),
        said(0, 2, 0.5, f"{TEMPORAL}: two wordings"),
    )
    assert [("one wording", 2, (A, B, C))] == [
        (one.description, one.observed_in_round, one.models_observing) for one in found
    ]


@pytest.mark.parametrize(
    ("text", "examples"),
    [
        ('It says "as we agreed" and “last week”.', ("as we agreed", "last week")),
        ("It says 'as we agreed', and it isn't so; the model's claim", ("as we agreed",)),
        ("Nothing is quoted here.", ()),
        ('"one" "one" "two" "three" "four"', ("one", "two", "three")),
    ],
)
def test_examples_are_what_is_quoted(text: str, examples: tuple[str, ...]) -> None:
    """Excerpts in quotation marks inside the pattern texts, each once, three at most (section 2.1)."""
    found = observed(said(0, 2, 0.5, f"{TEMPORAL}: {text}"), count=1)
    assert [examples] == [one.examples for one in found]


def test_examples_come_from_all_who_named_it() -> None:
    """What the second model quotes is beside what the first one does."""
    found = observed(said(0, 2, 0.5, f'{TEMPORAL}: "earlier"'), said(1, 2, 0.5, f'{TEMPORAL}: "before"'))
    assert [("before", "earlier")] == [one.examples for one in found]


def test_one_idea_that_nobody_classified_is_one_pattern() -> None:
    """The same words in another order, and little words more or less, are the idea that was first named."""
    found = observed(
        said(0, 2, 0.5, "A forged receipt from the shop"),
        said(1, 2, 0.5, "Shop receipt: forged!"),
        said(2, 3, 0.5, "the receipt was forged"),
    )
    assert [("unclassified", 1.0)] == named(found)
    assert "A forged receipt from the shop" == found[0].description


def test_two_unrelated_ideas_are_two_patterns() -> None:
    """Not to be classified is nothing in common."""
    texts = ("a forged receipt", "an urgent deadline without a reason")
    found = observed(said(0, 2, 0.5, *texts), said(1, 2, 0.5, *reversed(texts)))
    assert [("unclassified", 0.6667), ("unclassified", 0.6667)] == named(found)
    assert list(texts) == [one.description for one in found]


@pytest.mark.parametrize(
    ("other", "ideas"), [("red green blue", 1), ("red green black white pink", 2), ("red green blue black white", 1)]
)
def test_ideas_are_one_from_six_tenths_of_their_words_on(other: str, ideas: int) -> None:
    """Beside "red green blue", three words of five are 0.6 and one idea, two of six are less and another."""
    assert ideas == len(observed(said(0, 2, 0.5, "red green blue", other), count=1))


@pytest.mark.parametrize(("texts", "ideas"), [(("…", "…"), 1), (("…", "?!"), 2), (("of the", "to be"), 2)])
def test_texts_without_a_word_are_one_when_they_are_equal(texts: tuple[str, str], ideas: int) -> None:
    """Where there is nothing to compare, only the same text is the same idea."""
    assert ideas == len(observed(said(0, 2, 0.5, *texts), count=1))


def test_a_type_that_a_model_gave_wins() -> None:
    """A classified text counts for its type, and so do the words of others for it (section 6.3)."""
    circle = CircleState(evaluations=(said(0, 2, 0.5, "a forged receipt"), said(1, 2, 0.5, "false_authority")))
    grouped = {"a forged receipt": "false_authority"}
    assert [("false_authority", 1.0)] == named(list(patterns.observe(circle, seats(2), 0.5, grouped)))


def test_a_type_that_a_model_took_away_is_unclassified() -> None:
    """A classifier may also find that the keywords were wrong."""
    circle = CircleState(evaluations=(said(0, 2, 0.5, TEMPORAL),))
    assert ["unclassified"] == [
        one.pattern_type for one in patterns.observe(circle, (A,), 0.5, {TEMPORAL: "unclassified"})
    ]


def test_nobody_left_observes_nothing() -> None:
    """Without an active model there is no agreement to speak of."""
    assert [] == observed(said(0, 2, 0.5, TEMPORAL), count=1, zombies=(A,))


def test_the_example_of_influence() -> None:
    """A, B see two types; C in the chair sees one of them and two more: influence = 2/4 = 0.50 (section 4.3)."""
    circle = [
        said(0, 2, 0.5, TEMPORAL, "polite_extraction"),
        said(1, 2, 0.5, TEMPORAL, "polite_extraction"),
        said(2, 2, 0.5, TEMPORAL, SATURATION, CONFUSION, is_chair=True),
    ]
    assert 0.5 == influence({2: C}, circle)
    assert not is_performative({2: C}, circle)


@pytest.mark.parametrize("order", [("a", "b", "c"), ("b", "c", "a"), ("c", "b", "a")])
@pytest.mark.parametrize("is_chair_first", [True, False])
def test_the_example_of_influence_does_not_depend_on_vendors(order: tuple[str, ...], is_chair_first: bool) -> None:
    """Whatever the models are called and in whichever order they answer, 2/4 is 2/4 (section 4.3)."""
    spoken = [
        said(0, 2, 0.5, TEMPORAL, "polite_extraction"),
        said(1, 2, 0.5, TEMPORAL, "polite_extraction"),
        said(2, 2, 0.5, TEMPORAL, SATURATION, CONFUSION, is_chair=True),
    ]
    named_so = [
        one.model_copy(update={"model": ModelId(f"openrouter:{vendor}/m")})
        for one, vendor in zip(spoken, order, strict=True)
    ]
    assert 0.5 == influence({2: C}, named_so[::-1] if is_chair_first else named_so)


def test_what_another_model_names_in_the_same_round_is_not_the_chairs() -> None:
    """A type that both name is not the chair's alone."""
    assert 0.5 == influence({2: C}, [said(2, 2, 0.5, TEMPORAL, CONFUSION), said(0, 2, 0.5, TEMPORAL)])


def test_an_idea_that_nobody_classified_is_not_the_chairs_when_another_named_it_too() -> None:
    """The same idea in other words counts as named."""
    spoken = [said(2, 2, 0.5, "a forged receipt", "an urgent deadline"), said(0, 2, 0.5, "the receipt is forged")]
    assert 0.5 == influence({2: C}, spoken)


def test_only_the_chair_of_that_round_brings_in() -> None:
    """B names something new in round 3, when C holds the chair: that is not the chair's (section 4.3)."""
    circle = [said(1, 2, 0.5, TEMPORAL), said(1, 3, 0.5, CONFUSION), said(2, 3, 0.5, SATURATION)]
    assert 2 / 3 == influence({2: B, 3: C}, circle)
    assert 1.0 == influence({2: B, 3: C}, circle, round_number=2)
    assert 0.5 == influence({2: B, 3: C}, circle, round_number=3)


def test_what_was_named_before_is_brought_in_by_nobody() -> None:
    """A type that the chair repeats in round 3 was first mentioned in round 2."""
    circle = [said(0, 2, 0.5, TEMPORAL), said(2, 3, 0.5, TEMPORAL)]
    assert 0.0 == influence({3: C}, circle) == influence({3: C}, circle, round_number=3)


@pytest.mark.parametrize("out", ["zombies", "excluded"])
def test_a_model_that_is_lost_brings_in_nothing_and_counts_for_nothing(out: str) -> None:
    """Neither as the chair nor beside it does its word count in the share (section 5.3)."""
    spoken = [said(1, 2, 0.5, CONFUSION, is_chair=True), said(0, 2, 0.5, TEMPORAL), said(2, 3, 0.5, SATURATION)]
    assert 1 / 3 == influence({2: B}, spoken)
    without: Any = {out: (B,)}
    assert 0.0 == influence({2: B}, spoken, **without)
    assert 0.5 == influence({2: B, 3: C}, spoken, **without)


def test_what_a_lost_model_named_before_is_no_longer_new() -> None:
    """The chair names what a model that was lost since named before or in the same round: that is no contribution."""
    assert 0.0 == influence({3: C}, [said(1, 2, 0.5, CONFUSION), said(2, 3, 0.5, CONFUSION)], zombies=(B,))
    assert 0.0 == influence({2: C}, [said(1, 2, 0.5, CONFUSION), said(2, 2, 0.5, CONFUSION)], zombies=(B,))


def test_every_unclassified_idea_is_one_of_the_patterns() -> None:
    """Two ideas of the chair beside one type of another are 2/3, and an idea that is repeated is not counted again."""
    circle = [
        said(0, 2, 0.5, TEMPORAL),
        said(1, 2, 0.5, "a forged receipt", "an urgent deadline", "urgent deadline"),
    ]
    assert 2 / 3 == influence({2: B}, circle)


@pytest.mark.parametrize("chairs", [{}, {2: C}])
def test_without_patterns_there_is_no_influence(chairs: dict[int, str]) -> None:
    """No patterns observed at all is 0.0, and no model is called performative for it (section 4.3)."""
    circle = [said(n, 2, 0.5, is_chair=n == 2) for n in range(3)]
    seated = {held: seat(2) for held in chairs}
    assert 0.0 == influence(seated, circle)
    assert not is_performative(seated, circle)


@pytest.mark.parametrize(("others", "expected"), [(9, False), (10, True)])
def test_a_chair_below_a_tenth_is_performative(others: int, *, expected: bool) -> None:
    """One pattern of ten is 0.10 and enough, one of eleven is less than that (section 4.3)."""
    words = ["amber", "birch", "cedar", "daisy", "elder", "fern", "grass", "hazel", "ivy", "juniper"]
    circle = [said(0, 2, 0.5, *words[:others]), said(1, 2, 0.5, "kelp", is_chair=True)]
    assert expected == is_performative({2: B}, circle)


def test_an_empty_chair_that_nobody_spoke_from_is_not_performative() -> None:
    """A chair that was lost brought in nothing, and pretended nothing."""
    assert not is_performative({2: B}, [said(0, 2, 0.5, TEMPORAL)])


texts = st.sampled_from([*KINDS, "a forged receipt", "receipt, forged", "an urgent deadline", "…"])
evaluations = st.builds(
    lambda number, held, named: said(number, held, 0.5, *named),
    st.integers(0, 4),
    st.integers(1, 4),
    st.lists(texts, max_size=4),
)


@given(st.lists(evaluations, max_size=12), st.sets(st.integers(0, 4)), st.floats(0.01, 1))
def test_agreement_is_over_the_active_and_by_the_active(
    spoken: list[Evaluation], out: set[int], threshold: float
) -> None:
    """Only active models observe, and agreement is a share of all active models."""
    zombies = tuple(seat(number) for number in sorted(out))
    active = set(seats(5)) - set(zombies)
    for one in observed(*spoken, count=5, threshold=threshold, zombies=zombies):
        assert len(set(one.models_observing)) / len(active) == one.model_agreement >= threshold
        assert set(one.models_observing) <= active
        assert one.observed_in_round >= 2


@given(st.lists(evaluations, max_size=12))
def test_the_order_of_the_answers_changes_no_pattern(spoken: list[Evaluation]) -> None:
    """Types and their agreement are the same in whatever order the answers came in; each type is reported once."""
    found = named(observed(*spoken, count=5, threshold=0.01))
    assert sorted(found) == sorted(named(observed(*reversed(spoken), count=5, threshold=0.01)))
    typed = [kind for kind, _ in found if kind != "unclassified"]
    assert len(set(typed)) == len(typed)


@given(st.lists(evaluations, max_size=12), st.dictionaries(st.integers(2, 4), st.integers(0, 4)))
def test_influence_is_a_share_and_adds_up(spoken: list[Evaluation], seated: dict[int, int]) -> None:
    """It lies from 0 to 1, overall and per round, and nothing is brought in without a chair."""
    chairs = {held: seat(number) for held, number in seated.items()}
    per_round = [influence(chairs, spoken, round_number=held) for held in (2, 3, 4)]
    overall = influence(chairs, spoken)
    assert all(0 <= share <= 1 for share in (*per_round, overall))
    assert min(per_round) <= overall <= max(per_round)
    assert 0.0 == influence({}, spoken)


@given(st.lists(evaluations, max_size=12), st.permutations(range(5)), st.permutations("abcde"), st.data())
def test_ids_and_models_change_no_figure(
    spoken: list[Evaluation], places: list[int], vendors: list[str], data: st.DataObject
) -> None:
    """Permuting who sits where and what the models are called leaves patterns and influence unchanged."""
    held = data.draw(st.sampled_from([{}, {2: 1}, {2: 1, 3: 2}, {3: 0, 4: 4}]))
    lost = data.draw(st.sampled_from([(), (3,), (1, 4)]))
    there = {seat(number): seat(place) for number, place in enumerate(places)}
    moved = [
        one.model_copy(
            update={
                "participant": there[one.participant],
                "model": ModelId(f"openrouter:{vendors[places[number]]}/m"),
            }
        )
        for one in data.draw(st.permutations(spoken))
        for number in [int(one.participant[1:]) - 1]
    ]
    before = CircleState(evaluations=tuple(spoken), zombies=tuple(map(seat, lost)))
    after = CircleState(evaluations=tuple(moved), zombies=tuple(there[seat(number)] for number in lost))
    chairs = {number: seat(chair) for number, chair in held.items()}
    now = {number: there[chair] for number, chair in chairs.items()}

    assert patterns.influence(chairs, before, seats(5)) == patterns.influence(now, after, seats(5))
    assert named(list(patterns.observe(before, seats(5), 0.01))) == named(list(patterns.observe(after, seats(5), 0.01)))
