"""What every fault must do on the wire: one entry per row of the table, compared with the received bytes.

``REFUSED`` is checked in both modes, ``WHOLE`` on a call that is not streamed, ``STREAMED`` on one that is.
"""

import math
import re
import zlib
from collections.abc import Callable
from time import time
from typing import Any

from tests.rehearsal.listening import Heard

Check = Callable[[Heard], bool]

ARGS: dict[str, dict[str, int | float | str]] = {
    "comments-first": {"seconds": 0.2, "interval": 0.05},
    "slow-drip": {"interval": 0.004},
    "stall": {"seconds": 0.15},
    "slow-headers": {"seconds": 0.15},
    "endless-body": {"megabytes": 1},
    "gzip-bomb": {"megabytes": 2},
}
"""Arguments with which a fault is quick enough for a test."""

SILENT = {"hang"}
"""Faults that are listened to for a moment only, because they do not end."""


def refused(status: int, error_type: str, **metadata: Any) -> Check:
    """The wrapped error with its status, type and metadata."""
    return lambda h: (
        h.status == status == h.json["error"]["code"]
        and {"error_type": error_type, **metadata}.items() <= h.json["error"]["metadata"].items()
    )


def limited(**headers: str) -> Check:
    """A 429 whose headers match the patterns; a name that is not given must not be there."""
    asked = {k.replace("_", "-"): v for k, v in headers.items()}
    known = ("retry-after", "retry-after-ms", "x-ratelimit-reset")
    return lambda h: (
        refused(429, "rate_limit_exceeded")(h)
        and all(re.fullmatch(p, h.headers[k]) for k, p in asked.items())
        and not any(k in h.headers for k in known if k not in asked)
    )


def unavailable(status: int, code: str, **more: Any) -> Check:
    """The newer error that shows about availability."""
    return lambda h: (
        h.status == status == h.json["error"]["http_status"]
        and {"code": code, "requested_models": ["maker/model"], **more}.items()
        <= h.json["error"]["availability"].items()
    )


def page(status: int, kind: str = "text/html") -> Check:
    """A page of HTML with a status and a content type."""
    return lambda h: h.status == status and h.headers["content-type"].startswith(kind) and b"<html>" in h.body


def cut_off(h: Heard, ended: str, kind: str) -> bool:
    """Whether a good beginning of the right kind was cut off, and the connection ended as said."""
    return (h.ended, h.status, h.whole) == (ended, 200, False) and h.headers["content-type"].startswith(kind)


def _reset_is_soon(h: Heard) -> bool:
    return 0 < int(h.headers["x-ratelimit-reset"]) / 1000 - time() < 5


