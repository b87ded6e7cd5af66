"""When two claims are one, when two sources are, and that an id is given once (seed 003, section 7.7)."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocols.debate.model.io import InjectEvidence
from protocols.debate.model.state import DebateState
from protocols.debate.model.turn import TurnReading
from protocols.debate.rules.named_sources import address, is_same, nearest, normalise, title_words
from protocols.debate.rules.registry import add_decision, add_evidence, enter_turn
from tests.protocols.debate.parts import claim, reading, reference, seat, state

TWENTY = "a b c d e f g h i j k l m o p q r s t u"

sentences = st.lists(st.sampled_from("abcdefg"), max_size=14).map(" ".join)


class TestOneClaim:
    """A claim introduced twice is one claim: similarity >= 0.85 over the words."""

    def test_case_and_points_make_no_difference(self) -> None:
        """The same words in the same number say the same."""
        assert is_same(normalise("Traffic fell in comparable cities."), normalise("traffic fell, in COMPARABLE cities"))

    @pytest.mark.parametrize(("changed", "same"), [(3, True), (4, False)])
    def test_similarity_is_085_exactly(self, changed: int, *, same: bool) -> None:
        """With 17 of 20 words in common two claims are one, with 16 they are two."""
        words = TWENTY.split()
        other = [*(f"{word}x" for word in words[:changed]), *words[changed:]]
        assert same == is_same(normalise(TWENTY), normalise(" ".join(other)))
        assert same == (nearest(TWENTY, {"C1": " ".join(other)}) is not None)

    def test_a_word_counts_as_often_as_it_stands(self) -> None:
        """Multisets are compared: a word said five times is not the same word said once."""
        assert not is_same(normalise("more more more more more traffic"), normalise("more traffic"))

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("rents fell by 10 % in all of the large cities", "rents fell by 20 % in all of the large cities"),
            ("the result in all of the tests was 1.5", "the result in all of the tests was 1.50"),
            ("trade moves by -5 % in all of the streets", "trade moves by 5 % in all of the streets"),
            ("all of the streets in the centre were closed in 2020", "all of the streets in the centre were closed in"),
        ],
    )
    def test_other_numbers_are_another_claim(self, one: str, other: str) -> None:
        """However alike the words, other numbers say something else."""
        assert not is_same(normalise(one), normalise(other))

    @pytest.mark.parametrize("word", ["not", "never", "no", "without", "cannot", "none", "neither", "nor"])
    def test_a_negation_more_is_another_claim(self, word: str) -> None:
        """One word turns a claim into its contrary."""
        plain = "it is safe to close the centre of the city to all the cars"
        assert not is_same(normalise(plain), normalise(f"{plain} {word}"))

    @pytest.mark.parametrize("apostrophe", ["'", "’"])
    def test_a_negation_may_be_short(self, apostrophe: str) -> None:
        """``isn't`` negates, with either apostrophe, as ``not`` does."""
        long, short = "this is not safe in the whole of the city now", f"this isn{apostrophe}t safe in the whole of it"
        assert (1, 1) == (normalise(long).negations, normalise(short).negations)

    def test_what_has_no_words_is_the_same_as_nothing(self) -> None:
        """Two rows of dots are not one claim."""
        assert not is_same(normalise("..."), normalise("…"))

    def test_the_most_alike_is_taken(self) -> None:
        """Of several that would do, it is the nearest, and among equals the first."""
        near = TWENTY.replace("a b", "a x")
        assert nearest(TWENTY, {"C1": near, "C2": TWENTY, "C3": TWENTY}) == "C2"

    @given(st.lists(sentences, max_size=6), sentences)
    def test_none_that_states_the_same_is_overlooked(self, held: list[str], text: str) -> None:
        """Whatever says the same as one of several texts is found among them."""
        texts = {f"C{number}": one for number, one in enumerate(held, 1)}
        same = [at for at, one in texts.items() if is_same(normalise(text), normalise(one))]
        found = nearest(text, texts)
        assert bool(same) == (found is not None)
        assert found is None or found in same


class TestOneEvidence:
    """Evidence is one when its address is the same, or its title."""

    @pytest.mark.parametrize(
        "url",
        [
            "https://example.org/study",
            "http://www.EXAMPLE.org/study/",
            "example.org/study#results",
            "  https://example.org/study ",
        ],
    )
    def test_an_address_is_one_in_many_spellings(self, url: str) -> None:
        """Scheme, ``www.``, capitals of the host, a mark within the page and a last slash make no difference."""
        assert address("https://example.org/study") == address(url)

    def test_a_path_is_read_as_it_stands(self) -> None:
        """Behind the host capitals count, and so does the question."""
        assert len({address("a.org/X"), address("a.org/x"), address("a.org/x?p=1")}) == 3

    def test_a_title_is_its_words(self) -> None:
        """Points and capitals of a title make no difference."""
        assert title_words("Lund, A. (2021). City Traffic.") == title_words("lund a 2021 CITY traffic")


