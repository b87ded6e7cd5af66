"""From a status, headers and a body to a retry decision: one table."""

from datetime import timedelta
from typing import Any

import pytest
from temporalio.exceptions import ApplicationErrorCategory

from activities.providers import errors
from activities.providers.conversation import converse
from activities.providers.errors import ConfigError, ProviderError, RateLimitedError
from activities.providers.pulse import Pulse
from activities.retry_posture import POSTURES, application_error, config_error, kind_of
from tests.fakes.calls import model_call, provider
from tests.fakes.wire import Wire, json_answer


def no_luck() -> float:
    """Dice that never spread a wait."""
    return 0.0


async def failure(status: int, body: Any, headers: dict[str, str]) -> ProviderError:
    """The error that one exchange with this answer ends in."""
    pool, pulse, lab = Wire(json_answer(body, status, **headers)).pool(), Pulse(), provider()
    with pytest.raises(ProviderError) as failed:
        async with pool.lend(lab, "small", pulse) as client:
            await converse(client, model_call(), lab, None, call_key="k", pulse=pulse)
    await pool.aclose()
    return failed.value


def nested(code: Any = None, message: str = "no", **metadata: Any) -> dict[str, Any]:
    """OpenRouter's shape of an error."""
    return {"error": {"code": code, "message": message, "metadata": metadata}}


def available(code: str, *, retryable: bool, **rest: Any) -> dict[str, Any]:
    """OpenRouter's newer shape, with an availability."""
    told = {"code": code, "retryable": retryable, **rest}
    return {"error": {"error_type": code, "http_status": 404, "message": "no", "availability": told}}


DAY = {"x-ratelimit-reset-requests-day": "40000", "x-ratelimit-remaining-requests-day": "0"}
MINUTE = {"x-ratelimit-reset-tokens-minute": "1m26.4s", "x-ratelimit-remaining-tokens-minute": "0"}
IN_FLIGHT = nested(402, reason="in_flight_budget_exhausted", limit_source="openrouter_in_flight_budget")
TOO_HEAVY = nested(402, reason="weight_exceeds_budget", limit_source="openrouter_in_flight_budget")
KEY_LIMIT = nested(402, limit_source="openrouter_key_limit")
TOO_LONG = {"error": {"code": 400, "type": "exceed_context_size_error", "message": "no"}}
WRONG_KEY = {"message": "Wrong API Key", "type": "invalid_request_error", "code": "wrong_api_key"}
NO_MODEL = {"message": "no", "type": "not_found_error", "code": "model_not_found"}
LOADING = {"error": {"type": "unavailable_error", "message": "Loading model", "code": 503}}
BROKEN = {"choices": [{"error": {"code": 502, "message": "no"}, "finish_reason": "error"}]}
GAVE_UP = {"choices": [{"message": {"content": "half"}, "finish_reason": "error"}]}

