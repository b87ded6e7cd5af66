"""Chat requests: the model, the prompt and the key of a call."""

import json
from dataclasses import dataclass, replace
from typing import Any

from aiohttp import web

from rehearsal.api.billing import call_key
from rehearsal.api.recordings import TURN_HEADER, Turn, read_turn
from rehearsal.dialects.request_fields import BadFieldError, refuse_bad_fields
from rehearsal.dialects.shape import Dialect
from rehearsal.models import prompt_recognition
from rehearsal.models.message_parts import BadPartError, characters, parts_of
from rehearsal.models.prompt_recognition import RecognisedPrompt

CALL_HEADER = "X-Parley-Call"


class BadRequestError(ValueError):
    """The request is no chat completion; the message says why."""


@dataclass(frozen=True)
class ChatRequest:
    """One request, read."""

    model: str
    cue: RecognisedPrompt
    prompt_chars: int
    streaming: bool
    include_usage: bool
    limit: int | None
    """The most tokens of the answer, where the dialect reads the field it was given in."""
    key: str
    """The name of the logical call."""
    bearer: str | None
    """The key it was sent with. It goes no further than a digest in the ledger."""
    turn: Turn | None = None
    """The turn of a deliberation that it claims to belong to."""
    parts: tuple[dict[str, Any], ...] = ()
    """The attached files and images of its messages."""
    searches: bool = False
    """It asks for the web plugin."""
    body: bytes = b""
    """What arrived."""
    bad_field: BadFieldError | None = None
    """The error of a field that the provider does not take."""


async def read_ask(request: web.Request, dialect: Dialect) -> ChatRequest:
    """Read a chat completion request.

    Raises:
        BadRequestError: the body is no JSON object, or ``model`` or ``messages`` is missing or of the wrong kind.
    """
    raw = await request.read()
    body = _body(raw)
    model, messages = body.get("model"), body.get("messages")
    if not isinstance(model, str) or not model:
        raise BadRequestError("model: a non-empty string is required")
    if not isinstance(messages, list) or not messages or not all(isinstance(m, dict) for m in messages):
        raise BadRequestError("messages: a non-empty list of objects is required")
    try:
        parts = parts_of(messages)
    except BadPartError as error:
        raise BadRequestError(str(error)) from None
    options = body.get("stream_options")
    key = request.headers.get(CALL_HEADER) or call_key(model, messages)
    return ChatRequest(
        model=model,
        cue=replace(
            prompt_recognition.recognise(messages),
            draw=_draw(body, key),
            schema=_schema(body),
            is_limited=_limit(body, dialect) is not None,
        ),
        prompt_chars=sum(characters(m.get("content")) for m in messages),
        streaming=body.get("stream") is True,
        include_usage=isinstance(options, dict) and options.get("include_usage") is True,
        limit=_limit(body, dialect),
        key=key,
        bearer=bearer(request),
        turn=read_turn(request.headers.get(TURN_HEADER)),
        parts=tuple(parts),
        searches=_searches(body, dialect),
        body=raw,
        bad_field=_bad_field(body, dialect),
    )


def bearer(request: web.Request) -> str | None:
    """Return the key of a request, or ``None`` without one."""
    scheme, _, key = request.headers.get("Authorization", "").partition(" ")
    return key.strip() or None if scheme.lower() == "bearer" else None


def _body(raw: bytes) -> dict[str, Any]:
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError):
        raise BadRequestError("the body is no JSON") from None
    if not isinstance(body, dict):
        raise BadRequestError("the body is no JSON object")
    return body


def _bad_field(body: dict[str, Any], dialect: Dialect) -> BadFieldError | None:
    try:
        refuse_bad_fields(body, dialect.name)
    except BadFieldError as problem:
        return problem
    return None


def _schema(body: dict[str, Any]) -> dict[str, Any] | None:
    """Return the schema of the reply in OpenAI's ``response_format``."""
    form = body.get("response_format")
    found = form.get("json_schema") if isinstance(form, dict) else None
    schema = found.get("schema") if isinstance(found, dict) else None
    return schema if isinstance(schema, dict) else None


def _searches(body: dict[str, Any], dialect: Dialect) -> bool:
    """Return whether the request has OpenRouter's plugin for the web; other dialects have none."""
    plugins = body.get("plugins")
    listed = plugins if isinstance(plugins, list) else []
    return dialect.charges and any(isinstance(one, dict) and one.get("id") == "web" for one in listed)


def _draw(body: dict[str, Any], key: str) -> str:
    """Return the source of randomness: the seed at a temperature, otherwise the logical call."""
    temperature, seed = body.get("temperature"), body.get("seed")
    if not isinstance(temperature, int | float) or temperature <= 0:
        return ""
    return key if seed is None else str(seed)


def _limit(body: dict[str, Any], dialect: Dialect) -> int | None:
    given = [body[name] for name in dialect.limit_fields if isinstance(body.get(name), int)]
    return given[0] if given and given[0] > 0 else None
