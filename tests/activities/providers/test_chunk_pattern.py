"""Chunks that are recognised by their form say the same as if they were parsed."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from activities.providers import stream_assembly
from activities.providers.chunk_pattern import ChunkPattern
from activities.providers.credentials import scrubber
from activities.providers.error_responses import ErrorContext
from activities.providers.errors import ProviderError
from activities.providers.progress import CallProgress
from activities.providers.stream_assembly import ReplyBuilder

WORDS = st.one_of(
    st.sampled_from(["", "a", " word", '"', "\\", "\n", "é", "\u2028", '"},"', "\ud800"]), st.text(max_size=5)
)
FIELDS = st.sampled_from(["content", "content", "content", "reasoning", "reasoning_content", "refusal"])


class Parsed(ChunkPattern):
    """No form: every chunk is parsed."""

    def match(self, text: str) -> tuple[str, str] | None:
        """Know none."""
        del text
        return None


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


def test_a_word_is_known_by_what_is_around_it() -> None:
    """The chunk after the one that was parsed is read without a parser, in the field of the first."""
    assert learned(chunk_of("a")).match(json.dumps(chunk_of(" next"))) == ("content", " next")
    assert learned(chunk_of("a", "reasoning")).match(json.dumps(chunk_of("b", "reasoning"))) == ("reasoning", "b")


@pytest.mark.parametrize("word", ["", 'a"', "\\", "\n", '","x":"'])
def test_a_word_with_escapes_is_parsed_and_the_form_stays(word: str) -> None:
    """What JSON escapes, or could end the text, is left to the parser; the form is that of the words after it."""
    pattern, odd = learned(chunk_of("a")), json.dumps(chunk_of(word))
    assert pattern.match(odd) is None
    pattern.learn(odd, chunk_of(word))
    assert pattern.match(json.dumps(chunk_of("b"))) == ("content", "b")


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
        assert [pattern.match(json.dumps(chunk_of("b", created=second))) for _ in range(8)] == [("content", "b")] * 8