TEXTS = (
    "Traffic fell in cities",
    "Shops lose trade",
    "Air is cleaner now",
    "Air is not cleaner now",
    "Rents rise by 5 %",
)
TITLES = ("Lund (2021). Traffic.", "Berg (2020). Shops.", "Chen (2024). Air.")
IDS = st.lists(st.sampled_from(["C1", "C2", "C3", "C9", "E1", "x"]), max_size=3)

claims = st.builds(
    lambda text, label, cited, opposes: claim(text, label, citations=cited, opposes=opposes),
    st.sampled_from(TEXTS),
    st.sampled_from(["FACT", "INFER", "ASSUME", "OPEN"]),
    st.lists(st.integers(1, 4), max_size=2),
    IDS,
)
turns = st.builds(
    lambda made, listed, reinforces, challenges, retracts: reading(
        *made,
        references=[reference(at, title) for at, title in enumerate(listed, 1)],
        reinforces=reinforces,
        challenges=challenges,
        retracts=retracts,
    ),
    st.lists(claims, max_size=3),
    st.lists(st.sampled_from(TITLES), max_size=3),
    IDS,
    IDS,
    IDS,
)
sayings = st.lists(st.tuples(st.integers(1, 3), turns), max_size=8)


def steps(said: Sequence[tuple[int, TurnReading]]) -> list[DebateState]:
    """The registries after each of these turns, one to a round; every third round a user settles something."""
    states = [state()]
    for number, (agent, turn) in enumerate(said, 1):
        after = enter_turn(states[-1], turn, seat(agent), number).state
        if number % 3 == 0:
            after = add_decision(after, f"Settled {number}", number)
            after, _ = add_evidence(after, InjectEvidence(fact=f"Fact {number}", source="City register"), number)
        states.append(after)
    return states


def texts(told: DebateState) -> list[tuple[str, str]]:
    """The claims, id and text."""
    return [(one.id, one.text) for one in told.claims]


def titles(told: DebateState) -> list[tuple[str, str]]:
    """The evidence, id and title."""
    return [(one.id, one.title) for one in told.evidence]


class TestIdsAreGivenOnce:
    """Whatever the claims and their order."""

    @settings(max_examples=40)
    @given(sayings)
    def test_no_id_and_no_text_ever_changes(self, said: list[tuple[int, TurnReading]]) -> None:
        """A claim keeps its id through all turns that follow."""
        states = steps(said)
        for earlier in states:
            assert texts(earlier) == texts(states[-1])[: len(earlier.claims)]
            assert titles(earlier) == titles(states[-1])[: len(earlier.evidence)]

    @settings(max_examples=40)
    @given(sayings)
    def test_ids_are_dense(self, said: list[tuple[int, TurnReading]]) -> None:
        """They are numbered from 1 without a gap, in the order of introduction."""
        last = steps(said)[-1]
        assert [f"C{number}" for number in range(1, len(last.claims) + 1)] == [one.id for one in last.claims]
        assert [f"E{number}" for number in range(1, len(last.evidence) + 1)] == [one.id for one in last.evidence]
        assert [f"D{number}" for number in range(1, len(last.decisions) + 1)] == [one.id for one in last.decisions]

    @settings(max_examples=40)
    @given(sayings)
    def test_one_claim_has_one_id(self, said: list[tuple[int, TurnReading]]) -> None:
        """No text is there twice, and every id that is named somewhere is there."""
        last = steps(said)[-1]
        there = {at for at, _ in (*texts(last), *titles(last))}
        named = {at for one in last.claims for at in (*one.support, *one.opposition)}
        assert len({one.text for one in last.claims}) == len(last.claims)
        assert named | {at for one in last.evidence for at in one.supports} <= there

    @settings(max_examples=40)
    @given(sayings)
    def test_nobody_stands_on_both_sides(self, said: list[tuple[int, TurnReading]]) -> None:
        """A debater that opposes a claim does not support it, and a retracted claim has no supporter."""
        for one in steps(said)[-1].claims:
            assert not set(one.supporters) & set(one.opponents)
            assert (one.status == "retracted") == (not one.supporters)

    @settings(max_examples=40)
    @given(sayings, sayings)
    def test_a_continued_run_goes_on_numbering(
        self, first: list[tuple[int, TurnReading]], then: list[tuple[int, TurnReading]]
    ) -> None:
        """Registries that went through JSON give the same as those that did not."""
        before = steps(first)[-1]
        carried = DebateState.model_validate_json(before.model_dump_json())
        for number, (agent, turn) in enumerate(then, 20):
            before = enter_turn(before, turn, seat(agent), number).state
            carried = enter_turn(carried, turn, seat(agent), number).state
        assert before == carried