REFUSED: dict[str, Check] = {
    "400-context-length": refused(400, "context_length_exceeded"),
    "400-content-policy": refused(400, "content_policy_violation"),
    "400-model-not-found": refused(400, "model_not_found"),
    "401": refused(401, "authentication"),
    "402-credits": refused(402, "payment_required", limit_source="openrouter_credits"),
    "402-key-limit": refused(402, "payment_required", limit_source="openrouter_key_limit"),
    "402-in-flight": lambda h: (
        refused(
            402, "payment_required", limit_source="openrouter_in_flight_budget", reason="in_flight_budget_exhausted"
        )(h)
        and h.headers["retry-after"] == "1"
    ),
    "402-weight": refused(402, "payment_required", reason="weight_exceeds_budget"),
    "403-moderation": refused(403, "permission_denied", reasons=["violence"], model_slug="maker/model"),
    "403-guardrail": refused(403, "permission_denied", patterns=["prompt_injection"]),
    "403-budget": refused(403, "permission_denied", limit_source="openrouter_guardrail_budget"),
    "403-detail": lambda h: h.status == 403 and h.json == {"detail": "Not authenticated"},
    "403-html": page(403),
    "404-html": page(404),
    "404-no-endpoints": unavailable(404, "no_endpoints", retryable=False),
    "404-model-deprecated": unavailable(404, "model_deprecated", fallback_models=["openai/gpt-oss-120b"]),
    "404-model-unavailable-upstream": unavailable(404, "model_unavailable_upstream", retryable=True),
    "404-privacy-restricted": unavailable(404, "privacy_restricted", excluded_by="data_collection"),
    "404-constraint-filtered": unavailable(404, "constraint_filtered", retryable=False),
    "407": lambda h: page(407)(h) and h.headers["proxy-authenticate"].startswith("Basic"),
    "408": refused(408, "timeout"),
    "413": refused(413, "payload_too_large"),
    "422": refused(422, "unprocessable"),
    "429": limited(),
    "429-retry-after": limited(retry_after="1"),
    "429-retry-after-float": limited(retry_after=r"0\.25"),
    "429-retry-after-ms": limited(retry_after_ms="250"),
    "429-retry-after-date": limited(retry_after=r"\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT"),
    "429-retry-after-garbage": limited(retry_after="soon, I hope"),
    "429-retry-after-huge": limited(retry_after="100000000000"),
    "429-reset-ms": lambda h: limited(x_ratelimit_reset=r"\d{13}", x_ratelimit_remaining="0")(h) and _reset_is_soon(h),
    "429-reset-seconds": limited(x_ratelimit_reset_requests_minute=r"1\.0+"),
    "429-reset-duration": limited(x_ratelimit_reset_requests_minute=r"1m26\.4s"),
    "429-token-quota": limited(x_ratelimit_remaining_tokens_minute="0", x_ratelimit_reset_tokens_minute=r"1\.0+"),
    "429-availability": unavailable(429, "capacity_exhausted", retryable=True, retry_after=1),
    "500-masked": lambda h: refused(500, "server")(h) and "provider_code" not in h.json["error"]["metadata"],
    "502-html": page(502),
    "503": lambda h: refused(503, "temporarily_unavailable")(h) and h.headers["retry-after"] == "1",
    "504": refused(504, "timeout"),
    "524": page(524),
    "529": refused(529, "provider_overloaded"),
    "redirect": lambda h: h.status == 302 and h.headers["location"].endswith("/rehearsal/elsewhere") and h.body == b"",
    "portal": lambda h: h.status == 307 and h.headers["location"].startswith("http://portal.example/"),
    "html-200": page(200),
    "wrong-content-type": page(200, "application/json"),
    "empty-200": lambda h: h.status == 200 and h.whole and h.body == b"",
    "204": lambda h: h.status == 204 and h.body == b"",
    "json-array": lambda h: h.whole and isinstance(h.json, list),
    "json-null": lambda h: h.whole and h.json is None,
    "cut-json": lambda h: h.whole and h.body.startswith(b"{") and not h.body.endswith(b"}"),
    "deep-nesting": lambda h: h.whole and h.body.count(b"[") == 100_000 == h.body.count(b"]"),
    "non-utf8": lambda h: h.whole and b"\xe9\xff\xfe" in h.body,
    "utf16": lambda h: h.whole and h.body.startswith(b"\xff\xfe"),
    "error-in-200": lambda h: (
        h.status == 200
        and h.json["error"]["code"] == 429
        and "raw" in h.json["error"]["metadata"]
        and "choices" not in h.json
    ),
    "error-in-200-new": lambda h: (
        h.json["error"]["code"] == 502
        and h.json["error"]["metadata"] == {"error_type": "provider_unavailable"}
        and h.json["choices"] is None
    ),
    "error-in-200-400": lambda h: h.status == 200 and h.json["error"]["code"] == 400,
    "error-in-200-word": lambda h: h.status == 200 and h.json["error"]["code"] == "server_error",
    "choice-error": lambda h: (
        h.json["choices"][0]["finish_reason"] == "error"
        and h.json["choices"][0]["error"]["metadata"]["error_type"] == "provider_unavailable"
        and len(h.text) > 50
    ),
    "hang": lambda h: h.ended == "silent" and h.raw == b"",
    "close": lambda h: h.ended == "eof" and h.raw == b"",
    "reset": lambda h: h.ended == "reset" and h.raw == b"",
    "bill-then-drop": lambda h: h.ended == "reset" and h.raw == b"",
    "garbage-bytes": lambda h: h.ended == "eof" and h.raw.startswith(b"\x16\x03\x01"),
    "short-content-length": lambda h: h.ended == "eof" and 0 < len(h.body) < int(h.headers["content-length"]) - 900,
    "bad-gzip": lambda h: (
        h.headers["content-encoding"] == "gzip" and h.body.startswith(b"\x1f\x8b") and not _unpacks(h)
    ),
    "gzip-bomb": lambda h: len(h.body) < 10_000 and len(zlib.decompress(h.body, 31)) > 2_000_000,
    "oversized-header": lambda h: len(h.headers["x-padding"]) == 128_000 and len(h.text) > 100,
    "slow-headers": lambda h: h.whole and len(h.text) > 100,
    "endless-body": lambda h: h.whole and 900_000 < len(h.body) < 2_000_000,
    "split-utf8": lambda h: h.whole and "é漢😀" in h.text and any(_is_split(c) for c in h.chunks),
    "line-separators": lambda h: h.whole and "\u2028" in h.text and "\u0085".encode() in h.body,
    "slow-drip": lambda h: h.whole and len(h.chunks) > 5 and len(h.text) > 100,
    "stall": lambda h: h.whole and len(h.chunks) == 2 and len(h.text) > 100,
}

