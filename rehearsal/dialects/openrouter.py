"""OpenRouter: errors in a wrapper, the price in the usage, comments while a call is queued."""

from collections.abc import Mapping
from typing import Any

from rehearsal.dialects.completions import Completion
from rehearsal.dialects.shape import Dialect, Json, RateState, Refusal, sse

_NATIVE = {"stop": "end_turn", "length": "max_tokens", "content_filter": "refusal"}


class OpenRouter(Dialect):
    """``POST /openrouter/api/v1/chat/completions``."""

    name = "openrouter"
    prefix = "/openrouter/api/v1"
    limit_fields = ("max_completion_tokens", "max_tokens")
    charges = True

    def stamp(self, c: Completion, kind: str) -> Json:
        """Add the upstream provider's name to the common fields."""
        return {**super().stamp(c, kind), "id": c.id, "provider": c.upstream, "system_fingerprint": None}

    def choice(self, c: Completion, *, finish: str | None, **said: Json) -> Json:
        """Add the upstream's own finish reason to the common choice."""
        native = _NATIVE.get(finish, finish) if finish else None
        return {**super().choice(c, finish=finish, **said), "native_finish_reason": native, "logprobs": None}

    def message(self, c: Completion) -> Json:
        """Return the common message with refusal and reasoning, null if absent."""
        said = c.said
        detail = {"type": "reasoning.text", "text": said.reasoning, "id": "r-1", "format": "unknown", "index": 0}
        details = {"reasoning_details": [detail]} if said.reasoning else {}
        return {
            "role": "assistant",
            "content": said.text,
            "refusal": said.refusal,
            "reasoning": said.reasoning,
            **details,
            **({"annotations": _annotations(c)} if said.pages else {}),
        }

    def sources(self, c: Completion) -> Json:  # noqa: ARG002 - other dialects need it
        """Return nothing beside the choices."""
        return {}

    def source_deltas(self, c: Completion) -> list[Json]:
        """Return one delta for each page."""
        return [{"role": "assistant", "content": "", "annotations": [one]} for one in _annotations(c)]

    def closing(self, c: Completion, *, include_usage: bool) -> list[Json]:  # noqa: ARG002 - other dialects need it
        """Return the last event: usage beside the finished choice."""
        return [{**self.event(c, {"role": "assistant", "content": ""}, c.said.finish), **self.accounts(c)}]

    def accounts(self, c: Completion) -> Json:
        """Return tokens and charge; with the caller's own upstream key, only the router's fee is charged."""
        usage: Json = super().accounts(c)["usage"]
        usage |= {
            "prompt_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0, "audio_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": c.reasoning_tokens},
            "cost": round(c.usd * 0.05, 10) if c.is_byok else c.usd,
            "is_byok": c.is_byok,
            "cost_details": {
                "upstream_inference_cost": c.usd if c.is_byok else None,
                "upstream_inference_prompt_cost": c.prompt_usd,
                "upstream_inference_completions_cost": c.completion_usd,
            },
        }
        return {"usage": usage}

    def error(self, refusal: Refusal) -> Json:
        """Return the wrapped error; for availability the newer form with ``error_type`` and ``http_status``."""
        kind = "rate_limit_exceeded" if refusal.error_type == "token_quota" else refusal.error_type
        error: dict[str, Any] = {"message": refusal.message}
        if refusal.availability is not None:
            error |= {"error_type": kind, "http_status": refusal.status}
            error["availability"] = dict(refusal.availability)
        else:
            error |= {"code": refusal.status, "metadata": {"error_type": kind, **refusal.metadata}}
        return {"error": error, "user_id": "user_rehearsal"}

    def refused_schema(self) -> Refusal:
        """Return the error of a request with a parameter that none of the model's endpoints takes."""
        return Refusal(404, "No endpoints found that can handle the requested parameters.", "not_found")

    def broken_stream(self, c: Completion, refusal: Refusal) -> bytes:
        """Return an event with both the error and a choice finished by it."""
        return sse({**self.event(c, {"content": ""}, "error"), "error": self.error(refusal)["error"]})

    def headers(self, c: Completion | None, rate: RateState) -> dict[str, str]:  # noqa: ARG002 - other dialects need it
        """Return the generation's id; success carries no rate headers."""
        return {"X-Generation-Id": c.id} if c else {}

    def without_key(self) -> tuple[int, Json]:
        """Return 401, wrapped."""
        return 401, {"error": {"message": "Missing Authentication header", "code": 401}}

    def models(self, names: list[str], expires: Mapping[str, str]) -> Json:
        """Return the list with prices as strings, in dollars per token, and the day of retirement."""
        return {"data": [_model(name, expires.get(name)) for name in names]}

    def opening_comment(self) -> bytes:
        """Return the comment sent for a queued call."""
        return b": OPENROUTER PROCESSING\n\n"


def _annotations(c: Completion) -> list[Json]:
    """Return each page, with the place of its citation in the text."""
    cited: list[Json] = []
    for number, page in enumerate(c.said.pages, 1):
        place = _place(c.said.text or "", f"[{number}]") if page.place is None else page.place
        values = {"url": page.url, "title": page.title, "content": page.snippet}
        indices = dict(zip(("start_index", "end_index"), place, strict=False))
        cited.append({"type": "url_citation", "url_citation": {**values, **indices}})
    return cited


def _place(text: str, mark: str) -> tuple[int, int]:
    start = max(0, text.find(mark))
    return start, start + len(mark)


def _model(name: str, expires: str | None) -> Json:
    return {
        "id": name,
        "canonical_slug": name,
        "name": name,
        "context_length": 131_072,
        "pricing": {"prompt": "0.000001", "completion": "0.000004", "request": "0"},
        "supported_parameters": [
            *("max_tokens", "temperature", "top_p", "seed", "reasoning", "response_format", "structured_outputs")
        ],
        "top_provider": {"context_length": 131_072, "max_completion_tokens": 32_768, "is_moderated": False},
        "expiration_date": expires,
    }
