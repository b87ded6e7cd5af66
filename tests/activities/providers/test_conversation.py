"""One exchange: what is received, when it is given up, and what is never lost."""

import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from activities.providers.errors import (
    BadRequestError,
    BadResponseError,
    BrokenOffError,
    DeadlineError,
    ProviderError,
    RateLimitedError,
    StalledError,
    TransportError,
    UnavailableError,
)
from activities.providers.progress import CallProgress
from tests.activities.providers.conftest import Exchange
from tests.fakes.wire import DONE, EVENTS, JSON, accounts, answering, chunk, event, failing, json_answer, spoken

COMMENTS = (b": OPENROUTER PROCESSING\n\n", 0.03) * 20


async def test_a_stream_becomes_one_answer(exchange: Exchange) -> None:
    """Pieces, ending, usage and cost of a good stream come together."""
    heard = await exchange(answering(*spoken("Hel", "lo")))
    assert (heard.text, heard.finish, heard.repairs) == ("Hello", "stop", ())
    assert (heard.usage.prompt_tokens, heard.usage.completion_tokens, heard.cost.usd) == (7, 3, 0.25)


@pytest.mark.parametrize(
    "answer",
    [
        answering(chunk("half of a sen"), DONE),
        json_answer({"choices": [{"message": {"content": "half of a sen"}}]}),
    ],
    ids=["stream", "body"],
)
async def test_an_answer_that_ends_without_a_reason_has_a_note(exchange: Exchange, answer: Any) -> None:
    """A provider may have cut an answer that it ends without a reason: that is not known, and is noted."""
    heard = await exchange(answer)
    assert (heard.text, heard.finish, heard.repairs) == ("half of a sen", None, ("no finish reason",))