TABLE: list[tuple[int, Any, dict[str, str], str, bool, float | None]] = [
    # status, body, headers, type, tried again, wait
    (400, nested(400), {}, "provider.bad_request", False, None),
    (400, nested(400, error_type="context_length_exceeded"), {}, "provider.bad_request", False, None),
    (400, nested(400, error_type="content_policy_violation"), {}, "provider.moderated", False, None),
    (400, nested(400, error_type="model_not_found"), {}, "provider.not_found", False, None),
    (400, TOO_LONG, {}, "provider.bad_request", False, None),
    (401, nested(401), {}, "provider.auth", False, None),
    (401, WRONG_KEY, {}, "provider.auth", False, None),
    (402, nested(402, limit_source="openrouter_credits"), {}, "provider.payment_required", False, None),
    (402, KEY_LIMIT, {"Retry-After": "5"}, "provider.payment_required", False, None),
    (402, IN_FLIGHT, {"Retry-After": "5"}, "provider.rate_limited", True, 5),
    (402, TOO_HEAVY, {}, "provider.payment_required", False, None),
    (402, nested(402), {"Retry-After": "5"}, "provider.rate_limited", True, 5),
    (403, {"detail": "Not authenticated"}, {}, "provider.auth", False, None),
    (403, nested(403, reasons=["violence"], flagged_input="…"), {}, "provider.moderated", False, None),
    (403, nested(403, patterns=["x"]), {}, "provider.moderated", False, None),
    (403, nested(403, limit_source="workspace_budget"), {}, "provider.payment_required", False, None),
    (404, nested(404), {}, "provider.not_found", False, None),
    (404, available("no_endpoints", retryable=False), {}, "provider.not_found", False, None),
    (404, available("model_unavailable_upstream", retryable=True), {}, "provider.unavailable", True, None),
    (404, NO_MODEL, {}, "provider.not_found", False, None),
    (408, nested(408), {}, "provider.unavailable", True, None),
    (409, {}, {}, "provider.unavailable", True, None),
    (412, {}, {}, "provider.bad_request", False, None),
    (413, {}, {}, "provider.bad_request", False, None),
    (418, {}, {}, "provider.bad_request", False, None),
    (422, {}, {}, "provider.bad_request", False, None),
    (425, {}, {}, "provider.unavailable", True, None),
    (429, nested(429), {}, "provider.rate_limited", True, None),
    (429, nested(429), {"Retry-After": "7"}, "provider.rate_limited", True, 7),
    (429, nested(429), {"Retry-After": "0"}, "provider.rate_limited", True, 1),
    (429, nested(429), {"Retry-After": "600"}, "provider.rate_limited", True, 300),
    (429, nested(429), {"Retry-After": "901"}, "provider.quota_exhausted", False, None),
    (429, nested(429), {"Retry-After": "100000000000"}, "provider.quota_exhausted", False, None),
    (429, nested(429), {"Retry-After": "soon"}, "provider.rate_limited", True, None),
    (429, available("capacity_exhausted", retryable=True, retry_after=12), {}, "provider.rate_limited", True, 12),
    (429, {"message": "no", "code": "token_quota_exceeded"}, MINUTE, "provider.rate_limited", True, 86.4),
    (429, {"message": "no", "code": "request_quota_exceeded"}, DAY, "provider.quota_exhausted", False, None),
    (429, {"error": {"code": "insufficient_quota", "message": "no"}}, {}, "provider.payment_required", False, None),
    (500, nested(500, error_type="server"), {}, "provider.unavailable", True, None),
    (502, "<html>", {}, "provider.unavailable", True, None),
    (503, LOADING, {"Retry-After": "3"}, "provider.unavailable", True, 3),
    (504, [], {}, "provider.unavailable", True, None),
    (524, None, {}, "provider.unavailable", True, None),
    (529, {"error": {"type": "overloaded_error", "message": "no"}}, {}, "provider.unavailable", True, None),
    (200, nested(429, raw="Too Many Requests"), {}, "provider.rate_limited", True, None),
    (200, nested(502, error_type="provider_unavailable"), {}, "provider.unavailable", True, None),
    (200, nested(400), {}, "provider.bad_request", False, None),
    (200, nested("server_error"), {}, "provider.unavailable", True, None),
    (200, nested("429"), {}, "provider.rate_limited", True, None),
    (200, {"error": "model runner has stopped"}, {}, "provider.unavailable", True, None),
    (200, {"message": "no", "type": "too_many_requests_error"}, {}, "provider.rate_limited", True, None),
    (200, BROKEN, {}, "provider.unavailable", True, None),
    (200, GAVE_UP, {}, "provider.unavailable", True, None),
    (204, {}, {}, "provider.bad_response", True, None),
    (302, {}, {"Location": "https://evil.example/x?k=1"}, "provider.redirect", True, None),
]  # fmt: skip


@pytest.mark.parametrize(("status", "body", "headers", "error_type", "again", "wait"), TABLE)
async def test_every_answer_of_a_provider_has_its_posture(
    status: int, body: Any, headers: dict[str, str], *, error_type: str, again: bool, wait: float | None
) -> None:
    """Status, named kind and headers decide the type, whether there is another try, and after how long."""
    error = application_error(await failure(status, body, headers), 1, dice=no_luck)
    delay = None if wait is None else timedelta(seconds=wait)
    assert (error.type, not error.non_retryable, error.next_retry_delay) == (error_type, again, delay)


