"""Chunks that are recognised by their form say the same as if they were parsed."""

import json
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from activities.providers import stream_assembly
from activities.providers.chunk_pattern import ChunkPattern, Words
from activities.providers.credentials import scrubber
from activities.providers.error_responses import ErrorContext
from activities.providers.errors import ProviderError
from activities.providers.event_reader import EventReader
from activities.providers.progress import CallProgress
from activities.providers.stream_assembly import ReplyBuilder

WORDS = st.one_of(
    st.sampled_from(["", "a", " word", '"', "\\", "\n", "é", "\u2028", '"},"', "\ud800"]), st.text(max_size=5)
)
FIELDS = st.sampled_from(["content", "content", "content", "reasoning", "reasoning_content", "refusal"])


class Parsed(ChunkPattern):
    """No form: every chunk is parsed."""

    def match(self, text: str) -> Words | None:
        """Know none."""
        del text
        return None

    def run(self, text: str, at: int) -> tuple[Words, int]:
        """Know none."""
        del text
        return Words("", []), at


def chunk_of(word: str, name: str = "content", **changes: Any) -> dict[str, Any]:
    """One chunk with a word; ``changes`` are beside the choices."""
    choice = {"index": 0, "delta": {"role": "assistant", name: word}, "finish_reason": None}
    return {"id": "gen-1", "created": 1_700_000_000, "model": "m", "choices": [choice], **changes}


def learned(*chunks: dict[str, Any]) -> ChunkPattern:
    """A form after chunks that were parsed."""
    pattern = ChunkPattern()
    for chunk in chunks:
        pattern.learn(json.dumps(chunk), chunk)
    return pattern


def result_of(texts: list[str], pattern: type[ChunkPattern]) -> object:
    """All that a builder knows at the end of a stream, or the error that ended it."""
    pulse, at = CallProgress(), ErrorContext("lab", 200, {}, datetime(2026, 5, 1, tzinfo=UTC), scrubber(None))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stream_assembly, "ChunkPattern", pattern)
        builder = ReplyBuilder(at, pulse, lambda: 1.0)
    try:
        for text in texts:
            builder.take(text)
        return builder.result(), pulse.tokens, pulse.phase, pulse.tail
    except ProviderError as error:
        return type(error), str(error)


def read(body: bytes, cuts: list[int], pattern: type[ChunkPattern]) -> object:
    """All that a builder knows at the end of a stream that arrives in pieces, or the error that ended it."""
    pulse, at = CallProgress(), ErrorContext("lab", 200, {}, datetime(2026, 5, 1, tzinfo=UTC), scrubber(None))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stream_assembly, "ChunkPattern", pattern)
        builder = ReplyBuilder(at, pulse, lambda: 1.0)
    reader, places = EventReader("lab", builder.pattern), [0, *sorted(cuts), len(body)]
    try:
        for piece in (*(body[a:b] for a, b in pairwise(places)), b"\n\n"):
            for event in reader.read(piece):
                builder.write(event) if isinstance(event, Words) else builder.take(event)
        return builder.result(), pulse.tokens, pulse.phase, pulse.tail
    except (ProviderError, UnicodeDecodeError) as error:
        return type(error), str(error) if isinstance(error, ProviderError) else ""


CHANGES = st.fixed_dictionaries(
    {},
    optional={
        "model": st.sampled_from(["m", "n"]),
        "id": st.sampled_from(["gen-1", "gen-2", 'a"b']),
        "created": st.sampled_from([1, 2, float("nan")]),
        "provider": st.sampled_from(["x", {"content": "a"}]),
        "citations": st.just(["https://one.example"]),
        "usage": st.just({"completion_tokens": 4}),
        "error": st.just({"message": "broken", "code": 500}),
    },
)
CHUNKS = st.builds(lambda word, name, changes: chunk_of(word, name, **changes), WORDS, FIELDS, CHANGES)


