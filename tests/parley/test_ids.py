"""Ids that read."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.errors import RequestError
from parley.ids import LONGEST_SLUG, checked_id, new_id, slug, title_of
from protocols.visible_text import printable


@given(st.text())
def test_any_question_gives_an_id_that_needs_no_quoting(question: str) -> None:
    """Whatever is asked, the id holds only lower-case ASCII letters, digits and hyphens."""
    assert re.fullmatch(r"council(-[a-z0-9]+)+-[0-9a-f]{6}", new_id("council", question))


@given(st.text())
def test_slug_is_short_and_never_empty(question: str) -> None:
    """A slug has 1 to 40 characters and ends in no hyphen."""
    assert 1 <= len(slug(question)) <= LONGEST_SLUG
    assert not slug(question).endswith("-")


def test_slug_keeps_whole_words() -> None:
    """A slug ends at the last word that fits, and accents are folded."""
    assert slug("Why is the sky über-blue at noon, and red at dusk?") == "why-is-the-sky-uber-blue-at-noon-and-red"


def test_slug_of_a_word_too_long_is_cut() -> None:
    """One word longer than a slug is cut to its length."""
    assert slug("x" * 99) == "x" * LONGEST_SLUG


def test_private_id_shows_nothing_of_the_question() -> None:
    """Without a question an id is the protocol and six digits."""
    assert re.fullmatch(r"council-[0-9a-f]{6}", new_id("council", None))


def test_two_ids_of_one_question_differ() -> None:
    """The same question asked twice gets two ids."""
    assert new_id("council", "why") != new_id("council", "why")


@pytest.mark.parametrize("given_id", ["", "-x", "a b", "a'b", 'a"b', "a\nb", "ü", "x" * 201])
def test_id_that_would_need_quoting_is_refused(given_id: str) -> None:
    """An id from a user is refused when it could break a filter or an address."""
    with pytest.raises(RequestError, match="cannot be used"):
        checked_id(given_id)


def test_readable_id_is_taken() -> None:
    """Letters, digits and the four signs are an id."""
    assert checked_id("exp-01/row_7.b") == "exp-01/row_7.b"


@given(st.text(max_size=500))
def test_title_is_one_printable_line(question: str) -> None:
    """A title has 1 to 120 characters and none that ends a line, moves a cursor or hides another."""
    title = title_of(question)
    assert 1 <= len(title) <= 120
    assert (title, [title]) == (printable(title), title.split("\n"))


def test_title_is_the_first_line_that_states_something() -> None:
    """Blank lines before the question are left out of the title."""
    assert title_of("\n  \nWhy  is\tit so?\nTell me.") == "Why is it so?"
