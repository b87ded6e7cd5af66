"""The sources beside an answer: which forms are read, how they are numbered, and what is left out."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from activities.providers.credentials import scrubber
from activities.providers.source_lists import SourceLists
from protocols.model_call import Answered
from protocols.sources import LONGEST_EXCERPT, LONGEST_TITLE, MOST_SOURCES, SourceLink
from rehearsal.faults.bodies import MANY, UNSAFE
from tests.activities.providers.conftest import Exchange
from tests.activities.providers.test_outcome import outcome
from tests.fakes.wire import DONE, answering, chunk, event, json_answer

A, B, C = (f"https://a.example/{name}" for name in "abc")
SCRUB = scrubber(SecretStr("sk-canary-123456"))


def links(*parts: dict[str, Any]) -> tuple[SourceLink, ...]:
    """The sources in these chunks."""
    return noted(*parts)[0]


def noted(*parts: dict[str, Any]) -> tuple[tuple[SourceLink, ...], tuple[str, ...]]:
    """The sources in these chunks, and the note on what was left out."""
    lists = SourceLists()
    for part in parts:
        lists.take(part)
    return lists.links(SCRUB)


def cited(url: Any, **told: Any) -> dict[str, Any]:
    """An annotation as OpenRouter writes it."""
    return {"type": "url_citation", "url_citation": {"url": url, **told}}


def test_annotations_are_sources() -> None:
    """An annotation gives address, title, excerpt and place, numbered in the order in which they come."""
    one = cited(A, title="A page", content="What it says", start_index=3, end_index=6)
    assert links({"annotations": [one, cited(B)]}) == (
        SourceLink(number=1, url=A, title="A page", excerpt="What it says", start=3, end=6),
        SourceLink(number=2, url=B),
    )


def test_flat_annotations_are_sources() -> None:
    """An annotation without the inner object says the same."""
    flat = {"type": "url_citation", "url": A, "title": "A page", "start_index": 0, "end_index": 4}
    assert links({"annotations": [flat]}) == (SourceLink(number=1, url=A, title="A page", start=0, end=4),)


def test_annotations_of_a_stream_come_in_pieces() -> None:
    """Annotations of several chunks are added up, and a page that is named again is one source."""
    told = links({"annotations": [cited(A)]}, {"annotations": [cited(B)]}, {"annotations": [cited(A, title="Late")]})
    assert [(one.number, one.url, one.title) for one in told] == [(1, A, "Late"), (2, B, "")]


def test_citations_are_numbered_by_their_place() -> None:
    """Addresses beside the choices are sources under the numbers that the text uses."""
    assert [(one.number, one.url) for one in links({"citations": [A, B]})] == [(1, A), (2, B)]


def test_every_chunk_may_repeat_the_citations() -> None:
    """A list that every chunk holds whole is one list; a chunk that holds none takes nothing back."""
    told = links({"citations": [A]}, {"citations": [A, B]}, {"citations": [A, B]}, {"citations": []}, {})
    assert [one.url for one in told] == [A, B]


def test_search_results_add_title_and_excerpt() -> None:
    """Search results say what the citations of the same address are called; they give numbers where those are alone."""
    results = [{"title": "B page", "url": B, "snippet": "says so"}, {"title": "C page", "url": C}]
    told = links({"citations": [A, B], "search_results": results})
    assert [(one.number, one.title, one.excerpt) for one in told] == [
        (1, "", ""),
        (2, "B page", "says so"),
        (3, "C page", ""),
    ]
    assert [(one.number, one.url) for one in links({"search_results": results})] == [(1, B), (2, C)]


def test_citations_give_the_numbers_and_annotations_the_rest() -> None:
    """Where both are sent, a number is the place among the citations."""
    told = links({"citations": [A, B], "annotations": [cited(B, title="B"), cited(C, title="C")]})
    assert [(one.number, one.title) for one in told] == [(1, ""), (2, "B"), (3, "C")]


def test_a_page_at_two_places_has_both_numbers() -> None:
    """The provider's list is kept as it is: each of its numbers leads to its page."""
    assert [(one.number, one.url) for one in links({"citations": [A, B, A]})] == [(1, A), (2, B), (3, A)]


