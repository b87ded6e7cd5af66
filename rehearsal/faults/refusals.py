"""Errors with a status: their data, and the function that sends them.

Messages and metadata are those of the providers. ``headers`` may hold ``{…}`` slots for the fault's arguments and for
the three that need a clock: ``{http_date}``, ``{reset_ms}`` and ``{reset_s}``.
"""

from collections.abc import Mapping
from dataclasses import replace
from email.utils import formatdate
from time import time
from typing import Any

from aiohttp import web

from rehearsal.dialects.exchange import HttpExchange
from rehearsal.dialects.shape import Refusal, dump
from rehearsal.faults.fault import Fault

_DOCS = "https://openrouter.ai/docs/api-reference/errors"

_WAIT = {"seconds": 1}


def _refused(
    name: str,
    about: str,
    refusal: Refusal,
    headers: Mapping[str, str] | None = None,
    args: Mapping[str, Any] | None = None,
) -> Fault:
    async def play(scene: HttpExchange) -> web.StreamResponse:
        own = {name: _filled(value, scene) for name, value in (headers or {}).items()}
        body = dump(scene.dialect.error(_named(refusal, scene)))
        return await scene.send(refusal.status, body, headers={**scene.dialect.headers(None, scene.rate), **own})

    return Fault(name, about, play, "refused", billed=False, args=args or {})


def _raw(
    name: str, about: str, body: bytes, kind: str = "text/html", headers: Mapping[str, str] | None = None
) -> Fault:
    """Build a refusal with a body in place of the dialect's error; its status begins its name."""

    async def play(scene: HttpExchange) -> web.StreamResponse:
        from_dialect = scene.dialect.headers(None, scene.rate)
        return await scene.send(int(name[:3]), body, kind, {**from_dialect, **(headers or {})})

    return Fault(name, about, play, "refused", billed=False)


def _availability(code: str, *, retryable: bool = False, **more: Any) -> dict[str, Any]:
    return {"code": code, "retryable": retryable, "requested_models": ["{model}"], **more, "docs_url": _DOCS}


def _gone(code: str, message: str, **more: Any) -> Fault:
    refusal = Refusal(404, message, "not_found", availability=_availability(code, **more))
    return _refused(f"404-{code.replace('_', '-')}", f"the model cannot be had: {code}", refusal)


def _limited(name: str, about: str, headers: Mapping[str, str], args: Mapping[str, Any] | None = None) -> Fault:
    refusal = Refusal(429, "Requests per minute limit exceeded - too many requests sent.", "rate_limit_exceeded")
    return _refused(name, about, refusal, headers, args)


def _credit(
    name: str, about: str, source: str, message: str, headers: Mapping[str, str] | None = None, **more: str
) -> Fault:
    refusal = Refusal(402, message, "payment_required", {"limit_source": source, **more})
    return _refused(f"402-{name}", about, refusal, headers, _WAIT if headers else None)


def _filled(value: str, scene: HttpExchange) -> str:
    seconds = float(scene.args.get("seconds", 0))
    clock = {"http_date": formatdate(time() + seconds, usegmt=True), "reset_ms": int((time() + seconds) * 1000)}
    return value.format_map({**clock, "reset_s": f"{seconds:.6f}", **scene.args})


def _named(refusal: Refusal, scene: HttpExchange) -> Refusal:
    """Return the refusal with the model's name inserted."""
    model = scene.completion.model
    metadata = {k: model if v == "{model}" else v for k, v in refusal.metadata.items()}
    availability = {**refusal.availability, "requested_models": [model]} if refusal.availability else None
    return replace(refusal, metadata=metadata, availability=availability)


def _html(title: object) -> bytes:
    return f"<html><head><title>{title}</title></head><body><h1>{title}</h1><hr>cloudflare</body></html>".encode()


