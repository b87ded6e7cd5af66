"""The benchmarks' provider: bytes that a client of OpenAI's protocol can read, in every form."""

import json
import statistics
from typing import Any

import h11
import pytest
import zstandard

from bench.installation import the_council
from bench.peers import council
from bench.peers.provider import CHARACTERS, Connection, Form, Piece, reply, text
from protocols.council import prompts
from protocols.council.replies.ballot import read_ballot


def request(ask: council.Ask, *, stream: bool = False) -> bytes:
    """The body that a peer sends."""
    return json.dumps({**council.body(ask), "stream": stream}).encode()


def content(pieces: list[Piece]) -> tuple[str, bytes]:
    """The content type and the body of an HTTP response, as an independent client reads it."""
    client = h11.Connection(h11.CLIENT)
    client.send(h11.Request(method="POST", target="/", headers=[("Host", "x"), ("Content-Length", "0")]))
    client.send(h11.EndOfMessage())
    client.receive_data(b"".join(piece.data for piece in pieces))
    head, body = client.next_event(), b""
    assert isinstance(head, h11.Response)
    while isinstance(event := client.next_event(), h11.Data):
        body += event.data
    assert isinstance(event, h11.EndOfMessage)
    return dict(head.headers)[b"content-type"].decode(), body


def events(body: bytes) -> list[dict[str, Any]]:
    """The events of a stream that ends as it should."""
    *found, done, rest = body.split(b"\n\n")
    assert (b"data: [DONE]", b"") == (done, rest)
    return [json.loads(event.removeprefix(b"data: ")) for event in found]


@pytest.fixture
def review() -> council.Ask:
    """A request that shows a ranking as an example."""
    return council.reviews([text(b"")] * len(council.MODELS))[0]


def test_a_whole_reply_is_one_completion_of_the_model_that_was_asked(review: council.Ask) -> None:
    """A reply without a stream is JSON, with the text, a valid ranking and the usage."""
    kind, body = content(list(reply(request(review), Form())))
    completion = json.loads(body)

    assert "application/json" == kind
    assert review.model == completion["model"]
    assert 4 == len(council.ranking(completion["choices"][0]["message"]["content"]))
    assert {"prompt_tokens", "completion_tokens", "total_tokens"} == completion["usage"].keys()


@pytest.mark.parametrize("chunks", [1, 2, 40, 250])
def test_a_stream_has_as_many_events_with_text_as_asked(review: council.Ask, chunks: int) -> None:
    """The deltas together are the whole reply; the last event finishes it and holds the usage."""
    kind, body = content(list(reply(request(review, stream=True), Form(chunks=chunks))))
    *deltas, last = events(body)
    _, whole = content(list(reply(request(review), Form())))

    assert "text/event-stream" == kind
    assert chunks == len(deltas)
    assert json.loads(whole)["choices"][0]["message"]["content"] == "".join(
        event["choices"][0]["delta"]["content"] for event in deltas
    )
    assert ("stop", 650) == (last["choices"][0]["finish_reason"], last["usage"]["total_tokens"])


def test_the_pieces_of_a_stream_are_due_evenly_until_the_latency_is_over() -> None:
    """A reply of four chunks is due in quarters."""
    pieces = reply(request(council.opinions()[0], stream=True), Form(chunks=4))

    assert [0.25, 0.5, 0.75, 1.0] == [piece.due for piece in pieces]


def test_parleys_own_review_is_answered_with_a_ballot_that_counts() -> None:
    """Parley makes as many calls as its peers: no ballot is asked for once more."""
    given = the_council()
    labels = {f"Response {letter}": text(b"") for letter in "CABD"}
    call = prompts.review(given, given.panel.participants[0], labels, nonce="0123456789")
    body = json.dumps({"model": "m", "messages": [message.model_dump() for message in call.messages]}).encode()
    _, answer = content(list(reply(body, Form())))
    ballot = read_ballot(json.loads(answer)["choices"][0]["message"]["content"], call.read_as.needs)

    assert ("complete", ("Response A", "Response B", "Response C", "Response D")) == (ballot.standing, ballot.ranking)


def test_a_request_that_requests_for_no_stream_gets_none(review: council.Ask) -> None:
    """A peer that reads JSON is answered with JSON, whatever the others stream."""
    kind, _ = content(list(reply(request(review), Form(chunks=40))))

    assert "application/json" == kind


def test_a_request_changes_the_form_of_the_replies_that_follow() -> None:
    """``PUT`` with a form as JSON sets latency and chunks."""
    set_to: list[Form] = []
    connection = Connection(Form, set_to.append)
    body = b'{"latency_ms": 100, "chunks": 40}'
    for part in (b"PUT / HTTP/1.1\r\nContent-Len", b"gth: %d\r\n\r\n" % len(body) + body[:5], body[5:]):
        connection.data_received(part)

    assert [Form(100, 40)] == set_to


def test_a_reply_without_a_ranking_ends_the_council() -> None:
    """A peer notices a review that it cannot count, so that none is faster for reading nothing."""
    with pytest.raises(ValueError, match="without a ranking"):
        council.synthesis(["a"] * 4, ["FINAL RANKING\n1. Response A"] * 4)


def test_the_text_of_a_reply_is_compressed_as_the_answers_of_models_are() -> None:
    """About half its bytes are left: a figure on histories would be too good, or too bad, with any other text."""
    sizes = [len(zstandard.ZstdCompressor().compress(text(model.encode()).encode())) for model in council.MODELS]

    assert 0.46 * CHARACTERS < statistics.mean(sizes) < 0.50 * CHARACTERS
