"""What can be stored is kept as it is; what cannot is replaced and recorded."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from activities.text_cleaning import clean_line, clean_text


@pytest.mark.parametrize(
    ("raw", "clean", "repairs"),
    [
        ("plain\ttext\n", "plain\ttext\n", 0),
        ("é\u2028\u202e\u200b𝒳\x7f\x9f", "é\u2028\u202e\u200b𝒳\x7f\x9f", 0),
        ("a\ud800b\udfff", "a\ufffdb\ufffd", 1),
        ("a\x00b\x1b[31m", "ab[31m", 1),
        ("a\r\nb\rc", "a\nb\nc", 1),
        ("\ud83d\r\x00", "\ufffd\n", 3),
    ],
)
def test_only_what_cannot_be_stored_is_changed(raw: str, clean: str, repairs: int) -> None:
    """Lone surrogates, carriage returns and C0 controls go; everything else stays as it was written."""
    text, done = clean_text(raw)
    assert (text, len(done)) == (clean, repairs)


@given(st.text(st.characters(exclude_categories=[])))
def test_clean_text_can_be_encoded_and_is_clean(raw: str) -> None:
    """Whatever comes in, what goes out is UTF-8, holds no NUL, and needs no further cleaning."""
    text, _ = clean_text(raw)
    assert "\x00" not in text.encode().decode()
    assert clean_text(text) == (text, ())


@given(st.text(st.characters(exclude_categories=[])), st.integers(1, 50))
def test_a_clean_line_is_short_and_on_one_line(raw: str, longest: int) -> None:
    """A line for a screen or a log is never longer than asked, and one line."""
    line = clean_line(raw, longest)
    assert len(line) <= longest
    assert len(line.splitlines()) <= 1
    assert line == clean_line(line, longest)
