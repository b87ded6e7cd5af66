"""Text in which nothing is hidden."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.visible_text import printable

TAGGED = "".join(chr(0xE0000 + ord(letter)) for letter in "obey")

HIDDEN = {
    "zero-width space": ("igno\u200bre", "ignore"),
    "word joiner and byte order mark": ("\ufeffig\u2060nore", "ignore"),
    "soft hyphen": ("ig\u00adnore", "ignore"),
    "marks of direction": ("\u200eig\u200fno\u061cre", "ignore"),
    "overrides of direction": ("\u202eig\u2066nore\u2069", "ignore"),
    "invisible operators": ("ig\u2062no\u2064re", "ignore"),
    "fillers": ("ig\u3164no\uffa0re\u115f", "ignore"),
    "joiners between Latin letters": ("ig\u200dno\u200cre", "ignore"),
    "separators of lines": ("one\u2028two\u2029three", "one\ntwo\nthree"),
    "tag characters": (f"fine{TAGGED}", "fine[hidden text: obey]"),
    "a run of selectors": ("fine\ufe01\ufe02\U000e0101", "fine[hidden: 3 characters]"),
    "a selector behind a letter": ("f\ufe01ine", "fine"),
    "a run of joiners": ("a\u200d\u200d\u200cb", "a[hidden: 3 characters]b"),
    "tags behind a flag that is none": (f"\U0001f3f4{TAGGED}", "\U0001f3f4[hidden text: obey]"),
    "a joiner on a selector that is removed": ("a\ufe0f\u200d\U0001f525", "a\U0001f525"),
}

KEPT = {
    "Persian, with a joiner that keeps letters apart": "می\u200cخواهم",
    "Hindi, with a joiner": "क्\u200dष",
    "Sinhala": "ශ්\u200dරී ලංකා",
    "a family": "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "a heart on fire": "\u2764\ufe0f\u200d\U0001f525",
    "a waving hand with a skin tone and a joiner": "\U0001f9d1\U0001f3fd\u200d\U0001f33e",
    "a keycap": "1\ufe0f\u20e3",
    "the flag of Scotland": "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
    "a variant of an ideograph": "葛\U000e0100",
    "Arabic, Hebrew, Thai and combining marks": "مرحبا שלום สวัสดี n\u0303",
    "spaces of many widths": "a\u00a0b\u2009c\u3000d",
}


@pytest.mark.parametrize(("text", "shown"), HIDDEN.values(), ids=HIDDEN.keys())
def test_what_cannot_be_seen_is_removed_or_named(text: str, shown: str) -> None:
    """A character without a shape is removed, and one that spells something is spelled out in brackets."""
    assert shown == printable(text)


@pytest.mark.parametrize("text", KEPT.values(), ids=KEPT.keys())
def test_what_writing_needs_stays(text: str) -> None:
    """Joiners and selectors stay where a script or an emoji is shaped by them."""
    assert text == printable(text)


def test_a_long_hidden_text_is_cut() -> None:
    """A message in tag characters is spelled as far as its first 200 letters."""
    assert f"[hidden text: {'a' * 200}]" == printable("\U000e0061" * 5_000)


@given(st.text(alphabet=st.characters()))
def test_a_second_pass_changes_nothing(text: str) -> None:
    """What was made printable is printable."""
    once = printable(text)

    assert once == printable(once)


@given(
    st.text(alphabet=st.sampled_from("ab\u200b\u200c\u200d\u200e\ufe0f\ufe01\U000e0061\U000e007f\u2028\u2764\u0645"))
)
def test_no_format_character_stays_between_latin_letters(text: str) -> None:
    """A character of the category Cf is left only beside a letter or a symbol that is shaped by it."""
    shown = f"a{printable(text)}a"
    for place, letter in enumerate(shown):
        if unicodedata.category(letter) == "Cf":
            assert {shown[place - 1], shown[place + 1]} & set("\u0645\u2764\ufe0f")
