"""Fields of a request: which ones a dialect takes, its error for the others, and what is kept of a request."""

import json
from typing import Any

import pytest

from rehearsal.api.billing import Arrival, RequestLog
from rehearsal.api.recordings import Turn
from rehearsal.api.server import Rehearsal
from tests.rehearsal.listening import QUESTION, Heard, ask, send

DIALECTS = ("openrouter", "cerebras", "generic")
WELL_TYPED: dict[str, Any] = {
    "temperature": 0,
    "top_p": 0.5,
    "seed": 7,
    "stop": ["END"],
    "max_tokens": 400,
    "response_format": {"type": "json_object"},
    "stream_options": {"include_usage": True},
}
OWN: dict[str, dict[str, Any]] = {
    "openrouter": {
        "provider": {"order": ["first-host"], "data_collection": "deny", "zdr": True, "quantizations": ["fp8"]},
        "reasoning": {"effort": "high"},
        "plugins": [{"id": "web", "max_results": 3}],
        "top_k": 40,
        "a_field_of_tomorrow": 1,
    },
    "cerebras": {"reasoning_effort": "low", "reasoning_format": "parsed", "max_completion_tokens": 900},
    "generic": {"reasoning_effort": "low", "chat_template_kwargs": {"enable_thinking": False}},
}


def turn(deliberation: str = "d", seat: str = "p1") -> Turn:
    """Return a turn of ``seat``."""
    return Turn(deliberation=deliberation, stage="opinion", round=1, participant=seat, call=f"opinion-{seat}")


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_every_field_of_a_dialect_is_taken(stage: Rehearsal, dialect: str) -> None:
    """A request with all of them, and with nulls in their places, is answered."""
    given: dict[str, Any] = {**WELL_TYPED, **OWN[dialect]}
    empty_fields: dict[str, Any] = dict.fromkeys(given)
    full = await ask(stage.url, dialect=dialect, **given)
    empty = await ask(stage.url, dialect=dialect, **empty_fields)

    assert (200, 200) == (full.status, empty.status), (full.body, empty.body)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("temperature", "warm"),
        ("temperature", 2.5),
        ("temperature", True),
        ("top_p", -1),
        ("max_tokens", 0),
        ("max_tokens", "many"),
        ("seed", 0.5),
        ("stop", ["1", "2", "3", "4", "5"]),
        ("stop", 3),
        ("response_format", "json"),
    ],
)
async def test_a_value_of_the_wrong_kind_is_refused_by_every_provider(
    stage: Rehearsal, dialect: str, field: str, value: Any
) -> None:
    """With 400 and the name of the field; the request is kept, and nothing is billed."""
    heard = await ask(stage.url, dialect=dialect, **{field: value})

    (arrival,) = stage.ledger.arrivals
    assert (400, "bad-field", "refused", 0) == (heard.status, arrival.fault, arrival.outcome, stage.ledger.usd)
    assert field in said(heard)


def said(heard: Heard) -> str:
    """Return the message of an error, wherever the dialect writes it."""
    return str(heard.json.get("error", heard.json)["message"])


async def test_openrouter_drops_an_unknown_field_and_refuses_one_of_provider(stage: Rehearsal) -> None:
    """Only the table of endpoints is closed there."""
    dropped = await ask(stage.url, ordr=["x"])
    refused = await ask(stage.url, provider={"ordr": ["x"]})
    mistyped = await ask(stage.url, provider={"order": "x"})

    assert (200, 400, 400) == (dropped.status, refused.status, mistyped.status)
    assert 'provider: Unrecognized key: "ordr"' == said(refused)
    assert {"error_type": "invalid_request"} == refused.json["error"]["metadata"]
    assert said(mistyped).startswith("provider.order: ")


@pytest.mark.parametrize(
    ("field", "value"), [("top_k", 40), ("provider", {"order": ["x"]}), ("plugins", []), ("reasoning", {})]
)
async def test_cerebras_refuses_every_unknown_field(stage: Rehearsal, field: str, value: Any) -> None:
    """Flat, with the code and the words that it uses."""
    heard = await ask(stage.url, "zai-glm-4.7", dialect="cerebras", **{field: value})

    assert (400, heard.json) == (
        heard.status,
        {
            "message": f"body.{field}: property 'body.{field}' is unsupported",
            "type": "invalid_request_error",
            "param": "validation_error",
            "code": "wrong_api_format",
        },
    )


