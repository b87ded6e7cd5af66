"""Cerebras: flat errors, times in the answer, rate limits in the headers of every response."""

from collections.abc import Mapping

from rehearsal.dialects.completions import EPOCH, Completion
from rehearsal.dialects.shape import Dialect, Json, RateState, Refusal, sse

_KINDS: dict[int, tuple[str, str | None, str]] = {
    400: ("invalid_request_error", None, "wrong_api_format"),
    401: ("invalid_request_error", "api_key", "wrong_api_key"),
    402: ("invalid_request_error", "billing", "payment_required"),
    404: ("not_found_error", "model", "model_not_found"),
    429: ("too_many_requests_error", "quota", "request_quota_exceeded"),
}
_SERVER = ("server_error", None, "internal_server_error")
_CLIENT = ("invalid_request_error", None, "invalid_request_error")


class Cerebras(Dialect):
    """``POST /cerebras/v1/chat/completions``."""

    name = "cerebras"
    prefix = "/cerebras/v1"
    limit_fields = ("max_completion_tokens", "max_tokens")
    charges = True

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

    def without_key(self) -> tuple[int, Json]:
        """Return 403 with a detail and nothing else."""
        return 403, {"detail": "Not authenticated"}

    def models(self, names: list[str], expires: Mapping[str, str]) -> Json:  # noqa: ARG002 - other dialects need it
        """Return the list, with 0 as each entry's creation time."""
        rows = [{"id": n, "object": "model", "created": 0, "owned_by": "Cerebras"} for n in names]
        return {"object": "list", "data": rows}


def _reset(seconds: float, style: str) -> str:
    if style == "duration":
        minutes, rest = divmod(seconds, 60)
        return f"{int(minutes)}m{rest:.1f}s"
    return f"{int(seconds * 1000)}ms" if style == "milliseconds" else f"{seconds:.6f}"