WHOLE: dict[str, Check] = {
    "normal": lambda h: h.status == 200 and h.whole and "cost" in h.json["usage"],
    "disconnect": lambda h: cut_off(h, "eof", "application/json") and h.body.startswith(b"{"),
    "reset-mid-stream": lambda h: cut_off(h, "reset", "application/json") and h.body.startswith(b"{"),
    "leading-whitespace": lambda h: h.body.startswith(b"\n    ") and len(h.text) > 100,
    "byok": lambda h: h.json["usage"]["is_byok"] and _fee_is_small(h.json["usage"]),
    "drift": lambda h: h.json["model"] != "maker/model" and h.json["provider"] in {"Azure", "Bedrock", "Vertex"},
    "usage-missing": lambda h: "usage" not in h.json,
    "nan-json": lambda h: b"NaN" in h.body and math.isnan(h.json["usage"]["cost"]),
    "huge-number": lambda h: re.search(rb"\d{4000}", h.body) is not None,
    "null-content": lambda h: h.json["choices"][0]["message"]["content"] is None and _thought(h) > 100,
    "reasoning-cut": lambda h: h.text == "" and h.json["choices"][0]["finish_reason"] == "length" and _thought(h) > 100,
    "sources-null": lambda h: _annotated(h) is None and len(h.text) > 100,
    "sources-wrong-types": lambda h: {"url": None} in _annotated(h) and len(h.text) > 100,
    "sources-no-lists": lambda h: isinstance(_annotated(h), str) and len(h.text) > 100,
    "sources-unsafe": lambda h: "javascript:" in str(_annotated(h)) and len(h.text) > 100,
    "sources-many": lambda h: len(_annotated(h)) == 10_000 and len(h.text) > 100,
    "empty-choices": lambda h: h.json["choices"] == [],
    "missing-choices": lambda h: "choices" not in h.json and "id" in h.json,
    "warming-up": lambda h: h.text == "" and h.json["choices"][0]["finish_reason"] is None,
    "comments-first": lambda h: h.body.startswith(b"\n  ") and len(h.chunks) > 4 and len(h.text) > 100,
    "mid-stream-error": lambda h: h.json["choices"][0]["error"]["code"] == 502,
    "garbage-event": lambda h: h.whole and h.body.endswith(b"\x00{{{"),
    "error-event": lambda h: h.status == 200 and h.json["error"]["code"] == 502,
    "empty-stream": lambda h: h.whole and h.body == b"\n",
    "quiet-end": lambda h: h.whole and h.body.startswith(b"{") and not h.body.endswith(b"}"),
    "no-done": lambda h: h.whole and len(h.text) > 100,
    "crlf": lambda h: h.whole and len(h.text) > 100,
    "usage-separate": lambda h: "usage" in h.json,
    "debug-first-chunk": lambda h: "usage" in h.json,
}

