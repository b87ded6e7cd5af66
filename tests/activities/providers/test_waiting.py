"""How long a provider asks to be left alone."""

from datetime import UTC, datetime

import httpx
import pytest

from activities.providers.retry_after import duration, limit_reset, retry_after

NOW = datetime(2026, 10, 1, 12, 0, 0, tzinfo=UTC)
UNIX = NOW.timestamp()


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "7"}, 7.0),
        ({"Retry-After": "2.5"}, 2.5),
        ({"Retry-After": "100000000000"}, 100_000_000_000 - UNIX),
        ({"Retry-After": "Thu, 01 Oct 2026 12:00:30 GMT"}, 30.0),
        ({"Retry-After": "Thu, 01 Oct 2026 11:00:00 GMT"}, 0.0),
        ({"Retry-After": "Thu, 01 Oct 2026 13:00:30 GMT", "Date": "Thu, 01 Oct 2026 13:00:00 GMT"}, 30.0),
        ({"Retry-After": f"{UNIX + 3630:.0f}", "Date": "Thu, 01 Oct 2026 13:00:00 GMT"}, 30.0),
        ({"retry-after-ms": "1500", "Retry-After": "9"}, 1.5),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "-3"}, None),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After": "inf"}, None),
        ({"Retry-After": "Thu, 99 Foo 2026"}, None),
        ({"Retry-After": ""}, None),
        ({}, None),
    ],
)
def test_retry_after_is_read_in_all_its_forms(headers: dict[str, str], seconds: float | None) -> None:
    """Seconds, decimals, dates and milliseconds are read; garbage is no request to wait."""
    assert retry_after(httpx.Headers(headers), NOW) == seconds


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        ("12.5", 12.5),
        ("1m26.4s", 86.4),
        ("825ms", 0.825),
        ("2m59.56s", 179.56),
        ("1h2m3s", 3723.0),
        ("1d", 86_400.0),
        (f"{UNIX + 40:.0f}", 40.0),
        (f"{(UNIX + 40) * 1000:.0f}", 40.0),
        (f"{UNIX - 40:.0f}", 0.0),
        ("1x", None),
        ("m", None),
        ("9" * 400, None),
    ],
)
def test_a_reset_is_read_in_all_its_forms(said: str, seconds: float | None) -> None:
    """Seconds, durations with units, and Unix time in seconds or milliseconds are distinguished."""
    assert duration(said, NOW) == pytest.approx(seconds)


def test_the_limit_that_is_used_up_decides() -> None:
    """Of several limits the one with nothing remaining says how long to wait."""
    headers = httpx.Headers(
        {
            "x-ratelimit-reset-requests-day": "33011",
            "x-ratelimit-remaining-requests-day": "900",
            "x-ratelimit-reset-tokens-minute": "11.4",
            "x-ratelimit-remaining-tokens-minute": "0",
        }
    )
    assert limit_reset(headers, NOW) == 11.4


def test_without_a_used_up_limit_the_first_to_reset_decides() -> None:
    """A request refused by estimate finds something remaining; the nearest reset is the one to wait for."""
    headers = httpx.Headers({"x-ratelimit-reset-requests-day": "33011", "x-ratelimit-reset-tokens-minute": "11.4"})
    assert limit_reset(headers, NOW) == 11.4


def test_openrouter_states_its_reset_in_milliseconds() -> None:
    """OpenRouter's own 429 carries one reset as Unix milliseconds."""
    assert limit_reset(httpx.Headers({"X-RateLimit-Reset": f"{(UNIX + 9) * 1000:.0f}"}), NOW) == pytest.approx(9)


def test_a_reset_is_measured_by_the_clock_of_the_provider() -> None:
    """A machine an hour behind waits nine seconds too, and does not take the limit for a quota that is used up."""
    headers = {"X-RateLimit-Reset": f"{(UNIX + 3609) * 1000:.0f}", "Date": "Thu, 01 Oct 2026 13:00:00 GMT"}
    assert limit_reset(httpx.Headers(headers), NOW) == pytest.approx(9)