async def test_who_served_it_is_recorded(exchange: Exchange) -> None:
    """Upstream, served model, native reason and request id are kept, whatever was asked for."""
    pieces = (
        chunk("x", None, provider="Upstream", model="other/model-2026"),
        event({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop", "native_finish_reason": "end_turn"}]}),
        DONE,
    )
    heard = await exchange(answering(*pieces, headers={**EVENTS, "X-Generation-Id": "gen-9"}))
    assert (heard.upstream, heard.served_model) == ("Upstream", "other/model-2026")
    assert (heard.native_finish, heard.request_id) == ("end_turn", "gen-9")


async def test_the_request_id_is_known_as_soon_as_headers_arrive(exchange: Exchange) -> None:
    """A call that stalls after its headers leaves its request id for the accounts."""
    pulse = CallProgress()
    with pytest.raises(StalledError) as stalled:
        await exchange(answering(9.0, headers={**EVENTS, "X-Generation-Id": "gen-9"}), pulse=pulse, first_token=0.05)
    assert (pulse.request_id, stalled.value.request_id) == ("gen-9", "gen-9")


@pytest.mark.parametrize("field", ["reasoning", "reasoning_content"])
async def test_reasoning_is_kept_apart(exchange: Exchange, field: str) -> None:
    """What the model thought never is in what it said."""
    thought = event({"choices": [{"index": 0, "delta": {field: "hmm", "content": ""}}]})
    heard = await exchange(answering(thought, *spoken("yes")))
    assert (heard.reasoning, heard.text) == ("hmm", "yes")


@pytest.mark.parametrize(
    "thought",
    [
        {"type": "thinking", "thinking": [{"type": "text", "text": "hmm"}]},
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hmm"}]},
    ],
)
async def test_an_answer_in_parts_is_an_answer(exchange: Exchange, thought: dict[str, object]) -> None:
    """The texts in a list of parts are the answer, in one message and over chunks, and its thoughts are kept apart."""
    said = [thought, {"type": "text", "text": "yes"}, {"type": "image_url"}, None, "?"]
    whole = json_answer({"choices": [{"message": {"content": said}, "finish_reason": "stop"}]})
    chunks = [event({"choices": [{"index": 0, "delta": {"content": [part]}}]}) for part in said]
    for answer in (whole, answering(*chunks, chunk("", "stop"), DONE)):
        heard = await exchange(answer)
        assert (heard.reasoning, heard.text) == ("hmm", "yes")


@pytest.mark.parametrize("thought", [{"text": "hmm"}, ["hmm"], 7, True])
@pytest.mark.parametrize("field", ["reasoning", "reasoning_content", "reasoning_details", "refusal"])
async def test_a_thought_in_no_known_form_costs_no_answer(exchange: Exchange, field: str, thought: object) -> None:
    """What is alone in a chunk and has another type than text is passed over."""
    odd = event({"choices": [{"index": 0, "delta": {field: thought}}]})
    assert (await exchange(answering(odd, *spoken("yes")))).text == "yes"


async def test_only_the_first_choice_is_the_answer(exchange: Exchange) -> None:
    """Of several choices, of which one was asked for, the texts and endings of the others are no part of the answer."""
    other = event({"choices": [{"index": 1, "delta": {"content": "no"}, "finish_reason": "length"}]})
    heard = await exchange(answering(chunk("yes"), other, chunk("", "stop"), other, DONE))
    assert (heard.text, heard.finish) == ("yes", "stop")


async def test_json_to_a_streamed_request_is_an_answer(exchange: Exchange) -> None:
    """A provider that ignores ``stream`` is read all the same, with leading white space and a byte order mark."""
    body = {"choices": [{"message": {"content": "yes"}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 1}}
    heard = await exchange(answering(b"\xef\xbb\xbf \n\n" + json.dumps(body).encode(), headers=JSON))
    assert (heard.text, heard.usage.prompt_tokens) == ("yes", 1)


@pytest.mark.parametrize("kind", ["Text/Event-Stream", "text/event-stream, text/event-stream"])
@pytest.mark.parametrize("status", [200, 201])
async def test_a_status_and_a_type_of_an_answer_are_known_in_all_their_forms(
    exchange: Exchange, status: int, kind: str
) -> None:
    """Frameworks answer a POST with 201, and proxies repeat the content type: the answer is read all the same."""
    heard = await exchange(answering(*spoken("yes"), status=status, headers={"content-type": kind}))
    assert heard.text == "yes"


@pytest.mark.parametrize(
    "pieces",
    [
        spoken("a\u2028b\u0085c"),
        tuple(bytes([b]) for part in spoken("a\u2028b\u0085c") for b in part),
        tuple(part.replace(b"\n", b"\r\n") for part in spoken("a\u2028b\u0085c")),
        (b"\xef\xbb\xbf", *spoken("a\u2028b\u0085c")),
        (b"event: message\nid: 1\nretry: 5\n", *spoken("a\u2028b\u0085c")),
        (chunk("a\u2028b\u0085c", "stop"), b"data: [DONE]"),
        (event({"choices": [], "debug": {}}), *spoken("a\u2028b\u0085c")),
        (*spoken("a\u2028b\u0085c"), b"data: after the end\n\n"),
    ],
    ids=["plain", "byte by byte", "crlf", "bom", "fields", "cut ending", "debug chunk", "after done"],
)
async def test_a_stream_is_read_however_it_is_cut(exchange: Exchange, pieces: tuple[bytes, ...]) -> None:
    """Line ends of all kinds, split characters and separators inside text change nothing."""
    raw = [p.replace(b"\\u2028", "\u2028".encode()).replace(b"\\u0085", "\u0085".encode()) for p in pieces]
    assert (await exchange(answering(*raw))).text == "a\u2028b\u0085c"


async def test_comments_are_no_progress(exchange: Exchange) -> None:
    """Keep-alive comments do not put off the deadline for the first data."""
    with pytest.raises(StalledError, match=r"no answer started after 0.1 s; a longer timeout waits for it"):
        await exchange(answering(*COMMENTS, *spoken("late")), first_token=0.1)


async def test_silence_in_the_middle_is_noticed(exchange: Exchange) -> None:
    """After the first data, every silence has the shorter deadline; comments do not break it."""
    with pytest.raises(StalledError, match="in the middle of an answer; a longer timeout"):
        await exchange(answering(chunk("x"), *COMMENTS, *spoken("late")), between_chunks=0.1)


async def test_the_whole_time_bounds_a_steady_drip(exchange: Exchange) -> None:
    """A model that never stops is given up when the call's whole time has ended."""
    drip = [piece for _ in range(100) for piece in (chunk("x"), 0.02)]
    with pytest.raises(DeadlineError, match=r"no complete answer after 0.2 s; a longer timeout waits for it"):
        await exchange(answering(*drip), total=0.2)


async def test_a_complete_answer_is_kept_when_its_accounts_never_come(exchange: Exchange) -> None:
    """Silence after the ending costs the usage, not the answer."""
    heard = await exchange(answering(chunk("x"), chunk("", "stop"), 9.0, DONE), between_chunks=0.1)
    assert (heard.text, heard.usage.prompt_tokens, heard.cost.usd) == ("x", None, None)
    assert heard.repairs == ("ended without its accounts",)


async def test_a_complete_answer_survives_a_broken_connection(exchange: Exchange) -> None:
    """A connection that breaks after the ending costs nothing that was paid for."""
    heard = await exchange(answering(*spoken("x")[:-1], httpx.ReadError("reset")))
    assert (heard.text, heard.usage.prompt_tokens) == ("x", 7)


async def test_a_connection_left_open_after_the_end_is_let_go(exchange: Exchange) -> None:
    """After ``[DONE]`` the end of the stream is awaited for a moment only, and the answer is not blamed."""
    heard = await exchange(answering(*spoken("x"), 30.0))
    assert (heard.text, heard.repairs) == ("x", ())


@pytest.mark.parametrize("ending", [(), (httpx.ReadError("reset"),), (httpx.RemoteProtocolError("cut"),)])
async def test_an_answer_that_breaks_off_is_no_answer(exchange: Exchange, ending: tuple[Exception, ...]) -> None:
    """Text without an ending is not taken for the whole."""
    with pytest.raises(BrokenOffError):
        await exchange(answering(chunk("half"), *ending))


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (answering(b"{}", headers={"content-type": "text/plain"}), BadResponseError),
        (answering(b"{}", headers={}), BadResponseError),
        (answering(b"", headers=JSON), BadResponseError),
        (answering(b"", headers=EVENTS), BadResponseError),
        (answering(b"", status=204, headers={}), BadResponseError),
        (answering(b"[1]", headers=JSON), BadResponseError),
        (answering(b"null", headers=JSON), BadResponseError),
        (answering(b'{"choices": null}', headers=JSON), BadResponseError),
        (answering(b'{"choices": 7}', headers=JSON), BadResponseError),
        (answering(b'{"choices": [7]}', headers=JSON), BadResponseError),
        (answering(b'{"choices": [{"message": 7}]}', headers=JSON), BadResponseError),
        (answering(b'{"choices": [{"message": {"content": {"text": "x"}}}]}', headers=JSON), BadResponseError),
        (answering(b'{"choices": [{"mess', headers=JSON), BadResponseError),
        (answering(b"[" * 100_000, headers=JSON), BadResponseError),
        (answering('{"choices": []}'.encode("utf-16"), headers=JSON), BadResponseError),
        (answering(b'data: {"choices": [{"delta": {"content": "\xff"}}]}\n\n'), BadResponseError),
        (answering(b"data: {oops\n\n"), BadResponseError),
        (answering(chunk("x"), b'data: {"choi'), BadResponseError),
        (answering(chunk("x", "abort")), BrokenOffError),
        (answering(chunk("half", "ERROR"), DONE), BrokenOffError),
        (answering(chunk("half", "insufficient_system_resource"), DONE), BrokenOffError),
        (
            answering(event({"choices": [{"delta": {"content": "x"}, "finish_reason": {"type": "stop"}}]})),
            BrokenOffError,
        ),
        (answering(chunk("x"), event({"error": {"message": "no", "code": "x"}, "status_code": 429})), BrokenOffError),
        (answering(event({"error": {"message": "no", "code": "x"}, "status_code": 429})), RateLimitedError),
        (
            answering(chunk("x"), b"event: error\n", event({"error": {"code": 502, "message": "no"}, "choices": []})),
            BrokenOffError,
        ),
        (answering(event({"error": {"code": 502, "message": "no"}})), UnavailableError),
        (answering(b'error: {"code": 400, "message": "no"}\n\n', DONE), BadRequestError),
        (answering(chunk("half"), b'error: {"code": 500, "message": "no"}\n\n', DONE), BrokenOffError),
        (failing(httpx.ConnectError("refused")), TransportError),
        (failing(httpx.ConnectTimeout("slow")), TransportError),
        (failing(httpx.RemoteProtocolError("garbage")), TransportError),
        (failing(httpx.LocalProtocolError("Illegal header value b'Bearer sk-canary-123456'")), BadRequestError),
    ],
)
async def test_what_is_no_answer_has_a_name(
    exchange: Exchange, answer: Callable[[httpx.Request], httpx.Response], kind: type[ProviderError]
) -> None:
    """Whatever a provider sends instead of an answer ends in one of the named errors."""
    with pytest.raises(kind) as failed:
        await exchange(answer)
    assert "canary" not in str(failed.value)


@pytest.mark.parametrize("usage", ['{"prompt_tokens": NaN}', '{"prompt_tokens": 1e400}', '{"cost": -Infinity}'])
async def test_an_absurd_number_does_not_cost_the_text(exchange: Exchange, usage: str) -> None:
    """A NaN in the accounts is unknown and recorded; the answer stays."""
    told = f'data: {{"choices": [], "usage": {usage}}}\n\n'.encode()
    heard = await exchange(answering(chunk("x", "stop"), told, DONE))
    assert (heard.text, heard.usage.prompt_tokens, heard.cost.usd) == ("x", None, None)
    assert any("unknown" in repair for repair in heard.repairs)


@pytest.mark.parametrize(
    "usage",
    [
        {"prompt_tokens": -1},
        {"prompt_tokens": True},
        {"prompt_tokens": "7"},
        {"prompt_tokens": 7.5},
        {"prompt_tokens": 10**15},
        {"prompt_tokens": int("9" * 400)},
    ],
)
async def test_a_count_that_is_none_is_unknown(exchange: Exchange, usage: dict[str, object]) -> None:
    """Negative, fractional, enormous and non-numeric counts are unknown, never zero, and recorded."""
    heard = await exchange(answering(chunk("x", "stop"), accounts(**usage), DONE))
    assert heard.usage.prompt_tokens is None
    assert heard.repairs


async def test_tokens_of_the_cache_and_of_the_thinking_are_counted(exchange: Exchange) -> None:
    """A part of the prompt that was cached, and of the answer that was thought, is read where the provider has it."""
    parts = {"prompt_tokens_details": {"cached_tokens": 4}, "completion_tokens_details": {"reasoning_tokens": 2}}
    heard = await exchange(answering(chunk("x", "stop"), accounts(prompt_tokens=7, completion_tokens=3, **parts), DONE))
    assert (heard.usage.cached_tokens, heard.usage.reasoning_tokens) == (4, 2)


async def test_accounts_in_parts_are_put_together(exchange: Exchange) -> None:
    """What a later chunk counts replaces the count of an earlier one, and what it leaves out stays."""
    first = chunk("x", usage={"prompt_tokens": 7, "completion_tokens": 1, "cost": 0.5})
    heard = await exchange(
        answering(first, chunk("y", "stop"), accounts(prompt_tokens=None, completion_tokens=3), DONE)
    )
    assert (heard.usage.prompt_tokens, heard.usage.completion_tokens, heard.cost.usd) == (7, 3, 0.5)


async def test_a_key_of_ones_own_adds_the_upstreams_price(exchange: Exchange) -> None:
    """With one's own key the spend is the router's fee and the upstream's price together."""
    usage = {"cost": 0.1, "is_byok": True, "cost_details": {"upstream_inference_cost": 0.4}}
    assert (await exchange(answering(chunk("x", "stop"), accounts(**usage), DONE))).cost.usd == pytest.approx(0.5)


async def test_a_part_of_a_price_is_no_price(exchange: Exchange) -> None:
    """With one's own key and no upstream price the cost is unknown, not the fee alone."""
    usage = {"cost": 0.1, "is_byok": True, "cost_details": {"upstream_inference_cost": None}}
    assert (await exchange(answering(chunk("x", "stop"), accounts(**usage), DONE))).cost.usd is None


async def test_an_error_whose_body_never_comes_is_known_by_its_status(exchange: Exchange) -> None:
    """A 429 whose body breaks is a rate limit all the same."""
    with pytest.raises(RateLimitedError):
        await exchange(answering(b'{"err', httpx.ReadError("reset"), status=429, headers=JSON))


async def test_the_bar_moves_while_the_model_writes(exchange: Exchange) -> None:
    """Tokens are estimated from the pieces until the provider's own count comes."""
    pulse = CallProgress()
    with pytest.raises(StalledError):
        await exchange(answering(chunk("one two\n"), chunk("three"), 9.0), pulse=pulse, between_chunks=0.05)
    assert (pulse.tokens, pulse.tail, pulse.phase) == (3, "one two three", "writing")


async def test_the_providers_count_replaces_the_estimate(exchange: Exchange) -> None:
    """The count in the accounts is the last word on tokens."""
    pulse = CallProgress()
    await exchange(answering(*spoken("a", "b")), pulse=pulse)
    assert pulse.tokens == 3


async def test_a_wrong_key_in_json_is_reported_by_its_status(exchange: Exchange) -> None:
    """The provider's own words come along, without the key that they quote."""
    with pytest.raises(ProviderError, match=r"lab: answered 401: bad key \[key\]") as failed:
        await exchange(json_answer({"error": {"message": "bad key sk-canary-123456"}}, 401))
    assert failed.value.status == 401