STREAMED: dict[str, Check] = {
    "disconnect": lambda h: cut_off(h, "eof", "text/event-stream") and len(h.text) > 50,
    "reset-mid-stream": lambda h: cut_off(h, "reset", "text/event-stream") and len(h.text) > 50,
    "normal": lambda h: h.whole and h.data[-1] == "[DONE]" and "cost" in h.events[-1]["usage"],
    "leading-whitespace": lambda h: h.body.startswith(b"\n    ") and len(h.text) > 100,
    "byok": lambda h: _fee_is_small(h.events[-1]["usage"]),
    "drift": lambda h: all(e["model"] != "maker/model" for e in h.events),
    "usage-missing": lambda h: h.data[-1] == "[DONE]" and not any("usage" in e for e in h.events),
    "nan-json": lambda h: math.isnan(h.events[-1]["usage"]["cost"]),
    "huge-number": lambda h: re.search(rb"\d{4000}", h.body) is not None,
    "null-content": lambda h: h.text == "" and b'"reasoning"' in h.body,
    "reasoning-cut": lambda h: h.text == "" and h.events[-1]["choices"][0]["finish_reason"] == "length",
    "sources-null": lambda h: _annotated(h) is None and len(h.text) > 100,
    "sources-wrong-types": lambda h: {"url": None} in _annotated(h) and len(h.text) > 100,
    "sources-no-lists": lambda h: isinstance(_annotated(h), str) and len(h.text) > 100,
    "sources-unsafe": lambda h: "javascript:" in str(_annotated(h)) and len(h.text) > 100,
    "sources-many": lambda h: len(_annotated(h)) == 10_000 and len(h.text) > 100,
    "empty-choices": lambda h: all(e["choices"] == [] for e in h.events) and h.data[-1] == "[DONE]",
    "missing-choices": lambda h: not any("choices" in e for e in h.events) and h.data[-1] == "[DONE]",
    "warming-up": lambda h: h.text == "" and not any(e["choices"][0]["finish_reason"] for e in h.events),
    "comments-first": lambda h: h.body.count(b": OPENROUTER PROCESSING") > 4 and len(h.text) > 100,
    "mid-stream-error": lambda h: (
        h.events[-1]["error"]["code"] == 502
        and h.events[-1]["choices"][0]["finish_reason"] == "error"
        and "[DONE]" not in h.data
        and len(h.text) > 50
    ),
    "garbage-event": lambda h: h.whole and h.data[-1] == "{not json at all",
    "error-event": lambda h: h.events[0]["error"]["code"] == 502 and len(h.data) == 1,
    "empty-stream": lambda h: h.data == ["[DONE]"],
    "quiet-end": lambda h: h.whole and "[DONE]" not in h.data and not _finished(h) and len(h.text) > 50,
    "no-done": lambda h: h.whole and "[DONE]" not in h.data and _finished(h),
    "crlf": lambda h: b"\n" not in h.body.replace(b"\r\n", b"") and len(h.text) > 100,
    "usage-separate": lambda h: h.events[-1]["choices"] == [] and "usage" in h.events[-1] and _finished(h),
    "debug-first-chunk": lambda h: h.events[0]["choices"] == [] and "debug" in h.events[0],
}


def _annotated(h: Heard) -> Any:
    """The annotations of a body, or of the event that ends the text."""
    bodies = h.events or [h.json]
    [told] = [c.get("message", c.get("delta")) for b in bodies for c in b["choices"] if c["finish_reason"]]
    return told["annotations"]


def _unpacks(h: Heard) -> bool:
    try:
        zlib.decompress(h.body, 31)
    except zlib.error:
        return False
    return True


def _is_split(chunk: bytes) -> bool:
    try:
        chunk.decode()
    except UnicodeDecodeError:
        return True
    return False


def _fee_is_small(usage: dict[str, Any]) -> bool:
    return bool(0 < usage["cost"] < usage["cost_details"]["upstream_inference_cost"] / 10)


def _thought(h: Heard) -> int:
    return len(h.json["choices"][0]["message"]["reasoning"])


def _finished(h: Heard) -> bool:
    return any(c["finish_reason"] == "stop" for e in h.events for c in e["choices"])