def test_an_unusable_citation_keeps_its_number() -> None:
    """Leaving out the first source does not make the second the first."""
    told, notes = noted({"citations": ["javascript:alert(1)", B]})
    assert [(one.number, one.url) for one in told] == [(2, B)]
    assert notes == ("1 of the provider's sources left out",)


@pytest.mark.parametrize("url", UNSAFE)
def test_an_address_that_may_not_be_followed_is_left_out(url: str) -> None:
    """Another scheme, credentials before the host, hidden characters, blanks and endless addresses are no sources."""
    assert links({"citations": [url], "search_results": [{"url": url}], "annotations": [cited(url)]}) == ()


def test_a_secret_in_a_source_goes_nowhere() -> None:
    """An address with the key is left out, and the key is taken out of a title and an excerpt."""
    key = "sk-canary-123456"
    told = links({"annotations": [cited(f"{A}?k={key}"), cited(B, title=f"of {key}", content=key)]})
    assert [one.url for one in told] == [B]
    assert key not in repr(told)


def test_title_and_excerpt_are_bounded_lines() -> None:
    """Titles and excerpts are one printable line of bounded length."""
    told = links({"annotations": [cited(A, title="x\ny\u202e" * 900, content="z\x00yx" * 900)]})[0]
    assert (len(told.title), len(told.excerpt)) == (LONGEST_TITLE, LONGEST_EXCERPT)
    assert "\n" not in told.title + told.excerpt
    assert "\u202e" not in told.title


def test_the_number_of_sources_is_bounded() -> None:
    """Of ten thousand sources the first fifty are kept, and the answer says that there were more."""
    many = [f"https://a.example/{number}" for number in range(MANY)]
    told, notes = noted({"citations": many, "annotations": [cited(url) for url in many]})
    assert (len(told), told[-1].number) == (MOST_SOURCES, MOST_SOURCES)
    assert "left out" in notes[0]


_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text("a:/.\u202e\x00é", max_size=8)
    | st.just(A),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["type", "url", "url_citation", "title", "start_index", "x"]), inner, max_size=3
        )
    ),
    max_leaves=6,
)


@given(
    st.lists(
        st.fixed_dictionaries({}, optional=dict.fromkeys(("citations", "search_results", "annotations"), _JSON)),
        max_size=3,
    )
)
def test_no_field_of_any_shape_breaks_an_answer(parts: list[dict[str, Any]]) -> None:
    """Whatever is in these fields, what comes out is a tuple of addresses that may be shown."""
    for one in links(*parts):
        assert one.url.startswith(("http://", "https://"))


async def test_sources_of_a_stream_are_received(exchange: Exchange) -> None:
    """Annotations in a delta and citations beside the choices are received with the answer."""
    annotated = event({"choices": [{"index": 0, "delta": {"content": "", "annotations": [cited(B, title="B")]}}]})
    heard = await exchange(answering(chunk("x [1]", citations=[A, B]), annotated, chunk("", "stop"), DONE))
    assert heard.text == "x [1]"
    assert [(one.number, one.url, one.title) for one in heard.sources] == [(1, A, ""), (2, B, "B")]


async def test_sources_of_a_whole_body_are_received(exchange: Exchange) -> None:
    """The same fields of an answer that is not streamed are received."""
    message = {"content": "x [1]", "annotations": [cited(A)]}
    body = {"choices": [{"message": message, "finish_reason": "stop"}], "citations": [A]}
    heard = await exchange(json_answer(body))
    assert [one.url for one in heard.sources] == [A]


def test_sources_stand_in_the_reply() -> None:
    """A reply holds its sources, with places in its own text: thinking before it is not counted."""
    link = SourceLink(number=1, url=A, start=18, end=21)
    reply = outcome(text="<think>no</think> [1]", sources=(link,))
    assert isinstance(reply, Answered)
    (kept,) = reply.sources
    assert reply.text[kept.start : kept.end] == "[1]"


def test_a_place_outside_the_text_is_unknown() -> None:
    """A place in what is no part of the answer, or behind its end, is not known."""
    for place in ((0, 3), (20, 900)):
        reply = outcome(
            text="<think>no</think> [1]", sources=(SourceLink(number=1, url=A, start=place[0], end=place[1]),)
        )
        assert isinstance(reply, Answered)
        assert (reply.sources[0].start, reply.sources[0].end) == (None, None)
