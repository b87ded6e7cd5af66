"""What is sent, byte for byte."""

import json
from typing import Any

import pytest
from pydantic import SecretStr

from activities.providers.catalogue import BUILT_IN, Provider, load_catalogue
from activities.providers.errors import ConfigError
from activities.providers.request import body_of, headers_of, refuse_unsendable
from activities.reply_schemas import ReplySchema
from protocols.model_call import ModelCall
from tests.fakes.calls import model_call

OPENROUTER, CEREBRAS, OLLAMA = BUILT_IN
ALL_SET = {"temperature": 0.5, "top_p": 0.9, "max_tokens": 100, "seed": 7, "reasoning_effort": "low"}


def asked(model: str, sampling: dict[str, Any]) -> ModelCall:
    """A call with two messages."""
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Wärum?"}]
    return model_call(model=model, sampling=sampling, messages=messages)


def test_openrouter_gets_exactly_what_is_set() -> None:
    """A bare call to OpenRouter holds model, messages and stream, and nothing else."""
    body = body_of(asked("openrouter:a/b:free", {}), OPENROUTER)
    assert (
        body
        == (
            '{"model":"a/b:free","messages":[{"role":"system","content":"Be brief."},'
            '{"role":"user","content":"Wärum?"}],"stream":true}'
        ).encode()
    )


@pytest.mark.parametrize(
    ("provider", "expected"),
    [
        (
            OPENROUTER,
            {"temperature": 0.5, "top_p": 0.9, "max_completion_tokens": 100, "seed": 7, "reasoning": {"effort": "low"}},
        ),
        (
            CEREBRAS,
            {
                "temperature": 0.5,
                "top_p": 0.9,
                "max_completion_tokens": 100,
                "seed": 7,
                "reasoning_effort": "low",
                "stream_options": {"include_usage": True},
            },
        ),
        (
            OLLAMA,
            {
                "temperature": 0.5,
                "top_p": 0.9,
                "max_tokens": 100,
                "seed": 7,
                "reasoning_effort": "low",
                "stream_options": {"include_usage": True},
            },
        ),
    ],
)
def test_every_setting_is_sent_in_the_dialect(provider: Provider, expected: dict[str, Any]) -> None:
    """Each provider gets the settings under the names that it reads."""
    body = json.loads(body_of(asked(f"{provider.name}:m", ALL_SET), provider))
    del body["model"], body["messages"], body["stream"]
    assert body == expected


def test_cerebras_always_gets_a_limit() -> None:
    """Cerebras admits by estimate, so a call without a limit is sent with the default one."""
    assert json.loads(body_of(asked("cerebras:m", {}), CEREBRAS))["max_completion_tokens"] == 8192


def test_ollama_gets_no_limit_that_was_not_set() -> None:
    """Only what is set is sent."""
    body = json.loads(body_of(asked("ollama:m", {}), OLLAMA))
    assert {"max_tokens", "max_completion_tokens"}.isdisjoint(body)


def test_openrouter_headers_carry_the_key_and_the_title() -> None:
    """The headers to OpenRouter are exactly these."""
    assert headers_of(OPENROUTER, SecretStr("sk-1"), "call", "turn") == {
        "Accept": "text/event-stream",
        "Accept-Encoding": "identity",
        "Content-Type": "application/json",
        "User-Agent": "parley",
        "X-OpenRouter-Title": "Parley",
        "Authorization": "Bearer sk-1",
    }


def test_cerebras_headers_carry_the_key_alone() -> None:
    """The headers to Cerebras are exactly these."""
    assert headers_of(CEREBRAS, SecretStr("csk-1"), "call", "turn") == {
        "Accept": "text/event-stream",
        "Accept-Encoding": "identity",
        "Content-Type": "application/json",
        "User-Agent": "parley",
        "Authorization": "Bearer csk-1",
    }


def test_only_a_rehearsal_server_is_reported_which_call_it_is() -> None:
    """The call's identity goes to rehearsal servers and to no one else."""
    rehearsal = load_catalogue(None, "http://127.0.0.1:1").providers["rehearsal"]
    assert (
        headers_of(rehearsal, None, "abc", "turn").items() >= {"X-Parley-Call": "abc", "X-Parley-Turn": "turn"}.items()
    )
    assert not {"X-Parley-Call", "X-Parley-Turn"} & set(headers_of(OPENROUTER, None, "abc", "turn"))


