"""What a model says when it has thought, in characters that can be stored."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.spoken import spoken, storable


@pytest.mark.parametrize(
    "text",
    [
        "Close it.",
        "<think>\nOpen it?\n</think>\nClose it.",
        "<reasoning>Open it?</reasoning>Close it.",
        "<think>One.</think>\n  <THINKING>Two.</THINKING>\nClose it.",
        "Open it?\n</think>\nClose it.",
        "Close it.\n<think>\nOr open it",
    ],
)
def test_thinking_is_left_out(text: str) -> None:
    """What stands between marks of thinking is not said, wherever it was opened and whether or not it ends."""
    assert "Close it." == spoken(text)


@pytest.mark.parametrize("text", ["", "  \n", "<think>\nClose it."])
def test_a_reply_of_nothing_but_thinking_says_nothing(text: str) -> None:
    """Thinking that never ends leaves nothing."""
    assert not spoken(text)


def test_a_mark_inside_a_line_is_text() -> None:
    """Who speaks of a mark in passing does not think."""
    assert "The tag <think> opens, and </think> closes." == spoken("The tag <think> opens, and </think> closes.")


def test_halves_of_characters_and_ends_of_texts_are_left_out() -> None:
    """A lone surrogate becomes a question mark, and the character that ends a text goes."""
    assert "a?b" == storable("a\ud83d\0b")


@given(st.text(alphabet=st.characters(exclude_categories=())))
def test_any_text_can_be_stored(text: str) -> None:
    """Whatever a model says can be encoded, and storing it again changes nothing."""
    said = spoken(text)
    assert said.encode().decode() == storable(said)
    assert "\0" not in said
