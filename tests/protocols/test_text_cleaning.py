"""A model's text in characters that can be stored."""

from hypothesis import given
from hypothesis import strategies as st

from protocols.text_cleaning import storable


def test_halves_of_characters_and_ends_of_texts_are_left_out() -> None:
    """A lone surrogate becomes a question mark, and the character that ends a text goes."""
    assert "a?b" == storable("a\ud83d\0b")


@given(st.text(alphabet=st.characters(exclude_categories=())))
def test_any_text_can_be_stored(text: str) -> None:
    """Whatever a model states can be encoded, and storing it again changes nothing."""
    said = storable(text)
    assert said.encode().decode() == storable(said)
    assert "\0" not in said
