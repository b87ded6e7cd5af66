"""The verdict while it is written, on the screen."""

import pytest
from rich.console import Console

from parley.pending_calls import Call
from starter.views.live_text import TextPrinter, end_of_text

CHAIR = "synthesis-chair"


def printed(*seen: dict[str, Call]) -> str:
    """Return what is printed of the calls that are seen one after another."""
    printer = TextPrinter()
    return "".join(printer.new_text(calls) for calls in seen)


def writing(text: str, characters: int | None = None, call_id: str = CHAIR) -> dict[str, Call]:
    """Return a call that has written ``text``, the end of so many characters."""
    return {call_id: Call(text=text, characters=len(text) if characters is None else characters)}


def test_each_piece_is_printed_once() -> None:
    """What was printed before is not printed again, also where the same text is seen twice."""
    assert "The sky is blue." == printed(writing("The sky"), writing("The sky"), writing("The sky is blue."), {})


def test_a_part_that_was_missed_is_marked() -> None:
    """Only the end of a long text travels; what lies before it and was not seen is left out visibly."""
    assert "The sky\n[…]\nblue." == printed(writing("The sky"), writing("blue.", 5000))


def test_another_attempt_begins_the_text_again() -> None:
    """A retry writes another text, and the screen says so."""
    text = printed(writing("The sky is"), writing("Light"))
    assert text.startswith("The sky is")
    assert "begins again" in text
    assert text.endswith("Light")


def test_a_second_text_follows_the_first() -> None:
    """The curator polishes the draft: both are printed, one below the other."""
    assert "Draft\n\nPolished" == printed(writing("Draft"), writing("Polished", call_id="curator-2"))


def test_what_a_model_writes_cannot_draw_on_the_terminal() -> None:
    """Escape sequences are left out, as in every text of a model."""
    assert "\x1b" not in printed(writing("\x1b[31mred"))


@pytest.mark.parametrize(("text", "lines"), [("", 0), ("one\ntwo", 2), ("\n".join("abcdefghijklmnopqrst"), 12)])
def test_the_last_lines_are_shown_below_the_progress(text: str, lines: int) -> None:
    """A call without such a text shows nothing."""
    console = Console(width=80)
    shown = end_of_text(writing(text))
    assert lines == (0 if shown is None else len(console.render_lines(shown)))
