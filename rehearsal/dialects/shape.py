"""The common shape of OpenAI-compatible answers, with a method for each difference."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import ceil
from typing import Any

from rehearsal.dialects.completions import EPOCH, Completion

Json = dict[str, Any]

_MOST_PIECES = 60
_SHORTEST_PIECE = 32


@dataclass(frozen=True)
class Refusal:
    """A call that is turned down, before any dialect has written it."""

    status: int
    message: str
    error_type: str
    """In OpenRouter's words; the other dialects have their own for the same status."""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    availability: Mapping[str, Any] | None = None
    parameter: str | None = None
    """The parameter of the request that is at fault."""


@dataclass(frozen=True)
class RateState:
    """The state of a rate limit: requests of the day and tokens of the minute."""

    limit_requests: int = 1_000_000
    remaining_requests: int = 1_000_000
    limit_tokens: int = 100_000_000
    remaining_tokens: int = 100_000_000
    reset_seconds: float = 0.0
    style: str = "seconds"
    """How resets are written: ``seconds`` (33.0), ``duration`` (1m26.4s) or ``milliseconds`` (825ms)."""


class Dialect:
    """One provider's way of writing. The attributes and hooks below are what a dialect overrides."""

    name = "generic"
    prefix = "/generic/v1"
    limit_fields: tuple[str, ...] = ("max_tokens",)
    """The request fields that are read as the token limit."""
    charges = False
    """Whether calls cost money."""
    opening_comment = b""
    """The comment at the beginning of a stream."""
    without_key: tuple[int, Json] | None = None
    """Status and body for a call without a key; ``None`` if none is needed."""
    refused_schema = Refusal(
        400,
        "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
        "invalid_request",
        parameter="response_format",
    )
    """A model's refusal of a request with a JSON schema."""

    def whole(self, c: Completion) -> Json:
        """Return the body of a non-streaming answer."""
        choice = self.choice(c, message=self.message(c), finish=c.said.finish)
        return {**self.stamp(c, "chat.completion"), "choices": [choice], **self.sources(c), **self.accounts(c)}

    def events(self, c: Completion, *, include_usage: bool) -> list[Json]:
        """Yield the events of a streamed answer: role, reasoning, text, then the end."""
        deltas: list[Json] = [{"role": "assistant", "content": ""}]
        deltas += [{"reasoning": piece} for piece in slices(c.said.reasoning or "")]
        deltas += [{"content": piece} for piece in slices(c.said.text or "")]
        deltas += [{"refusal": c.said.refusal}] if c.said.refusal else []
        deltas += self.source_deltas(c)
        return [self.event(c, d) for d in deltas] + self.closing(c, include_usage=include_usage)

    def event(self, c: Completion, delta: Json, finish: str | None = None) -> Json:
        """Return one streamed event with ``delta``."""
        return {
            **self.stamp(c, "chat.completion.chunk"),
            "choices": [self.choice(c, delta=delta, finish=finish)],
            **self.sources(c),
        }

    def closing(self, c: Completion, *, include_usage: bool) -> list[Json]:
        """Return the last events: the finish reason and, in some dialects, the usage."""
        usage = [{**self.stamp(c, "chat.completion.chunk"), "choices": [], **self.accounts(c)}]
        return [self.event(c, {"content": ""}, c.said.finish), *(usage if include_usage else [])]

    def stamp(self, c: Completion, kind: str) -> Json:
        """Return the top-level fields of every body and event."""
        return {"id": f"chatcmpl-{c.id[-12:]}", "object": kind, "created": EPOCH, "model": c.model}

    def choice(self, c: Completion, *, finish: str | None, **said: Json) -> Json:  # noqa: ARG002 - other dialects need it
        """Return the one choice of a body (``message=``) or event (``delta=``)."""
        return {"index": 0, **said, "finish_reason": finish}

    def message(self, c: Completion) -> Json:
        """Return the message of a non-streaming body."""
        said = c.said
        extra = {"reasoning": said.reasoning} if said.reasoning else {}
        refused = {"refusal": said.refusal} if said.refusal else {}
        return {"role": "assistant", "content": said.text, **refused, **extra}

    def sources(self, c: Completion) -> Json:
        """Return the search results as fields beside the choices of a body and of every event."""
        if not c.said.pages:
            return {}
        results = [{"title": one.title, "url": one.url, "date": None, "snippet": one.snippet} for one in c.said.pages]
        return {"citations": [one.url for one in c.said.pages], "search_results": results}

    def source_deltas(self, c: Completion) -> list[Json]:  # noqa: ARG002 - other dialects need it
        """Return the search results as parts of the message."""
        return []

    def accounts(self, c: Completion) -> Json:
        """Return the usage and its companion fields."""
        total = c.prompt_tokens + c.completion_tokens
        counted = {"prompt_tokens": c.prompt_tokens, "completion_tokens": c.completion_tokens, "total_tokens": total}
        return {"usage": counted}

    def error(self, refusal: Refusal) -> Json:
        """Return the body of a refused call."""
        kind = {404: "not_found_error", 401: "authentication_error"}.get(
            refusal.status,
            "api_error" if refusal.status >= 500 else "invalid_request_error",  # noqa: PLR2004 - server side
        )
        return {"error": {"message": refusal.message, "type": kind, "param": refusal.parameter, "code": None}}

    def broken_stream(self, c: Completion, refusal: Refusal) -> bytes:  # noqa: ARG002 - other dialects need it
        """Return the events of an answer that breaks in the middle of its stream."""
        return sse(self.error(refusal))

    def headers(self, c: Completion | None, rate: RateState) -> dict[str, str]:  # noqa: ARG002 - other dialects need it
        """Return the headers of every response of this dialect."""
        return {}

    def models(self, names: list[str], expires: Mapping[str, str]) -> Json:  # noqa: ARG002 - other dialects need it
        """Return the list of models."""
        rows = [{"id": n, "object": "model", "created": EPOCH, "owned_by": "rehearsal"} for n in names]
        return {"object": "list", "data": rows}


def slices(text: str) -> list[str]:
    """Split ``text`` into the pieces of a stream."""
    size = max(_SHORTEST_PIECE, ceil(len(text) / _MOST_PIECES))
    return [text[i : i + size] for i in range(0, len(text), size)]


def dump(value: Any) -> bytes:
    """Return JSON as a provider writes it: UTF-8 where possible, escapes for half a surrogate pair."""
    try:
        return json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return json.dumps(value).encode()


def sse(value: Any, event: str | None = None) -> bytes:
    """Return one server-sent event."""
    head = f"event: {event}\n".encode() if event else b""
    return head + b"data: " + dump(value) + b"\n\n"