@given(chunks=st.lists(CHUNKS | st.builds(chunk_of, WORDS), max_size=30), compact=st.booleans())
def test_a_form_changes_nothing_that_is_read(chunks: list[dict[str, Any]], *, compact: bool) -> None:
    """Whatever chunks follow each other: text, reasoning, names, sources, counts and errors are those of parsing."""
    separators = (",", ":") if compact else (", ", ": ")
    end = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    texts = [json.dumps(chunk, separators=separators, ensure_ascii=compact) for chunk in (*chunks, end)]
    assert result_of(texts, ChunkPattern) == result_of(texts, Parsed)


RAW = {b"{control}": b"\x01", b"{line}": b"\n", b"{half}": b"\xc3", b"{escape}": b"\\q"}
"""What is in a word as no JSON writes it."""
USUAL = st.builds(chunk_of, st.sampled_from(["a", " word", "é", "b c"]))
ODD = CHUNKS | st.builds(chunk_of, WORDS) | st.builds(chunk_of, st.sampled_from([name.decode() for name in RAW]))
WRITTEN = st.sampled_from(
    ["data: {}\n\n"] * 20 + ["data:{}\n\n", "data: {}\r\n\r\n", "data: {}\n\n\n", ": a\ndata: {}\nid: 1\n\n"]
)
BESIDE = st.sampled_from([b""] * 20 + [b": still here\n\n", b"\n", b"data: \n\n", b"\xa9", b": \xc3\xa9\n\n"])
END = ({"choices": [{"index": 0, "finish_reason": "stop"}]}, "data: {}\n\n", b"")


@given(
    events=st.lists(st.tuples(st.sampled_from([USUAL] * 8 + [ODD]).flatmap(lambda kind: kind), WRITTEN, BESIDE)),
    dump=st.sampled_from([{}, {"ensure_ascii": False}, {"separators": (",", ":")}, {"indent": 0}]),
    data=st.data(),
)
def test_runs_change_nothing_that_is_read(
    events: list[tuple[dict[str, Any], str, bytes]], dump: dict[str, Any], data: st.DataObject
) -> None:
    """However events are written and divided, and whatever is between them, runs of words say the same as parsing."""
    body = b""
    for chunk, written, beside in (*events, END):
        lines = json.dumps(chunk, **dump).replace("\n", "\ndata: ")
        body += written.replace("{}", lines).encode("utf-8", "surrogatepass") + beside
    for name, raw in RAW.items():
        body = body.replace(name, raw)
    cuts = data.draw(st.lists(st.integers(0, len(body)), max_size=4))
    assert read(body, cuts, ChunkPattern) == read(body, cuts, Parsed)


def event(word: str, **changes: Any) -> bytes:
    """One event of a stream."""
    return f"data: {json.dumps(chunk_of(word, **changes), ensure_ascii=False)}\n\n".encode()


LAST = b'data: {"choices": [{"finish_reason": "stop"}]}\n\n'


@pytest.mark.parametrize(
    "odd",
    [
        *(event("{}").replace(b"{}", raw) for raw in (*RAW.values(), b"\xc3\xa9", "\u2028".encode(), b'"', b"")),
        event("c", model="other") + event("d", model="other"),
        event('"', model="other"),
        b"data: x\n" + event("c"),
        event("c", usage={"completion_tokens": 7}),
        event("c").replace(b"\n\n", b"\n\n\n"),
        event("c").replace(b"\n", b"\r\n"),
        event("c").replace(b'", ', b'",\n'),
        event("c").replace(b'", ', b'",\ndata: '),
        event("c").replace(b"\n\n", b"\n"),
        b"event: x\n" + event("c"),
        b": \xc3\xa9\n\n",
        b"data: \n\n",
    ],
)
def test_no_odd_event_changes_its_neighbours(odd: bytes) -> None:
    """Wherever a stream is divided, an odd event between runs, and the runs, are read as by the parser alone."""
    body = event("a") + event(" b") + odd + event("d") + event("e") + event("f") + LAST
    expected = read(body, [], Parsed)
    divided = [[place] for place in range(1, len(body))] + [[*range(0, len(body), size)] for size in range(1, 100)]
    assert [] == [cuts for cuts in divided if read(body, cuts, ChunkPattern) != expected]


