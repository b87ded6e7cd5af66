"""Errors between Parley and a provider, split by what the caller can do.

::

    ProviderError
    ├── PassingError              the same request may succeed later
    │   ├── RateLimitedError      provider.rate_limited    too many requests; ``wait`` says how long to hold back
    │   ├── UnavailableError      provider.unavailable     down or overloaded
    │   ├── TransportError        provider.transport       no connection, or it broke
    │   ├── GatewayError          provider.gateway         a web page or a proxy answered in the provider's place
    │   ├── RedirectError         provider.redirect        the address sends elsewhere; it is never followed
    │   ├── TlsError              provider.tls             no TLS connection, or a certificate that does not hold
    │   ├── BrokenOffError        provider.broken_off      gave up, or was cut off, in the middle of an answer
    │   ├── StalledError          provider.stalled         accepted the request and fell silent
    │   ├── BadResponseError      provider.bad_response    answered something that is no answer
    │   └── EmptyAnswerError      provider.empty           answered without a word
    └── FinalError                the same request fails again, or must not be paid again
        ├── DeadlineError         provider.timeout         still writing when the call's whole time had passed
        ├── QuotaExhaustedError   provider.quota_exhausted a limit that lifts after any patience
        ├── PaymentRequiredError  provider.payment_required no credit, or a budget is spent
        ├── AuthError             provider.auth            the key is missing, wrong, or may not do this
        ├── ModeratedError        provider.moderated       the provider refused the content before a model saw it
        ├── BadRequestError       provider.bad_request     the request is wrong or too long
        ├── NotFoundError         provider.not_found       no such model, or no endpoint serves it
        └── TooLargeError         provider.too_large       more bytes than any answer has

    ConfigError                   config.*                 the operator must change something; nothing was sent

How often each is tried again is in ``activities/retry_posture.py``. The texts are built from safe parts only.
"""

from typing import ClassVar, Self

from activities.text_cleaning import clean_line
from protocols.spending import Reported

LONGEST_MESSAGE = 500


class ProviderError(Exception):
    """A failed request to a provider.

    ``status`` is the HTTP status, or the code inside an error with status 200.
    """

    error_type: ClassVar[str]

    def __init__(
        self,
        said: str,
        *,
        provider: str,
        status: int | None = None,
        request_id: str | None = None,
        wait: float | None = None,
        is_about_schema: bool = False,
        reported: Reported = Reported(),  # noqa: B008 - a value that never changes
    ) -> None:
        super().__init__(clean_line(f"{provider}: {said}", LONGEST_MESSAGE))
        self.provider = provider
        self.status = status
        self.is_about_schema = is_about_schema
        """The provider's words name the parameter with which a schema is sent."""
        self.request_id = request_id
        self.wait = wait
        """Seconds for which the provider asks to be left alone; ``None`` when it does not say."""
        self.reported = reported
        """The tokens and the cost of the attempt; an answer without a word is billed like any other."""


class PassingError(ProviderError):
    """The same request may succeed later."""


class FinalError(ProviderError):
    """The same request fails again, or must not be paid again."""


class RateLimitedError(PassingError):
    """Too many requests or tokens."""

    error_type = "provider.rate_limited"


class UnavailableError(PassingError):
    """The provider or the model behind it is down or overloaded."""

    error_type = "provider.unavailable"


class TransportError(PassingError):
    """The connection could not be made or broke."""

    error_type = "provider.transport"


class GatewayError(PassingError):
    """A gateway, a proxy or a login page between Parley and the provider answered in its place."""

    error_type = "provider.gateway"


class RedirectError(PassingError):
    """The address sends elsewhere: a login page, or a provider that has moved."""

    error_type = "provider.redirect"


class TlsError(PassingError):
    """A failed TLS connection or certificate check."""

    error_type = "provider.tls"


class BrokenOffError(PassingError):
    """An answer that had started ended in the middle. It may have been billed."""

    error_type = "provider.broken_off"

    @classmethod
    def of(cls, error: ProviderError) -> Self:
        """Return ``error`` as one that ended an answer in the middle."""
        said = str(error).removeprefix(f"{error.provider}: ")
        return cls(said, provider=error.provider, status=error.status, request_id=error.request_id, wait=error.wait)


class StalledError(PassingError):
    """The provider accepted the request and fell silent."""

    error_type = "provider.stalled"


class BadResponseError(PassingError):
    """A response in no known form."""

    error_type = "provider.bad_response"


class EmptyAnswerError(PassingError):
    """The model finished without a word."""

    error_type = "provider.empty"


class DeadlineError(FinalError):
    """The call's whole time was over while the model was still at work."""

    error_type = "provider.timeout"


class QuotaExhaustedError(FinalError):
    """A limit that lifts later than any retry."""

    error_type = "provider.quota_exhausted"


class PaymentRequiredError(FinalError):
    """A lack of credit, or a spent budget."""

    error_type = "provider.payment_required"


class AuthError(FinalError):
    """The key is missing, wrong, or may not do this."""

    error_type = "provider.auth"


class ModeratedError(FinalError):
    """The provider refused the content."""

    error_type = "provider.moderated"


class BadRequestError(FinalError):
    """The request is wrong, or longer than the model reads."""

    error_type = "provider.bad_request"


class NotFoundError(FinalError):
    """An unknown model, or one without a provider under the given conditions."""

    error_type = "provider.not_found"


class TooLargeError(FinalError):
    """More bytes than any answer has."""

    error_type = "provider.too_large"


class ConfigError(ValueError):
    """The operator must change something; nothing was sent. The text names the value and the remedy."""

    def __init__(self, said: str, *, error_type: str) -> None:
        super().__init__(said)
        self.error_type = error_type
