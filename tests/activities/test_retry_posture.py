"""From a status, headers and a body to a retry decision: one table."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from temporalio.exceptions import ApplicationErrorCategory

from activities.providers import errors
from activities.providers.errors import ConfigError, ProviderError, RateLimitedError
from activities.providers.http_exchange import send_call
from activities.providers.progress import CallProgress
from activities.retry_posture import BACKOFF, POSTURES, Standing, application_error, config_error, kind_of
from protocols.model_call import CallTimeouts
from protocols.spending import Reported
from tests.fakes.calls import model_call, provider
from tests.fakes.wire import Wire, json_answer


def no_luck() -> float:
    """Dice that never spread a wait."""
    return 0.0


async def failure(status: int, body: Any, headers: dict[str, str]) -> ProviderError:
    """The error that one exchange with this answer ends in."""
    pool, pulse, lab = Wire(json_answer(body, status, **headers)).pool(), CallProgress(), provider()
    with pytest.raises(ProviderError) as failed:
        async with pool.lend(lab, pulse) as client:
            await send_call(client, model_call(), lab, None, call_key="k", pulse=pulse)
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
TOO_LARGE = {"error": {"code": "rate_limit_exceeded", "message": "Request too large for x: Limit 6000, Requested 9000"}}
OVERFLOWS = {"error": "The number of tokens to keep from the initial prompt is greater than the context length."}
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
    (424, {"error": "no", "error_type": "generation"}, {}, "provider.unavailable", True, None),
    (425, {}, {}, "provider.unavailable", True, None),
    (429, nested(429), {}, "provider.rate_limited", True, None),
    (429, nested(429), {"Retry-After": "7"}, "provider.rate_limited", True, 7),
    (429, nested(429), {"Retry-After": "0"}, "provider.rate_limited", True, 1),
    (429, nested(429), {"Retry-After": "600"}, "provider.rate_limited", True, 300),
    (429, nested(429), {"Retry-After": "901"}, "provider.quota_exhausted", False, None),
    (429, nested(429), {"Retry-After": "100000000000"}, "provider.quota_exhausted", False, None),
    (429, nested(429), {"Retry-After": "soon"}, "provider.rate_limited", True, None),
    (429, available("capacity_exhausted", retryable=True, retry_after=12), {}, "provider.rate_limited", True, 12),
    (429, nested(429, retry_after=12), {}, "provider.rate_limited", True, 12),
    (429, nested(429, headers={"X-RateLimit-Reset": "12"}), {}, "provider.rate_limited", True, 12),
    (503, available("no_endpoints", retryable=False), {}, "provider.not_found", False, None),
    (400, {"error": {"code": 400, "error_type": "model_not_found"}}, {}, "provider.not_found", False, None),
    (429, {"message": "no", "code": "token_quota_exceeded"}, MINUTE, "provider.rate_limited", True, 86.4),
    (429, {"message": "no", "code": "request_quota_exceeded"}, DAY, "provider.quota_exhausted", False, None),
    (429, {"error": {"code": "insufficient_quota", "message": "no"}}, {}, "provider.payment_required", False, None),
    (413, TOO_LARGE, {"Retry-After": "5"}, "provider.bad_request", False, None),
    (429, TOO_LARGE, {}, "provider.bad_request", False, None),
    (429, {"error": {"type": "exceeded_current_quota_error"}}, {}, "provider.payment_required", False, None),
    (400, {"error": {"type": "budget_exceeded", "code": "400"}}, {}, "provider.payment_required", False, None),
    (400, {"error": {"type": "expired_key", "code": "400"}}, {}, "provider.auth", False, None),
    (498, {"error": {"code": "capacity_exceeded"}}, {"Retry-After": "5"}, "provider.rate_limited", True, 5),
    (499, None, {}, "provider.unavailable", True, None),
    (500, nested(500, error_type="server"), {}, "provider.unavailable", True, None),
    (502, "<html>", {}, "provider.unavailable", True, None),
    (503, LOADING, {"x-ratelimit-reset-requests-day": "40000"}, "provider.unavailable", True, None),
    (503, LOADING, {"Retry-After": "3"}, "provider.unavailable", True, 3),
    (504, [], {}, "provider.unavailable", True, None),
    (524, None, {}, "provider.unavailable", True, None),
    (529, {"error": {"type": "overloaded_error", "message": "no"}}, {}, "provider.unavailable", True, None),
    (200, nested(429, raw="Too Many Requests"), {}, "provider.rate_limited", True, None),
    (200, nested(502, error_type="provider_unavailable"), {}, "provider.unavailable", True, None),
    (200, nested(400), {}, "provider.bad_request", False, None),
    (200, nested("server_error"), {}, "provider.unavailable", True, None),
    (200, nested("429"), {}, "provider.rate_limited", True, None),
    (200, {"error": {"http_status": 429}}, {}, "provider.rate_limited", True, None),
    (200, {"error": "model runner has stopped"}, {}, "provider.unavailable", True, None),
    (200, {"message": "no", "type": "too_many_requests_error"}, {}, "provider.rate_limited", True, None),
    (200, OVERFLOWS, {}, "provider.bad_request", False, None),
    (200, {"error": {"message": "Context size has been exceeded."}}, {}, "provider.bad_request", False, None),
    (200, {"error": {"type": "rate_limit_error"}}, {}, "provider.rate_limited", True, None),
    (200, {"error": {"type": "authentication_error"}}, {}, "provider.auth", False, None),
    (200, BROKEN, {}, "provider.unavailable", True, None),
    (200, GAVE_UP, {}, "provider.broken_off", True, None),
    (204, {}, {}, "provider.bad_response", True, None),
    (302, {}, {"Location": "https://evil.example/x?k=1"}, "provider.redirect", True, None),
]  # fmt: skip


@pytest.mark.parametrize(("status", "body", "headers", "error_type", "again", "wait"), TABLE)
async def test_every_answer_of_a_provider_has_its_posture(
    status: int, body: Any, headers: dict[str, str], *, error_type: str, again: bool, wait: float | None
) -> None:
    """Status, named kind and headers decide the type, whether there is another try, and after how long."""
    error = application_error(await failure(status, body, headers), draw=no_luck)
    delay = timedelta(seconds=BACKOFF.first if wait is None else wait) if again else None
    assert (error.type, not error.non_retryable, error.next_retry_delay) == (error_type, again, delay)


@pytest.mark.parametrize(
    ("error_type", "tries"),
    [
        ("provider.stalled", 2),
        ("provider.bad_response", 2),
        ("provider.empty", 2),
        ("provider.timeout", 1),
        ("provider.broken_off", 3),
    ],
)
def test_some_failures_are_tried_a_few_times_only(error_type: str, tries: int) -> None:
    """A failure that may have been billed becomes final at its own limit, whatever else was tried before."""
    kind = next(k for k in all_kinds() if k.error_type == error_type)
    standings = [Standing(attempt=1999, tries=failed, away_seconds=9999.0) for failed in (1, 2, 3)]
    patience = CallTimeouts(attempts=3)
    errors_ = [application_error(kind("no", provider="lab"), standing, patience) for standing in standings]
    assert [error.non_retryable for error in errors_] == [failed >= tries for failed in (1, 2, 3)]


def all_kinds() -> list[type[ProviderError]]:
    """Every leaf of the error tree."""
    return [*errors.PassingError.__subclasses__(), *errors.FinalError.__subclasses__()]


def test_every_error_has_its_row() -> None:
    """No error of the tree is missing in the table, and a final one is never tried again."""
    assert {kind.error_type for kind in all_kinds()} <= POSTURES.keys()
    final = {kind.error_type for kind in all_kinds() if POSTURES[kind.error_type].attempts == 1}
    assert final == {kind.error_type for kind in errors.FinalError.__subclasses__()}


def test_what_may_have_been_billed_is_never_tried_by_time() -> None:
    """Only failures that state that the provider is away are tried again until the patience has ended."""
    by_time = {error_type.removeprefix("provider.") for error_type, row in POSTURES.items() if row.waits}
    assert by_time == {"rate_limited", "unavailable", "transport", "gateway", "redirect", "tls"}


@pytest.mark.parametrize(
    ("away_seconds", "wait", "is_final"),
    [(0, None, False), (59, None, False), (60, None, True), (10, 49, False), (10, 51, True), (0, 600, True)],
)
def test_a_provider_that_is_away_is_waited_for_until_the_patience_is_over(
    away_seconds: float, wait: float | None, *, is_final: bool
) -> None:
    """The time since the first failure decides, however many tries there were, and a longer wait is not started."""
    standing = Standing(attempt=5000, tries=4000, away_failures=900, away_seconds=away_seconds)
    error = errors.UnavailableError("no", provider="lab", wait=wait)
    assert application_error(error, standing, CallTimeouts(away=60)).non_retryable is is_final


@pytest.mark.parametrize(
    ("failures", "away_seconds", "shortest", "longest"),
    [
        (1, 0, 0.75, 1),
        (2, 1, 1.5, 2),
        (4, 7, 6, 8),
        (7, 60, 45, 60),
        (5000, 300, 45, 60),
        (20, 880, 20, 20),
        (20, 899.9, 1, 1),
    ],
)
def test_a_provider_that_is_back_is_noticed_within_a_minute(
    failures: int, away_seconds: float, shortest: float, longest: float
) -> None:
    """Pauses double up to a minute, are spread by chance, and the last try is made when the patience has ended."""
    standing = Standing(away_failures=failures, away_seconds=away_seconds)
    error = errors.GatewayError("no", provider="lab")
    waits = [application_error(error, standing, draw=lambda luck=luck: luck).next_retry_delay for luck in (1.0, 0.0)]  # type: ignore[misc]  # a default binds the loop's value
    assert waits == [timedelta(seconds=shortest), timedelta(seconds=longest)]


def test_the_message_states_since_when_and_at_last_for_how_long() -> None:
    """While it is tried again the message names the beginning, and when it is given up the time and the patience."""
    since = datetime(2026, 5, 1, 14, 3, 7, tzinfo=UTC)
    error = errors.UnavailableError("answered 503: Loading model", provider="lab", status=503)
    waiting, lost = (
        application_error(error, Standing(away_since=since, away_seconds=seconds)).message for seconds in (40, 900)
    )
    assert waiting == "lab: answered 503: Loading model; away since 14:03 UTC"
    assert lost == "lab: answered 503: Loading model; given up after 15 min (patience: 15 min)"


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
    limited = application_error(RateLimitedError("no", provider="lab"))
    down = application_error(errors.UnavailableError("no", provider="lab"))
    assert limited.category is ApplicationErrorCategory.BENIGN
    assert down.category is ApplicationErrorCategory.UNSPECIFIED


@pytest.mark.parametrize(("asked", "earliest", "latest"), [(4, 4, 5), (100, 100, 105), (299, 299, 300)])
def test_calls_that_were_limited_together_come_back_apart(asked: float, earliest: float, latest: float) -> None:
    """Luck makes a wait longer, never shorter than asked and never longer than the longest."""
    error = RateLimitedError("no", provider="lab", wait=asked)
    waits = [application_error(error, draw=lambda luck=luck: luck).next_retry_delay for luck in (0.0, 1.0)]  # type: ignore[misc]  # a default binds the loop's value
    assert waits == [timedelta(seconds=earliest), timedelta(seconds=latest)]


def test_details_hold_four_safe_things() -> None:
    """Provider, status, attempt and request id travel, and nothing else."""
    error = errors.UnavailableError("no", provider="lab", status=503, request_id="gen-1")
    assert application_error(error, Standing(attempt=3)).details == (
        {"provider": "lab", "status": 503, "attempt": 3, "request_id": "gen-1"},
    )


def test_a_message_is_one_line_of_at_most_500_characters() -> None:
    """However much a provider states, the message stays short."""
    error = application_error(errors.UnavailableError("long\nline \x1b[31m" * 500, provider="lab"))
    assert len(error.message) <= 500
    assert error.message.isprintable()


def test_a_fault_in_the_settings_is_final() -> None:
    """Nothing changes by trying again until a user changes something."""
    error = config_error(ConfigError("set LAB_KEY", error_type="config.missing_key"), 1, Reported())
    assert (error.type, error.non_retryable) == ("config.missing_key", True)


GEMINI = [{"error": {"code": 400, "message": "API key not valid.", "status": "INVALID_ARGUMENT"}}]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (GEMINI, "lab: answered 400: API key not valid."),
        (
            {"detail": [{"loc": ["body", "model"], "msg": "Field required"}, {"msg": "x"}]},
            "answered 400: Field required; x",
        ),
        ({"detail": {"error": "no such team"}}, "answered 400: no such team"),
        ({"success": False, "errors": [{"code": 7003, "message": "no route"}]}, "answered 400: no route"),
        ({"error": ["a", {"message": "b"}, 7, None]}, "answered 400: a; b"),
        ({"error": {"message": ["a", "b"]}}, "answered 400: a; b"),
        (nested(400, "Provider returned error", raw="too hot"), "answered 400: Provider returned error (too hot)"),
        ({"error": "a", "message": "b"}, "answered 400: a"),
        ([], "answered 400"),
        ([7], "answered 400"),
    ],
)
async def test_the_words_of_an_error_are_in_the_message_in_any_form(body: Any, said: str) -> None:
    """The words of an error are in the message, also where they are a list, or lie in one."""
    assert str(await failure(400, body, {})).endswith(said)


async def test_a_redirect_names_the_host_and_not_the_address() -> None:
    """Where a redirect leads is reported by its host alone."""
    said = str(await failure(302, {}, {"Location": "https://evil.example/x?k=1"}))
    assert "evil.example" in said
    assert "k=1" not in said
