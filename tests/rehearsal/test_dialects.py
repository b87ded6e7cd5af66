"""The three dialects: shapes, keys, errors, and the pages beside chat."""

import json
from typing import Any

import pytest

from rehearsal.api.server import Rehearsal
from tests.rehearsal.listening import ask, send


async def test_openrouter_answer_has_the_routers_fields(stage: Rehearsal) -> None:
    """An OpenRouter body shows who served it, how the upstream finished, and what it cost."""
    heard = await ask(stage.url)

    body = heard.json
    assert body["id"] == heard.headers["x-generation-id"]
    assert {"provider", "model", "object", "created", "choices", "usage"} <= set(body)
    assert set(body["choices"][0]) == {"index", "message", "finish_reason", "native_finish_reason", "logprobs"}


async def test_openrouter_cost_is_its_parts(stage: Rehearsal) -> None:
    """The cost is the prompt's and the completion's cost together, and it is what the ledger billed."""
    usage = (await ask(stage.url)).json["usage"]

    details = usage["cost_details"]
    parts = details["upstream_inference_prompt_cost"] + details["upstream_inference_completions_cost"]
    assert usage["cost"] == pytest.approx(parts)
    assert stage.ledger.usd == pytest.approx(usage["cost"])


async def test_openrouter_stream_opens_with_a_comment_and_closes_with_usage(stage: Rehearsal) -> None:
    """A stream is a comment, the role, the text, one event with usage and finish, and [DONE]."""
    heard = await ask(stage.url, stream=True)

    assert heard.body.startswith(b": OPENROUTER PROCESSING\n\n")
    assert heard.events[0]["choices"][0]["delta"]["role"] == "assistant"
    assert ["usage" in e for e in heard.events].index(True) == len(heard.events) - 1


async def test_cerebras_answer_shows_times_and_no_cost(stage: Rehearsal) -> None:
    """A Cerebras body has its times in seconds and never a cost."""
    heard = await ask(stage.url, "zai-glm-4.7", dialect="cerebras")

    assert {"queue_time", "prompt_time", "completion_time", "total_time", "created"} == set(heard.json["time_info"])
    assert "cost" not in heard.json["usage"]
    assert float(heard.headers["x-ratelimit-reset-requests-day"]) > 0


async def test_cerebras_stream_ends_with_usage_and_times(stage: Rehearsal) -> None:
    """The last event of a Cerebras stream carries both."""
    last = (await ask(stage.url, dialect="cerebras", stream=True)).events[-1]

    assert {"usage", "time_info"} <= set(last)
    assert last["choices"][0]["finish_reason"] == "stop"


@pytest.mark.parametrize("wanted", [True, False])
async def test_generic_stream_has_usage_only_when_asked(stage: Rehearsal, wanted: bool) -> None:
    """A plain endpoint sends usage in a stream only with include_usage, in an event without choices."""
    heard = await ask(stage.url, dialect="generic", stream=True, stream_options={"include_usage": wanted})

    assert [e["choices"] for e in heard.events if "usage" in e] == [[]] * wanted


async def test_generic_reads_only_max_tokens(stage: Rehearsal) -> None:
    """A plain endpoint ignores max_completion_tokens, as Ollama does, and is cut by max_tokens."""
    ignored = await ask(stage.url, dialect="generic", max_completion_tokens=5)
    cut = await ask(stage.url, dialect="generic", max_tokens=5)

    assert ignored.json["choices"][0]["finish_reason"] == "stop"
    assert cut.json["choices"][0]["finish_reason"] == "length"
    assert cut.json["usage"]["completion_tokens"] == 5


@pytest.mark.parametrize(
    ("dialect", "status", "body"),
    [
        ("openrouter", 401, {"error": {"message": "Missing Authentication header", "code": 401}}),
        ("cerebras", 403, {"detail": "Not authenticated"}),
    ],
)
async def test_missing_key_is_answered_in_the_dialect(
    stage: Rehearsal, dialect: str, status: int, body: dict[str, Any]
) -> None:
    """A call without a key is turned down the way that provider does it, and counted as such."""
    heard = await ask(stage.url, dialect=dialect, key=None)

    assert (heard.status, heard.json) == (status, body)
    assert stage.ledger.arrivals[0].fault == "no-key"


