"""Which failure is worth another try: a table, and the one function that turns a failure into Temporal's error.

Temporal owns the retries; the HTTP client never retries. A row says how often a call may fail like this, whatever the
policy of the call would still allow: a model that is silent twice is silent, and each try of some kinds may have been
billed. ``None`` leaves it to the call's policy; 1 is final.

Each type of failure is counted by itself: an hour in which a provider was away uses up no try of another type. Attempts
do not know each other, so the counts travel in the heartbeats (``activities/heartbeat.py``).

The errors themselves are drawn in ``activities/providers/errors.py``.
"""

import random
from collections.abc import Callable
from datetime import timedelta
from typing import NamedTuple

from temporalio.exceptions import ApplicationError, ApplicationErrorCategory

from activities.providers.errors import (
    LONGEST_MESSAGE,
    ConfigError,
    ProviderError,
    QuotaExhaustedError,
    RateLimitedError,
)
from protocols.exchange import FailureKind

SHORTEST_WAIT = 1.0
LONGEST_WAIT = 300.0
"""Seconds that a retry is put off at most, whatever the provider asks for."""
QUOTA_AFTER = 900.0
"""A provider that asks for a longer wait than this has no rate limit but a quota, and it is used up."""

_MOST_JITTER = 5.0
_JITTER_SHARE = 0.25


class Posture(NamedTuple):
    """How one type of failure is met."""

    attempts: int | None
    """How often a call may fail like this; 1 is final, ``None`` leaves it to the call's policy."""
    kind: FailureKind
    """What a protocol sees when the call is given up."""
    is_expected: bool = False
    """It belongs to a normal day: no error in the log, no failure in the metrics."""

    @property
    def is_retryable(self) -> bool:
        """Whether another try may help."""
        return self.attempts != 1

    @property
    def is_counted(self) -> bool:
        """Whether the next attempt must know of this failure, because a few of its type are final together."""
        return self.is_retryable and self.attempts is not None


POSTURES: dict[str, Posture] = {
    "provider.rate_limited": Posture(None, "rate_limited", is_expected=True),
    "provider.unavailable": Posture(None, "api_error"),
    "provider.transport": Posture(None, "api_error"),
    "provider.gateway": Posture(None, "api_error"),
    "provider.redirect": Posture(None, "api_error"),
    "provider.tls": Posture(None, "api_error"),
    "provider.stalled": Posture(2, "timeout"),
    "provider.bad_response": Posture(2, "api_error"),
    "provider.empty": Posture(2, "api_error"),
    "provider.timeout": Posture(1, "timeout"),
    "provider.quota_exhausted": Posture(1, "rate_limited"),
    "provider.payment_required": Posture(1, "budget"),
    "provider.auth": Posture(1, "api_error"),
    "provider.moderated": Posture(1, "refused"),
    "provider.bad_request": Posture(1, "api_error"),
    "provider.not_found": Posture(1, "api_error"),
    "provider.too_large": Posture(1, "api_error"),
    "reply.not_encodable": Posture(1, "api_error"),
    "worker.timeout": Posture(None, "timeout"),
}
_ANY_OTHER = Posture(1, "api_error")
"""``config.*`` among them: nothing changes until a person changes something."""


def posture_of(error_type: str) -> Posture:
    """The row for ``error_type``; a type that nobody listed is final."""
    return POSTURES.get(error_type, _ANY_OTHER)


def kind_of(error_type: str) -> FailureKind:
    """What a protocol sees when a call is given up with ``error_type``."""
    return posture_of(error_type).kind


def application_error(
    error: ProviderError, attempt: int, tries: int = 1, dice: Callable[[], float] = random.random
) -> ApplicationError:
    """``error`` as Temporal records it, rebuilt from its safe parts. Raise it ``from None``.

    ``attempt`` counts all attempts at the call from 1, whatever ended them; ``tries`` those that ended with this type
    of error, this one included. ``dice`` spreads the retries of calls that were limited together; they come later than
    the provider asked for, never earlier.
    """
    row = posture_of(error.error_type)
    error_type = error.error_type
    if isinstance(error, RateLimitedError) and (error.wait or 0) > QUOTA_AFTER:
        error_type = QuotaExhaustedError.error_type
        row = posture_of(error_type)
    is_final = row.attempts is not None and tries >= row.attempts
    return ApplicationError(
        str(error)[:LONGEST_MESSAGE],
        _details(error.provider, error.status, attempt, error.request_id),
        type=error_type,
        non_retryable=is_final,
        next_retry_delay=None if is_final else _delay(error.wait, dice),
        category=ApplicationErrorCategory.BENIGN if row.is_expected else ApplicationErrorCategory.UNSPECIFIED,
    )


def config_error(error: ConfigError, attempt: int) -> ApplicationError:
    """A fault in the settings as Temporal records it; final. Raise it ``from None``."""
    return ApplicationError(
        str(error)[:LONGEST_MESSAGE], _details(None, None, attempt, None), type=error.error_type, non_retryable=True
    )


def _details(
    provider: str | None, status: int | None, attempt: int, request_id: str | None
) -> dict[str, str | int | None]:
    return {"provider": provider, "status": status, "attempt": attempt, "request_id": request_id}


def _delay(wait: float | None, dice: Callable[[], float]) -> timedelta | None:
    if wait is None:
        return None
    clamped = min(max(wait, SHORTEST_WAIT), LONGEST_WAIT)
    jitter = min(_JITTER_SHARE * clamped, _MOST_JITTER) * dice()
    return timedelta(seconds=min(clamped + jitter, LONGEST_WAIT))