REFUSALS = (
    _refused("400-context-length", "the prompt is too long", Refusal(
        400, "Please reduce the length of the messages: 140000 tokens exceed the maximum of 131072.",
        "context_length_exceeded")),
    _refused("400-content-policy", "the prompt offends a policy", Refusal(
        400, "The request was rejected by the content policy.", "content_policy_violation")),
    _refused("400-model-not-found", "there is no such model", Refusal(
        400, "The model is not a valid model id.", "model_not_found")),
    _refused("401", "the key is not known", Refusal(401, "User not found.", "authentication")),
    _credit("credits", "the account is empty", "openrouter_credits", "Insufficient credits."),
    _credit("key-limit", "the key's own limit is used up", "openrouter_key_limit", "Key limit exceeded."),
    _credit("in-flight", "what is in flight uses up the budget for a moment", "openrouter_in_flight_budget",
            "In-flight budget exhausted.", {"Retry-After": "{seconds}"}, reason="in_flight_budget_exhausted"),
    _credit("weight", "this one request exceeds the whole budget", "openrouter_credits",
            "This request requires more credits.", reason="weight_exceeds_budget"),
    _refused("403-moderation", "moderation flagged the prompt", Refusal(
        403, "Input was flagged by moderation.", "permission_denied",
        {"reasons": ["violence"], "flagged_input": "…", "provider_name": "OpenAI", "model_slug": "{model}"})),
    _refused("403-guardrail", "a guardrail blocked the prompt", Refusal(
        403, "Request blocked by guardrail.", "permission_denied", {"patterns": ["prompt_injection"]})),
    _refused("403-budget", "a guardrail's budget is used up", Refusal(
        403, "Guardrail budget exceeded.", "permission_denied",
        {"limit_source": "openrouter_guardrail_budget", "resets_at": "2030-01-01T00:00:00Z"})),
    _raw("403-detail", "no key, as Cerebras says it", b'{"detail":"Not authenticated"}', "application/json"),
    _raw("403-html", "a gateway's challenge in place of the provider", _html("Just a moment...")),
    _raw("404-html", "a web server that knows no such address", _html("404 Not Found")),
    _gone("no_endpoints", "No endpoints found for this model."),
    _gone("model_deprecated", "This model is deprecated.", fallback_models=["openai/gpt-oss-120b"]),
    _gone("model_unavailable_upstream", "The model is unavailable upstream.", retryable=True, retry_after=1),
    _gone("privacy_restricted", "No endpoints match your data policy.", excluded_by="data_collection"),
    _gone("constraint_filtered", "No endpoints support the parameters.",
          constraint={"field": "quantizations", "detail": "fp4"}),
    _raw("407", "a proxy wants a login", _html("Proxy Authentication Required"),
         headers={"Proxy-Authenticate": 'Basic realm="proxy"'}),
    _refused("408", "the request timed out", Refusal(408, "Request timed out.", "timeout")),
    _refused("413", "the request is too large", Refusal(413, "Payload too large.", "payload_too_large")),
    _refused("422", "the request cannot be processed", Refusal(422, "Unprocessable entity.", "unprocessable")),
    _limited("429", "too many requests, and no word on when to come back", {}),
    _limited("429-retry-after", "come back after whole seconds", {"Retry-After": "{seconds}"}, _WAIT),
    _limited("429-retry-after-float", "come back after a fraction of a second", {"Retry-After": "{seconds}"},
             {"seconds": 0.25}),
    _limited("429-retry-after-ms", "come back after milliseconds", {"retry-after-ms": "{ms}"}, {"ms": 250}),
    _limited("429-retry-after-date", "come back at a date", {"Retry-After": "{http_date}"}, {"seconds": 2}),
    _limited("429-retry-after-garbage", "come back at a time that cannot be read", {"Retry-After": "soon, I hope"}),
    _limited("429-retry-after-huge", "come back in three thousand years", {"Retry-After": "100000000000"}),
    _limited("429-reset-ms", "the router's own limit, reset in unix milliseconds", {
        "X-RateLimit-Limit": "20", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "{reset_ms}"}, _WAIT),
    _limited("429-reset-seconds", "requests of the minute used up, reset in seconds", {
        "x-ratelimit-remaining-requests-minute": "0", "x-ratelimit-reset-requests-minute": "{reset_s}"}, _WAIT),
    _limited("429-reset-duration", "requests of the minute used up, reset as a duration", {
        "x-ratelimit-remaining-requests-minute": "0", "x-ratelimit-reset-requests-minute": "1m26.4s"}),
    _refused("429-token-quota", "tokens of the minute used up", Refusal(
        429, "Tokens per minute limit exceeded - too many tokens processed.", "token_quota"),
        {"x-ratelimit-remaining-tokens-minute": "0", "x-ratelimit-reset-tokens-minute": "{reset_s}"}, _WAIT),
    _refused("429-availability", "no capacity, told as availability", Refusal(
        429, "No capacity.", "capacity_exhausted",
        availability=_availability("capacity_exhausted", retryable=True, retry_after=1))),
    _refused("500-masked", "an error of the server that says nothing", Refusal(500, "Internal Server Error", "server")),
    _raw("502-html", "a gateway's page", _html(502)),
    _refused("503", "the model is loading", Refusal(503, "Loading model", "temporarily_unavailable"),
             {"Retry-After": "{seconds}"}, _WAIT),
    _refused("504", "the upstream did not answer in time", Refusal(504, "Upstream timed out.", "timeout")),
    _raw("524", "the edge gave up waiting", _html(524)),
    _refused("529", "the upstream is overloaded", Refusal(529, "Overloaded", "provider_overloaded")),
)  # fmt: skip
"""All faults that are answered with an error status."""
