"""Text that is safe to print."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.visible_text import one_line, printable
from starter.terminal import as_json

HOSTILE = {
    "colour": "\x1b[31mred\x1b[0m",
    "title": "\x1b]0;owned\x07red",
    "title, 7-bit end": "\x1b]0;owned\x1b\\red",
    "link": "\x1b]8;;http://x.example\x1b\\red\x1b]8;;\x1b\\",
    "8-bit CSI": "\x9b31mred",
    "8-bit OSC": "\x9d0;owned\x9cred",
    "device string": "\x1bPq#0\x1b\\red",
    "reset": "\x1bcred",
    "bell and delete": "\x07r\x7fed",
    "carriage return": "\rred",
    "direction": "r\u202eed\u2066",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_escape_sequence_is_removed_whole(text: str) -> None:
    """Of a hostile text only what a user should read is left."""
    assert printable(text) == "red"


def test_unclosed_sequence_does_not_swallow_the_answer() -> None:
    """A sequence that is opened and never closed loses its opening, not the text behind it."""
    assert "the answer" in printable("\x1b]the answer")


def test_line_feeds_and_tabs_stay() -> None:
    """Text keeps its lines, and Windows line ends become plain ones."""
    assert printable("a\r\n\tb\n") == "a\n\tb\n"


@given(st.text(alphabet=st.sampled_from("\x1b]P[\\;0m\x07\x9b\x9c\x9da\n\u202e")))
def test_nothing_that_acts_is_ever_left(text: str) -> None:
    """However sequences are nested and broken, no control character but the line feed is left."""
    assert all(c == "\n" or c.isprintable() for c in printable(text))


def test_one_line_is_cut_and_states_so() -> None:
    """A text on one line has the width asked for, and an ellipsis when it was longer."""
    assert one_line("a\nb " * 50, width=10) == "a b a b a…"


@given(st.text(alphabet=st.characters()))
def test_json_reads_back_what_was_written(text: str) -> None:
    """A text escaped for terminals is restored unchanged."""
    assert json.loads(as_json({"text": text})) == {"text": text}


def test_json_keeps_letters_and_escapes_what_acts() -> None:
    """Letters of any language are as they are; 8-bit controls and direction marks are escaped."""
    assert as_json("ü\x9b\u202e") == '"ü\\u009b\\u202e"'