async def test_cerebras_has_three_efforts_and_none(stage: Rehearsal) -> None:
    """``minimal`` is one of others."""
    refused = await ask(stage.url, "gpt-oss-120b", dialect="cerebras", reasoning_effort="minimal")
    taken = await ask(stage.url, "gpt-oss-120b", reasoning={"effort": "minimal"})

    assert (400, 200) == (refused.status, taken.status)
    assert "body.reasoning_effort: " in said(refused)


async def test_other_servers_ignore_what_they_do_not_know(stage: Rehearsal) -> None:
    """As Ollama, vLLM and llama.cpp do; the field of a bad value is the error's parameter."""
    ignored = await ask(stage.url, dialect="generic", provider={"ordr": 1}, plugins="web")
    refused = await ask(stage.url, dialect="generic", temperature=-1)

    assert (200, 400) == (ignored.status, refused.status)
    assert ("invalid_request_error", "temperature") == (
        refused.json["error"]["type"],
        refused.json["error"]["param"],
    )


async def test_a_missing_key_is_refused_before_a_bad_field(stage: Rehearsal) -> None:
    """As providers do, who look at no body of one they do not know."""
    heard = await ask(stage.url, key=None, temperature="warm")

    assert (401, "no-key") == (heard.status, stage.ledger.arrivals[0].fault)


async def test_what_arrived_can_be_read_back(stage: Rehearsal) -> None:
    """Byte for byte, with the seat that it is of; without its headers, which have the key."""
    body = f'{{"model": "lab/one",  "messages":[{{"role":"user","content":"{QUESTION} ü"}}], "x": 1e0}}'.encode()
    for seat in ("p1", "p2"):
        headers = {"Authorization": "Bearer canary", "X-Parley-Turn": turn(seat=seat).model_dump_json()}
        await send(stage.url, "POST", "/openrouter/api/v1/chat/completions", body, headers)
    await ask(stage.url)
    all_, one, none = [
        (await send(stage.url, "GET", f"/rehearsal/requests{query}"))
        for query in ("", "?deliberation=d&seat=p2", "?deliberation=another")
    ]

    (found,) = one.json["requests"]
    assert (body, "p2", "opinion-p2", 2) == (
        found["body"].encode(),
        found["participant"],
        found["call_id"],
        found["arrival"],
    )
    assert [1, 2, 3] == [request["arrival"] for request in all_.json["requests"]]
    assert ([], 0) == (none.json["requests"], none.json["forgotten"])
    assert b"canary" not in all_.raw
    assert "1" == all_.headers["x-parley-rehearsal"]


async def test_a_reset_forgets_the_requests(stage: Rehearsal) -> None:
    """With the ledger, whose numbers they have."""
    await ask(stage.url)
    await send(stage.url, "DELETE", "/rehearsal/ledger")

    assert {"requests": [], "forgotten": 0} == (await send(stage.url, "GET", "/rehearsal/requests")).json


@pytest.mark.parametrize(("size", "kept"), [(10, [4, 5]), (25, [5]), (26, [])])
def test_the_log_of_requests_is_bounded(size: int, kept: list[int]) -> None:
    """The oldest are forgotten, and counted."""
    log = RequestLog(most_bytes=25)
    for number in range(1, 6):
        log.keep(Arrival(number, 0.0, "k", "m", "openrouter", "opinion", 1), None, b"x" * size)

    found = log.found(None, None)
    assert (kept, 5 - len(kept)) == ([one["arrival"] for one in found["requests"]], found["forgotten"])


def test_many_short_requests_are_bounded_too() -> None:
    """By their number."""
    log = RequestLog()
    for number in range(1, 2_003):
        log.keep(Arrival(number, 0.0, "k", "m", "openrouter", "opinion", 1), turn(), b"{}")

    found = log.found("d", "p1")
    assert (2_000, 2) == (len(found["requests"]), found["forgotten"])


def test_bytes_that_are_no_text_are_shown_escaped() -> None:
    """What a client sends cannot break the log."""
    log = RequestLog()
    log.keep(Arrival(1, 0.0, "k", "m", "generic", "opinion", 1), turn(), b"\xff{}")

    assert "\\xff{}" == json.loads(json.dumps(log.found(None, None)))["requests"][0]["body"]