def test_events_of_one_form_are_one_run() -> None:
    """A word with an escape is left to the parser, and the words after it are a run again."""
    chunks = [chunk_of(word) for word in ("a", "b", '"', "é", "c", "\n")]
    body = "".join(f"data: {json.dumps(chunk, ensure_ascii=False)}\n\n" for chunk in chunks)
    reader = EventReader("lab", learned(chunk_of("a")))
    assert [*reader.read(b": begun\n\n" + body.encode())] == [
        Words("content", ["a", "b"]),
        json.dumps(chunks[2]),
        Words("content", ["é", "c"]),
        json.dumps(chunks[5]),
    ]


def test_a_form_of_several_lines_is_no_run() -> None:
    """Lines of one event that each begin with the field's name are joined before they are read."""
    text = json.dumps(chunk_of("a"), indent=0)
    pattern = ChunkPattern()
    pattern.learn(text, chunk_of("a"))
    assert (Words("content", []), 0) == pattern.run(f"data: {text}\n\n", 0)
    assert Words("content", ["a"]) == pattern.match(text)


def test_a_word_is_known_by_what_is_around_it() -> None:
    """The chunk after the one that was parsed is read without a parser, in the field of the first."""
    assert learned(chunk_of("a")).match(json.dumps(chunk_of(" next"))) == Words("content", [" next"])
    assert learned(chunk_of("a", "reasoning")).match(json.dumps(chunk_of("b", "reasoning"))) == Words(
        "reasoning", ["b"]
    )


@pytest.mark.parametrize("word", ["", 'a"', "\\", "\n", '","x":"'])
def test_a_word_with_escapes_is_parsed_and_the_form_stays(word: str) -> None:
    """What JSON escapes, or could end the text, is left to the parser; the form is that of the words after it."""
    pattern, odd = learned(chunk_of("a")), json.dumps(chunk_of(word))
    assert pattern.match(odd) is None
    pattern.learn(odd, chunk_of(word))
    assert pattern.match(json.dumps(chunk_of("b"))) == Words("content", ["b"])


@pytest.mark.parametrize(
    "changes",
    [
        {"usage": {"completion_tokens": 1}},
        {"citations": ["https://one.example"]},
        {"error": {"code": 1}},
        {"choices": []},
        {"choices": [{"index": 1, "delta": {"content": "a"}}]},
        {"choices": [{"index": 0, "delta": {"content": "a"}, "finish_reason": "stop"}]},
        {"choices": [{"index": 0, "delta": {"content": "a", "annotations": [{}]}}]},
        {"choices": [{"index": 0, "delta": {"content": "a", "reasoning": "b"}}]},
        {"choices": [{"index": 0, "delta": {"content": "a"}}] * 2},
        {"choices": [{"index": 0, "delta": None}]},
    ],
)
def test_a_chunk_with_more_than_a_word_is_no_form(changes: dict[str, Any]) -> None:
    """Accounts, sources, ends and other choices are never taken for what repeats."""
    said = chunk_of("a", **changes)
    assert learned(said).match(json.dumps(said)) is None


def test_a_provider_that_changes_every_chunk_is_not_learned_forever() -> None:
    """After a few forms that saved nothing, no other is looked for."""
    pattern = learned(*(chunk_of("a", created=number) for number in range(10)))
    assert pattern.match(json.dumps(chunk_of("b", created=9))) is None
    assert pattern.match(json.dumps(chunk_of("b", created=3))) is None


def test_a_form_that_saves_chunks_may_change() -> None:
    """A clock in the chunks that moves once a second is learned again each time."""
    pattern = ChunkPattern()
    for second in range(20):
        chunk = chunk_of("a", created=second)
        pattern.learn(json.dumps(chunk), chunk)
        assert [pattern.match(json.dumps(chunk_of("b", created=second))) for _ in range(8)] == [
            Words("content", ["b"])
        ] * 8
