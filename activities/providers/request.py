"""Body and headers of a request, in each provider's dialect. Only what is set is sent.

* OpenRouter counts usage without being asked, takes ``reasoning.effort``, and wants ``max_completion_tokens``
  (``max_tokens`` is deprecated there). It never defaults what is absent.
* Cerebras admits a request by its estimate, so a limit is always sent; it counts in a stream only when asked.
* Others take ``max_tokens``, which all of them read, and count in a stream only when asked.

Attached files come before the content of a user's message: texts in it, and images as further parts of it in OpenAI's
form, as a ``data:`` address, which all of them read.

A search of the web is OpenRouter's plugin. It is refused for other dialects before a deliberation starts.

A JSON schema goes into ``response_format`` at all of them. OpenRouter is also restricted to endpoints that take
every parameter of the request: otherwise it picks any, and most of the others ignore the schema. A seat's own routing
is sent with that restriction, and its additional fields never replace one of the others.
"""

import json
from base64 import b64encode
from collections.abc import Mapping
from typing import Any

from pydantic import SecretStr

from activities.providers.catalogue import Dialect, Provider
from activities.providers.errors import ConfigError
from activities.reply_schemas import ReplySchema
from protocols.attachments import with_attachments
from protocols.model_call import Message, ModelCall, Sampling
from protocols.panel import name_of

CALL_HEADER = "X-Parley-Call"
"""For rehearsal servers only: the logical call, so that they can count calls paid twice."""

TURN_HEADER = "X-Parley-Turn"
"""Sent to rehearsal servers only: which turn of which deliberation this is, so that they can give a recorded answer."""

_DIALECT_HEADERS: dict[Dialect, dict[str, str]] = {
    "openrouter": {"X-OpenRouter-Title": "Parley"},
    "cerebras": {},
    "generic": {},
}


_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))

Files = Mapping[str, bytes]
"""By blob, what is sent of each attached file."""

NO_FILES: Files = {}


def body_of(call: ModelCall, provider: Provider, schema: ReplySchema | None = None, files: Files = NO_FILES) -> bytes:
    """Build the JSON request to ``provider`` for ``call``, as a stream."""
    messages = call.messages
    if schema is not None and call.schema_instruction:
        *before, last = messages
        messages = (*before, last.model_copy(update={"content": f"{last.content}\n{call.schema_instruction}"}))
    body: dict[str, Any] = {
        "model": name_of(call.model),
        "messages": [{"role": m.role, "content": content_of(m, files)} for m in messages],
        "stream": True,
    }
    if schema is not None:
        body |= _form(schema, provider)
    if provider.dialect != "openrouter":
        body["stream_options"] = {"include_usage": True}
    body.update(_sampling(call.sampling, provider))
    if call.stop:
        body["stop"] = list(call.stop)
    if call.routing:
        body["provider"] = call.routing | body.get("provider", {})
    if call.web:
        body["plugins"] = [{"id": "web"}]
    body = call.extra_body | body
    return _ENCODER.encode(body).encode("utf-8", "replace")


def content_of(message: Message, files: Files) -> str | list[dict[str, Any]]:
    """Return the content of ``message`` in a request, its files before it."""
    if not message.attachments:
        return message.content
    texts = {one.blob: files[one.blob].decode() for one in message.attachments if not one.is_image}
    coded = {one: b64encode(files[one.blob]).decode() for one in message.attachments if one.is_image}
    images = {one.blob: f"data:{one.media_type};base64,{content}" for one, content in coded.items()}
    return with_attachments(message.content, message.attachments, texts, images)


def refuse_unsendable(call: ModelCall, provider: Provider) -> None:
    """Refuse a call with a setting that ``provider`` does not have.

    Raises:
        ConfigError: the call chooses among OpenRouter's endpoints, and the provider is another one.
    """
    if call.routing and provider.dialect != "openrouter":
        said = (
            f"provider {provider.name!r} has no endpoints to choose among, as the seat's provider does; leave that "
            "out, or put a model of OpenRouter there"
        )
        raise ConfigError(said, error_type="config.routing")


def turn_of(call: ModelCall, deliberation: str) -> str:
    """Return the value of the header that names the turn of ``call``, in ASCII."""
    turn = {"stage": call.stage, "round": call.round, "participant": call.participant}
    return json.dumps({"deliberation": deliberation, "call": call.call_id, **turn})


def headers_of(provider: Provider, key: SecretStr | None, call_key: str, turn: str) -> dict[str, str]:
    """Return the headers. An answer is requested uncompressed, because a stream gains nothing from compression."""
    headers = {
        "Accept": "text/event-stream",
        "Accept-Encoding": "identity",
        "Content-Type": "application/json",
        "User-Agent": "parley",
        **_DIALECT_HEADERS[provider.dialect],
    }
    if key is not None:
        headers["Authorization"] = f"Bearer {key.get_secret_value()}"
    if provider.rehearsal:
        headers |= {CALL_HEADER: call_key, TURN_HEADER: turn}
    return headers


def _form(schema: ReplySchema, provider: Provider) -> dict[str, Any]:
    form = {"name": schema.name, "strict": True, "schema": schema.json_schema}
    fields: dict[str, Any] = {"response_format": {"type": "json_schema", "json_schema": form}}
    return fields | {"provider": {"require_parameters": True}} if provider.dialect == "openrouter" else fields


def _sampling(sampling: Sampling, provider: Provider) -> dict[str, Any]:
    effort = sampling.reasoning_effort
    asked = {
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        provider.max_tokens_field: sampling.max_tokens or provider.default_max_tokens,
        "seed": sampling.seed,
        "reasoning": {"effort": effort} if effort and provider.dialect == "openrouter" else None,
        "reasoning_effort": effort if provider.dialect != "openrouter" else None,
    }
    return {name: value for name, value in asked.items() if value is not None}
