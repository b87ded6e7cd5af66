"""How long a text is, by estimate: examples of what weighs how much, and what holds for every text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols import tokens
from protocols.tokens import clip, count

TEXTS = st.text(st.one_of(st.sampled_from("aZ9 \n\t.-=<[…─ä中д"), st.characters()), max_size=200)
PROSE = "The centre was closed in steps, and traffic fell by 12 percent within a year. "


class TestCount:
    """What a text weighs."""

    @pytest.mark.parametrize(
        ("tokens", "text"),
        [
            (0, ""),
            (1, "word"),
            (1, "a"),
            (3, "the open city"),
            (2, "closed"),
            (3, "implementation"),
            (2, "FACT"),
            (1, "365"),
            (2, "3650"),
            (4, "of 365 days"),
            (1, "\n"),
            (2, "\n        "),
            (5, " " * 64),
            (2, "--------"),
            (4, "[1]."),
        ],
    )
    def test_examples(self, tokens: int, text: str) -> None:
        """Short words are one token, long ones more, digits go by three, and runs of blanks or dashes are cheap."""
        assert tokens == count(text)

    @pytest.mark.parametrize(
        ("hundred", "character"),
        [(150, "中"), (150, "か"), (150, "글"), (75, "д"), (150, "λ"), (300, "🚗"), (150, "é")],
    )
    def test_scripts_beyond_ascii_weigh_what_they_cost_on_average(self, hundred: int, character: str) -> None:
        """A hundred characters of a script weigh a hundred times one of them: no one is shown more for writing it."""
        assert hundred == count(character * 100)

    def test_ordinary_prose_weighs_a_little_more_than_its_words(self) -> None:
        """English prose has about five tokens for four words, marks included."""
        words = len((PROSE * 20).split())
        assert 1.2 * words < count(PROSE * 20) < 1.5 * words

    @given(TEXTS, TEXTS)
    def test_a_text_that_goes_on_is_never_shorter(self, beginning: str, more: str) -> None:
        """Whatever is put behind a text or before it, it does not get shorter."""
        assert count(beginning) <= count(beginning + more)
        assert count(more) <= count(beginning + more) + 1

    @given(TEXTS, TEXTS)
    def test_two_texts_together_are_no_longer_than_apart(self, one: str, other: str) -> None:
        """Joined texts cost at most the blank that turns out to be before a number."""
        assert count(one + other) <= count(one) + count(other) + 1

    @given(TEXTS)
    def test_lines_weigh_what_the_text_weighs(self, text: str) -> None:
        """A text is weighed line by line, and no piece of it is cut by that."""
        pieces = tokens._PIECE.findall(text)
        assert -(-sum(map(tokens._weight, pieces)) // 100) == count(text)


class TestClip:
    """As much of a text as fits."""

    @given(TEXTS, st.integers(0, 60))
    def test_what_is_clipped_fits(self, text: str, most: int) -> None:
        """However a text is made and however little room there is, what is left of it fits."""
        assert count(clip(text, most)) <= most

    @given(TEXTS, st.integers(0, 60))
    def test_clipping_again_changes_nothing(self, text: str, most: int) -> None:
        """What fits already stays as it is."""
        assert clip(text, most) == clip(clip(text, most), most)

    @pytest.mark.parametrize("cheap", [" ", "-", "\n", "9", "abcd ", "\n  ", "a" * 4 + " " * 60])
    def test_nothing_that_fits_is_cut_however_cheap_it_is(self, cheap: str) -> None:
        """Where a text is made of what costs least, all of it stays that there is room for."""
        text = cheap * 200
        assert text == clip(text, count(text))

    def test_a_text_that_fits_stays(self) -> None:
        """Nothing is cut and nothing is marked while there is room."""
        assert PROSE == clip(PROSE, count(PROSE))

    def test_a_cut_is_marked(self) -> None:
        """The beginning stays, and a mark says that something is missing."""
        assert "The centre was closed […]" == clip(PROSE, 8)

    @pytest.mark.parametrize("endless", ["x" * 9000, "9" * 9000, "X" * 9000, "中" * 9000, "=" * 9000, "xY9" * 3000])
    def test_a_text_without_a_blank_is_cut_all_the_same(self, endless: str) -> None:
        """One endless word is not left out whole: a hundred tokens of it stay."""
        assert 90 <= count(clip(endless, 100)) <= 100

    def test_where_nothing_fits_nothing_stays(self) -> None:
        """A mark alone would say nothing."""
        assert ("", "") == (clip(PROSE, 1), clip(PROSE, 0))
