"""Retries by kind of failure: a table, and the conversion of a failure to Temporal's error.

Temporal owns the retries; the HTTP client never retries. There are three ways to meet a failure. Some are final at
once. Some may have been billed, and are final after a few tries of their own type, whatever else failed before. The
rest mean that the provider is away, and cost nothing: they are tried again until the call's patience ends, however
often, measured from the first failure of an unbroken series (``activities/attempts.py``).

The errors themselves are drawn in ``activities/providers/errors.py``.
"""

import random
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from temporalio.exceptions import ApplicationError, ApplicationErrorCategory

from activities.providers.call_slots import NoSlotError
from activities.providers.errors import (
    LONGEST_MESSAGE,
    ConfigError,
    ProviderError,
    QuotaExhaustedError,
    RateLimitedError,
)
from activities.text_cleaning import clean_line
from protocols.model_call import CallTimeouts, FailureKind
from protocols.spending import FREE, Reported
from protocols.time_spans import write_span

SHORTEST_WAIT = 1.0
LONGEST_WAIT = 300.0
"""The longest delay of a retry in seconds, even if the provider asks for more."""
QUOTA_AFTER = 900.0
"""A provider that asks for a longer wait than this has no rate limit but a quota, and it is used up."""

_MOST_JITTER = 5.0
_JITTER_SHARE = 0.25
_MOST_DOUBLINGS = 20
_LONGEST_SUFFIX = 80


NO_PLACE = "worker.no_place"
"""The call waited for a free place in its worker and went back to the queue; it never becomes final."""


class Posture(NamedTuple):
    """The retry rule for one type of failure."""

    attempts: int | None
    """How often a call may fail like this; 1 is final, ``None`` leaves it to the call's patience."""
    kind: FailureKind
    """What a protocol sees when the call is given up."""
    is_expected: bool = False
    """It belongs to a normal day: no error in the log, no failure in the metrics."""
    waits: bool = False
    """The provider is away: the call is tried again until its patience ends, however often."""
    may_cost: bool = False
    """The provider may bill the request although there is no answer."""


POSTURES: dict[str, Posture] = {
    "provider.rate_limited": Posture(None, "rate_limited", is_expected=True, waits=True),
    "provider.unavailable": Posture(None, "api_error", waits=True),
    "provider.transport": Posture(None, "api_error", waits=True),
    "provider.gateway": Posture(None, "api_error", waits=True),
    "provider.redirect": Posture(None, "api_error", waits=True),
    "provider.tls": Posture(None, "api_error", waits=True),
    "provider.broken_off": Posture(None, "api_error", may_cost=True),
    "provider.stalled": Posture(2, "timeout", may_cost=True),
    "provider.bad_response": Posture(2, "api_error", may_cost=True),
    "provider.empty": Posture(2, "api_error", may_cost=True),
    "provider.timeout": Posture(1, "timeout", may_cost=True),
    "provider.quota_exhausted": Posture(1, "rate_limited"),
    "provider.payment_required": Posture(1, "budget"),
    "provider.auth": Posture(1, "api_error"),
    "provider.moderated": Posture(1, "refused"),
    "provider.bad_request": Posture(1, "api_error"),
    "provider.not_found": Posture(1, "api_error"),
    "provider.too_large": Posture(1, "api_error"),
    "reply.not_encodable": Posture(1, "api_error"),
    "worker.timeout": Posture(None, "timeout"),
    NO_PLACE: Posture(None, "timeout", is_expected=True),
}
_ANY_OTHER = Posture(1, "api_error")
"""``config.*`` among them: nothing changes until a user changes something."""


class Standing(NamedTuple):
    """The failures of a call so far, including the latest."""

    attempt: int = 1
    """Attempts in all."""
    tries: int = 1
    """Attempts that ended with the same type of failure."""
    away_failures: int = 0
    """Failures in a row that mean that the provider is away."""
    away_since: datetime | None = None
    away_seconds: float = 0.0
    """Between the first of them and now."""
    paid: Reported = Reported()
    """What the provider reported of all attempts."""


class Backoff(NamedTuple):
    """Seconds between two tries, when the provider does not ask for a time: doubled from the first to the longest."""

    first: float = 1.0
    longest: float = 60.0


BACKOFF = Backoff()
"""A provider that is back is noticed within a minute."""


def posture_of(error_type: str) -> Posture:
    """Return the row for ``error_type``; a type that is not listed is final."""
    return POSTURES.get(error_type, _ANY_OTHER)