def test_a_prompt_that_cannot_be_encoded_is_sent_all_the_same() -> None:
    """A lone surrogate in a prompt does not stop the request."""
    call = model_call(messages=[{"role": "user", "content": "x"}])
    broken = call.model_copy(update={"messages": (call.messages[0].model_copy(update={"content": "\ud800"}),)})
    assert json.loads(body_of(broken, OLLAMA))["messages"][0]["content"] == "?"


PAPER: dict[str, Any] = {
    "name": "paper.pdf",
    "media_type": "application/pdf",
    "sha256": "b" * 64,
    "size": 9,
    "tokens": 4,
    "pages": 1,
}
CHART: dict[str, Any] = {"name": "chart.png", "media_type": "image/png", "sha256": "c" * 64, "size": 3, "tokens": 1600}


def with_files(*files: dict[str, Any], provider: Provider = OPENROUTER, schema: ReplySchema | None = None) -> Any:
    """Return the messages of a request with ``files``, each stored under its own hash."""
    attached = [{**one, "blob": one["sha256"]} for one in files]
    messages = [{"role": "user", "content": "Why?", "attachments": attached}]
    call = model_call(messages=messages, schema_instruction="Write JSON.")
    contents = {str(PAPER["sha256"]): b"[page 1]\nTall.", str(CHART["sha256"]): b"\x89PN"}
    return json.loads(body_of(call, provider, schema, contents))["messages"]


def test_a_text_is_sent_in_the_content_of_the_message() -> None:
    """Every server takes it; nothing of a reference but the name is sent."""
    ((role, content),) = [(one["role"], one["content"]) for one in with_files(PAPER)]
    assert "user" == role
    assert '<attachment name="paper.pdf" code="' in content
    assert "[page 1]\nTall.\n</attachment" in content
    assert content.endswith("\n\nWhy?")


@pytest.mark.parametrize("provider", [OPENROUTER, OLLAMA], ids=lambda one: one.name)
def test_an_image_is_sent_as_a_part_of_the_message(provider: Provider) -> None:
    """In OpenAI's form, which OpenRouter, Ollama and all others read; an instruction for a schema stays the end."""
    schema = ReplySchema(name="answer", json_schema={"type": "object"})
    (message,) = with_files(CHART, provider=provider, schema=schema)
    first, image, last = message["content"]
    assert first["text"].startswith('The user attached 1 file: "chart.png" (PNG).')
    assert {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBO"}} == image
    assert {"type": "text", "text": "Why?\nWrite JSON."} == last


def test_a_search_of_the_web_is_openrouters_plugin() -> None:
    """Sent where a call asks for it, and no field of it otherwise."""
    asked_for = json.loads(body_of(model_call(web=True), OPENROUTER))
    assert [{"id": "web"}] == asked_for["plugins"]
    assert "plugins" not in json.loads(body_of(model_call(), OPENROUTER))


def test_the_settings_of_a_seat_are_sent_beside_the_others() -> None:
    """Stop, routing and additional fields are in the body byte for byte, and no additional field replaces another."""
    settings = {"stop": ("END",), "routing": {"only": ["deepinfra"], "zdr": True}, "extra_body": {"top_k": 40}}
    call = asked("openrouter:a/b", {"temperature": 0}).model_copy(update=settings)

    assert (
        body_of(call, OPENROUTER)
        == (
            '{"top_k":40,"model":"a/b","messages":[{"role":"system","content":"Be brief."},'
            '{"role":"user","content":"Wärum?"}],"stream":true,"temperature":0.0,"stop":["END"],'
            '"provider":{"only":["deepinfra"],"zdr":true}}'
        ).encode()
    )


def test_routing_is_not_sent_to_another_provider() -> None:
    """A call that reaches a worker with routing for another provider is refused before it is paid."""
    call = asked("cerebras:a", {}).model_copy(update={"routing": {"zdr": True}})
    with pytest.raises(ConfigError, match="has no endpoints to choose among"):
        refuse_unsendable(call, CEREBRAS)
