"""Events of a stream, read from its bytes however these arrive."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from activities.providers.chunk_pattern import ChunkPattern
from activities.providers.event_reader import EventReader

LINES = st.sampled_from(
    [*("data: a", "data:b", "data", "data: é\u2028\x0b", ": note", "event: x", "id: 1", "datax: y", ""), "", ""]
)
ENDS = st.sampled_from(["\n", "\r", "\r\n"])


def read(body: bytes, *cuts: int) -> list[str]:
    """The events in ``body``, which arrives in pieces."""
    reader, places = EventReader("lab", ChunkPattern()), [0, *sorted(cuts), len(body)]
    pieces = [body[a:b] for a, b in pairwise(places)]
    events = [event for piece in (*pieces, b"\n\n") for event in reader.read(piece)]
    return [event for event in events if isinstance(event, str)]


@given(lines=st.lists(st.tuples(LINES, ENDS), max_size=12), data=st.data())
def test_pieces_make_no_difference(lines: list[tuple[str, str]], data: st.DataObject) -> None:
    """The same bytes are the same events, wherever they are cut, also within a letter or the end of a line."""
    body = "".join(f"{line}{end}" for line, end in lines).encode()
    cuts = data.draw(st.lists(st.integers(0, len(body)), max_size=8))
    assert read(body, *cuts) == read(body)


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
def test_only_data_is_read_and_an_empty_line_ends_an_event(end: bytes) -> None:
    """Lines of data are joined; comments, other fields, events without data and a byte order mark are left out."""
    lines = [b"\xef\xbb\xbfdata: a", b"data:  b", b": note", b"", b"", b"event: x", b"", b"data: c"]
    assert read(end.join(lines)) == ["a\n b", "c"]


def test_what_is_not_utf8_is_no_text() -> None:
    """A letter that never ends is refused, also in a comment."""
    with pytest.raises(UnicodeDecodeError):
        read(b": \xff\n")


def test_an_event_that_does_not_end_is_measured() -> None:
    """The size counts what is buffered, and begins again with the next event."""
    reader = EventReader("lab", ChunkPattern())
    assert [] == [*reader.read(b"data: " + b"x" * 1000), *reader.read(b"y" * 1000)]
    grown = reader.size
    assert [*reader.read(b"\n\n")] == ["x" * 1000 + "y" * 1000]
    assert grown == 2006
    assert reader.size < grown