@pytest.mark.parametrize(
    ("error_type", "tries"),
    [("provider.stalled", 2), ("provider.bad_response", 2), ("provider.empty", 2), ("provider.timeout", 1)],
)
def test_some_failures_are_tried_a_few_times_only(error_type: str, tries: int) -> None:
    """A failure that may have been billed becomes final at its own limit, whatever else was tried before."""
    kind = next(k for k in all_kinds() if k.error_type == error_type)
    finals = [application_error(kind("no", provider="lab"), 1999, failed).non_retryable for failed in (1, 2, 3)]
    assert finals == [failed >= tries for failed in (1, 2, 3)]


def all_kinds() -> list[type[ProviderError]]:
    """Every leaf of the error tree."""
    return [*errors.PassingError.__subclasses__(), *errors.FinalError.__subclasses__()]


def test_every_error_has_its_row() -> None:
    """No error of the tree is missing in the table, and a final one is never tried again."""
    assert {kind.error_type for kind in all_kinds()} <= POSTURES.keys()
    assert all(POSTURES[kind.error_type].is_retryable == issubclass(kind, errors.PassingError) for kind in all_kinds())


def test_only_a_few_tries_have_to_be_counted() -> None:
    """What is final at once and what the policy bounds needs no count: an outage must not cost a message a try."""
    counted = {error_type for error_type, row in POSTURES.items() if row.is_counted}
    assert counted == {"provider.stalled", "provider.bad_response", "provider.empty"}


@pytest.mark.parametrize(
    ("error_type", "kind"),
    [
        ("provider.rate_limited", "rate_limited"),
        ("provider.quota_exhausted", "rate_limited"),
        ("provider.payment_required", "budget"),
        ("provider.stalled", "timeout"),
        ("provider.timeout", "timeout"),
        ("provider.moderated", "refused"),
        ("provider.auth", "api_error"),
        ("config.missing_key", "api_error"),
        ("nobody.knows", "api_error"),
    ],
)
def test_a_protocol_sees_the_kind_of_loss(error_type: str, kind: str) -> None:
    """Every error type has one of the kinds that protocols know."""
    assert kind_of(error_type) == kind


def test_a_rate_limit_is_no_alarm() -> None:
    """A rate limit is a benign error; an outage is not."""
    limited = application_error(RateLimitedError("no", provider="lab"), 1)
    down = application_error(errors.UnavailableError("no", provider="lab"), 1)
    assert limited.category is ApplicationErrorCategory.BENIGN
    assert down.category is ApplicationErrorCategory.UNSPECIFIED


@pytest.mark.parametrize(("asked", "earliest", "latest"), [(4, 4, 5), (100, 100, 105), (299, 299, 300)])
def test_calls_that_were_limited_together_come_back_apart(asked: float, earliest: float, latest: float) -> None:
    """Luck makes a wait longer, never shorter than asked and never longer than the longest."""
    error = RateLimitedError("no", provider="lab", wait=asked)
    waits = [application_error(error, 1, dice=lambda luck=luck: luck).next_retry_delay for luck in (0.0, 1.0)]  # type: ignore[misc]  # a default binds the loop's value
    assert waits == [timedelta(seconds=earliest), timedelta(seconds=latest)]


def test_details_hold_four_safe_things() -> None:
    """Provider, status, attempt and request id travel, and nothing else."""
    error = errors.UnavailableError("no", provider="lab", status=503, request_id="gen-1")
    assert application_error(error, 3).details == (
        {"provider": "lab", "status": 503, "attempt": 3, "request_id": "gen-1"},
    )


def test_a_message_is_one_line_of_at_most_500_characters() -> None:
    """However much a provider says, the message stays short."""
    error = application_error(errors.UnavailableError("long\nline \x1b[31m" * 500, provider="lab"), 1)
    assert len(error.message) <= 500
    assert error.message.isprintable()


def test_a_fault_in_the_settings_is_final() -> None:
    """Nothing changes by trying again until a person changes something."""
    error = config_error(ConfigError("set LAB_KEY", error_type="config.missing_key"), 1)
    assert (error.type, error.non_retryable) == ("config.missing_key", True)


async def test_a_redirect_names_the_host_and_not_the_address() -> None:
    """Where a redirect leads is told by its host alone."""
    said = str(await failure(302, {}, {"Location": "https://evil.example/x?k=1"}))
    assert "evil.example" in said
    assert "k=1" not in said