async def test_generic_needs_no_key(stage: Rehearsal) -> None:
    """A plain endpoint answers without a key."""
    heard = await ask(stage.url, dialect="generic", key=None)

    assert heard.status == 200
    assert heard.text


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"model":"m"}', b'{"model":"m","messages":[]}', b"[" * 100_000])
async def test_bad_request_is_turned_down(stage: Rehearsal, body: bytes) -> None:
    """A body that is no chat completion request gets a 400 in the dialect and counts nowhere."""
    heard = await send(stage.url, "POST", "/openrouter/api/v1/chat/completions", body, {"Authorization": "Bearer k"})

    assert heard.status == 400 == heard.json["error"]["code"]
    assert stage.ledger.arrivals == []


@pytest.mark.parametrize("path", ["/openrouter/api/v1/models", "/generic/v1/models", "/cerebras/v1/models"])
async def test_models_are_listed(stage: Rehearsal, path: str) -> None:
    """Every dialect lists its models, behaviours and faults among them."""
    heard = await send(stage.url, "GET", path, headers={"Authorization": "Bearer k"})

    ids = {row["id"] for row in heard.json["data"]}
    assert {"anthropic/claude-opus-4.6", "rehearsal/obedient", "rehearsal/hang"} <= ids


async def test_key_limit_goes_down_with_what_was_billed(stage: Rehearsal) -> None:
    """What remains of the key's limit is the limit less what the ledger billed."""
    await ask(stage.url)
    heard = await send(stage.url, "GET", "/openrouter/api/v1/key", headers={"Authorization": "Bearer k"})

    data = heard.json["data"]
    assert 0 < data["usage"] == pytest.approx(stage.ledger.usd)
    assert data["limit"] - data["limit_remaining"] == pytest.approx(data["usage"])


async def test_generation_is_found_at_the_second_question(stage: Rehearsal) -> None:
    """An answer's account is a 404 at first and then shows what was billed."""
    name = (await ask(stage.url)).json["id"]
    path = f"/openrouter/api/v1/generation?id={name}"
    heard = [await send(stage.url, "GET", path, headers={"Authorization": "Bearer k"}) for _ in range(2)]

    assert [h.status for h in heard] == [404, 200]
    assert heard[1].json["data"]["total_cost"] == pytest.approx(stage.ledger.usd)


async def test_unrouted_cerebras_path_is_an_empty_404(stage: Rehearsal) -> None:
    """A path that Cerebras does not know is answered with an empty text."""
    heard = await send(stage.url, "GET", "/cerebras/v2/anything")

    assert (heard.status, heard.body) == (404, b"")
    assert heard.headers["content-type"].startswith("text/plain")


@pytest.mark.parametrize("dialect", ["openrouter", "cerebras", "generic"])
async def test_stream_and_body_state_the_same(stage: Rehearsal, dialect: str) -> None:
    """Whether it is streamed changes nothing of the text and the counts."""
    whole = await ask(stage.url, dialect=dialect)
    stream = await ask(stage.url, dialect=dialect, stream=True, stream_options={"include_usage": True})

    assert whole.text == stream.text
    assert json.dumps(whole.json["usage"]) == json.dumps(stream.events[-1]["usage"])


@pytest.mark.parametrize("stream", [False, True])
async def test_openrouter_sends_sources_as_annotations(stage: Rehearsal, stream: bool) -> None:
    """A model that cites has annotations in its message, or one delta for each, with the place of each number."""
    heard = await ask(stage.url, "maker/model+cites", stream=stream)
    said = [c.get("message", c.get("delta")) for e in (heard.events if stream else [heard.json]) for c in e["choices"]]
    told = [one["url_citation"] for part in said for one in part.get("annotations", ())]
    assert [heard.text[one["start_index"] : one["end_index"]] for one in told] == ["[1]", "[2]"]
    assert all(one["url"].startswith("https://rehearsal.invalid/") and one["content"] for one in told)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("dialect", ["generic", "cerebras"])
async def test_other_dialects_send_sources_beside_the_choices(stage: Rehearsal, dialect: str, stream: bool) -> None:
    """A model that cites has the addresses of its pages and the search results in every body and event with text."""
    heard = await ask(stage.url, "maker/model+cites", dialect=dialect, stream=stream)
    bodies = [e for e in heard.events if e["choices"]] if stream else [heard.json]
    for body in bodies:
        assert body["citations"] == [one["url"] for one in body["search_results"]]
        assert len(body["citations"]) == 2
