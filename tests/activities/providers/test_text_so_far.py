"""The text of a reply while it arrives: without reasoning, without the key, and only its end."""

import pytest

from activities.providers.progress import LONGEST_TEXT, CallProgress, partial_field


def progress(*pieces: str) -> CallProgress:
    """Return the progress of a call that has written ``pieces``."""
    pulse = CallProgress()
    for piece in pieces:
        pulse.wrote(piece, "writing")
    return pulse


def test_the_end_of_the_text_travels_with_its_length() -> None:
    """A heartbeat is bounded however long the reply is."""
    text, length = progress("a" * 5000, "b").text_so_far()
    assert (LONGEST_TEXT, 5001, "ab") == (len(text), length, text[-2:])


def test_reasoning_is_no_text() -> None:
    """Neither what comes apart nor what is marked in the text, also while its end is not yet there."""
    apart = CallProgress()
    apart.wrote("I wonder", "thinking")
    assert ("", "") == (apart.text_so_far()[0], apart.tail)
    assert "" == progress("<think>I won", "der").text_so_far()[0]
    assert "Blue." == progress("<think>I wonder</th", "ink>Blue.").text_so_far()[0]
    assert "Blue." == progress("<think>I wonder</think>Blue.").tail


def test_another_request_begins_the_text_again() -> None:
    """A request that is sent once more, without a schema for example, does not add to the first text."""
    pulse = progress("The sky")
    pulse.begin_text()
    pulse.wrote("Light", "writing")
    assert ("Light", 5) == pulse.text_so_far()


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ('{"why": "x", "exec', ""),
        ('{"summary": "The sk', "The sk"),
        ('{"summary" : "a \\"b\\" c", "answer": "d', 'a "b" c'),
        ('{"summary": "line\\nnext\\', "line\nnext"),
        ('{"summary": "caf\\u00', "caf"),
        ('{"summary": "smile \\ud83d', "smile "),
        ("no object", ""),
    ],
)
def test_a_field_is_shown_as_far_as_it_is_written(written: str, text: str) -> None:
    """An escape in the middle waits for its end."""
    assert text == partial_field(written, "summary")
