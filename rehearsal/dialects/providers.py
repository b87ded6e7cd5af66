"""The dialects of two providers, and all three of this server.

OpenRouter wraps its errors, names the price in the usage and sends comments while a call is queued. Cerebras has flat
errors, times in the answer, and rate limits in the headers of every response.
"""

from collections.abc import Mapping
from typing import Any

from rehearsal.dialects.completions import EPOCH, Completion
from rehearsal.dialects.shape import Dialect, Json, RateState, Refusal, sse

_NATIVE = {"stop": "end_turn", "length": "max_tokens", "content_filter": "refusal"}
_KINDS: dict[int, tuple[str, str | None, str]] = {
    400: ("invalid_request_error", None, "wrong_api_format"),
    401: ("invalid_request_error", "api_key", "wrong_api_key"),
    402: ("invalid_request_error", "billing", "payment_required"),
    404: ("not_found_error", "model", "model_not_found"),
    429: ("too_many_requests_error", "quota", "request_quota_exceeded"),
}
_SERVER = ("server_error", None, "internal_server_error")
_CLIENT = ("invalid_request_error", None, "invalid_request_error")


class OpenRouter(Dialect):
    """``POST /openrouter/api/v1/chat/completions``."""

    name = "openrouter"
    prefix = "/openrouter/api/v1"
    limit_fields = ("max_completion_tokens", "max_tokens")
    charges = True
    opening_comment = b": OPENROUTER PROCESSING\n\n"
    without_key = (401, {"error": {"message": "Missing Authentication header", "code": 401}})
    refused_schema = Refusal(404, "No endpoints found that can handle the requested parameters.", "not_found")

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

    def broken_stream(self, c: Completion, refusal: Refusal) -> bytes:
        """Return an event with both the error and a choice finished by it."""
        return sse({**self.event(c, {"content": ""}, "error"), "error": self.error(refusal)["error"]})

    def headers(self, c: Completion | None, rate: RateState) -> dict[str, str]:  # noqa: ARG002 - other dialects need it
        """Return the generation's id; success carries no rate headers."""
        return {"X-Generation-Id": c.id} if c else {}

    def models(self, names: list[str], expires: Mapping[str, str]) -> Json:
        """Return the list with prices as strings, in dollars per token, and the day of retirement."""
        return {"data": [_model(name, expires.get(name)) for name in names]}


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


class Cerebras(Dialect):
    """``POST /cerebras/v1/chat/completions``."""

    name = "cerebras"
    prefix = "/cerebras/v1"
    limit_fields = ("max_completion_tokens", "max_tokens")
    charges = True
    without_key = (403, {"detail": "Not authenticated"})

    def stamp(self, c: Completion, kind: str) -> Json:
        """Add a fingerprint to the common fields."""
        return {**super().stamp(c, kind), "system_fingerprint": "fp_rehearsal"}

    def closing(self, c: Completion, *, include_usage: bool) -> list[Json]:  # noqa: ARG002 - other dialects need it
        """Return the last event: usage and times beside the finished choice."""
        return [{**self.event(c, {}, c.said.finish), **self.accounts(c)}]

    def accounts(self, c: Completion) -> Json:
        """Return tokens and times in seconds, without a cost."""
        usage: Json = super().accounts(c)["usage"]
        usage["prompt_tokens_details"] = {"cached_tokens": 0}
        usage["completion_tokens_details"] = {"reasoning_tokens": c.reasoning_tokens}
        prompt, completion = c.prompt_tokens / 50_000, c.completion_tokens / 2_000
        times = {"queue_time": 0.0001, "prompt_time": prompt, "completion_time": completion}
        return {"usage": usage, "time_info": {**times, "total_time": prompt + completion, "created": EPOCH}}

    def error(self, refusal: Refusal) -> Json:
        """Return the flat error; token quotas differ from request quotas."""
        kind, param, code = _KINDS.get(refusal.status, _SERVER if refusal.status >= 500 else _CLIENT)  # noqa: PLR2004 - server side
        if refusal.error_type == "token_quota":
            kind, code = "too_many_tokens_error", "token_quota_exceeded"
        elif refusal.error_type == "context_length_exceeded":
            code = refusal.error_type
        return {"message": refusal.message, "type": kind, "param": refusal.parameter or param, "code": code}

    def broken_stream(self, c: Completion, refusal: Refusal) -> bytes:  # noqa: ARG002 - other dialects need it
        """Return a named event with the flat error inside and the status beside it."""
        return sse({"error": {**self.error(refusal), "id": ""}, "status_code": refusal.status}, event="error")

    def headers(self, c: Completion | None, rate: RateState) -> dict[str, str]:  # noqa: ARG002 - other dialects need it
        """Return the limits, their rest and their reset."""
        reset = _reset(rate.reset_seconds, rate.style)
        return {
            "x-ratelimit-limit-requests-day": str(rate.limit_requests),
            "x-ratelimit-remaining-requests-day": str(rate.remaining_requests),
            "x-ratelimit-reset-requests-day": _reset(33_011.382867, rate.style),
            "x-ratelimit-limit-tokens-minute": str(rate.limit_tokens),
            "x-ratelimit-remaining-tokens-minute": str(rate.remaining_tokens),
            "x-ratelimit-reset-tokens-minute": reset,
        }

    def models(self, names: list[str], expires: Mapping[str, str]) -> Json:  # noqa: ARG002 - other dialects need it
        """Return the list, with 0 as each entry's creation time."""
        rows = [{"id": n, "object": "model", "created": 0, "owned_by": "Cerebras"} for n in names]
        return {"object": "list", "data": rows}


def _reset(seconds: float, style: str) -> str:
    if style == "duration":
        minutes, rest = divmod(seconds, 60)
        return f"{int(minutes)}m{rest:.1f}s"
    return f"{int(seconds * 1000)}ms" if style == "milliseconds" else f"{seconds:.6f}"


OPENROUTER = OpenRouter()

DIALECTS: tuple[Dialect, ...] = (OPENROUTER, Cerebras(), Dialect())
"""OpenRouter, Cerebras, and the plain shape that Ollama, vLLM and others speak."""