def kind_of(error_type: str) -> FailureKind:
    """Return what a protocol sees when a call is given up with ``error_type``."""
    return posture_of(error_type).kind


def application_error(
    error: ProviderError,
    standing: Standing | None = None,
    patience: CallTimeouts | None = None,
    draw: Callable[[], float] = random.random,
) -> ApplicationError:
    """Return ``error`` as Temporal records it, rebuilt from its safe parts. Raise it ``from None``.

    ``standing`` is the call's after this failure, ``patience`` what the call allows. ``draw`` spreads the retries of
    calls that failed together; they come later than the provider asked for, never earlier.
    """
    standing, patience = standing or Standing(), patience or CallTimeouts()
    error_type = error.error_type
    if isinstance(error, RateLimitedError) and (error.wait or 0) > QUOTA_AFTER:
        error_type = QuotaExhaustedError.error_type
    row = posture_of(error_type)
    is_final = _is_final(row, error.wait, standing, patience)
    pause = _own_pause(standing, patience, draw) if error.wait is None else _asked_pause(error.wait, draw)
    return ApplicationError(
        _message(error, row, standing, patience, is_final=is_final),
        _details(error.provider, error.status, standing.attempt, error.request_id) | details_of(standing.paid),
        type=error_type,
        non_retryable=is_final,
        next_retry_delay=None if is_final else timedelta(seconds=pause),
        category=ApplicationErrorCategory.BENIGN if row.is_expected else ApplicationErrorCategory.UNSPECIFIED,
    )


def details_of(paid: Reported) -> dict[str, Any]:
    """Return ``paid`` as a part of an error's details; nothing where nothing was reported."""
    return {"paid": paid.model_dump(mode="json")} if paid.is_known or paid.unanswered_requests else {}


def no_slot_error(error: NoSlotError, attempt: int) -> ApplicationError:
    """Return the return to the queue as Temporal records it. Raise it ``from None``."""
    return ApplicationError(
        str(error),
        _details(None, None, attempt, None),
        type=NO_PLACE,
        next_retry_delay=timedelta(seconds=error.pause),
        category=ApplicationErrorCategory.BENIGN,
    )


def config_error(error: ConfigError, attempt: int, paid: Reported) -> ApplicationError:
    """Return the final Temporal error for a fault in the settings, ``paid`` before it. Raise it ``from None``."""
    details = _details(None, None, attempt, None) | details_of(paid.plus(FREE))
    return ApplicationError(str(error)[:LONGEST_MESSAGE], details, type=error.error_type, non_retryable=True)


def _details(provider: str | None, status: int | None, attempt: int, request_id: str | None) -> dict[str, Any]:
    return {"provider": provider, "status": status, "attempt": attempt, "request_id": request_id}


def _is_final(row: Posture, wait: float | None, standing: Standing, patience: CallTimeouts) -> bool:
    if row.waits:
        at_next_try = standing.away_seconds + min(wait or 0.0, LONGEST_WAIT)
        return standing.away_seconds >= patience.away or at_next_try > patience.away
    return standing.tries >= (patience.attempts if row.attempts is None else row.attempts)


def _message(error: ProviderError, row: Posture, standing: Standing, patience: CallTimeouts, *, is_final: bool) -> str:
    if not row.waits:
        return str(error)[:LONGEST_MESSAGE]
    suffix = f"; away since {standing.away_since:%H:%M} UTC" if standing.away_since else ""
    if is_final:
        suffix = f"; given up after {write_span(standing.away_seconds)} (patience: {write_span(patience.away)})"
    return clean_line(str(error), LONGEST_MESSAGE - _LONGEST_SUFFIX) + suffix


def _asked_pause(wait: float, draw: Callable[[], float]) -> float:
    clamped = min(max(wait, SHORTEST_WAIT), LONGEST_WAIT)
    return min(clamped + min(_JITTER_SHARE * clamped, _MOST_JITTER) * draw(), LONGEST_WAIT)


def _own_pause(standing: Standing, patience: CallTimeouts, draw: Callable[[], float]) -> float:
    failures = standing.away_failures or standing.tries
    pause = min(BACKOFF.first * 2.0 ** min(failures - 1, _MOST_DOUBLINGS), BACKOFF.longest)
    pause *= 1 - _JITTER_SHARE * draw()
    if not standing.away_failures:
        return pause
    # The last try is made at the end of the patience, not long before.
    return max(min(pause, patience.away - standing.away_seconds), min(pause, BACKOFF.first))
