"""Error responses of providers: status, headers and body mapped to one of ``errors``.

Three shapes of body are read: ``{"error": {...}}`` (OpenRouter, Ollama, vLLM, llama.cpp; Gemini's is in a list), the
same fields without a wrapper (Cerebras), and ``{"detail": ...}``. An error inside a stream or inside HTTP 200 is read
the same way, with its code in place of the status. What decides, first to last: the provider's own ``retryable``, words
of a request that never fits, the named kind of error, the code or status.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any, NamedTuple

from activities.providers import errors
from activities.providers.errors import ProviderError
from activities.providers.retry_after import limit_reset, retry_after
from activities.providers.wire_json import as_number, as_object, as_text
from protocols.secret_text import SecretScrubber
from protocols.spending import FREE, Reported
from protocols.text_files import read_toml

_LONGEST_QUOTE = 300
_SEARCHED = 20_000
_SCHEMA = re.compile(
    r"response[_ ]?format|json[_ ]?schema|structured[_ -]?outputs?|guided[_ ]?(?:json|decoding)|\bgrammar\b|\bschema\b"
    r"|requested parameters|support (?:all )?(?:the )?parameters|\bjson_validate_failed\b",
    re.IGNORECASE,
)
"""How providers name the parameter: OpenAI's, llama.cpp's grammar, vLLM's guided decoding, OpenRouter's "No endpoints
found that can handle the requested parameters", and Groq's code for a reply that broke the schema."""
_TOO_LONG = re.compile(r"(?i)\b(?:request|prompt) (?:is )?too (?:large|long)\b|\bcontext (?:length|size|window)\b")
"""How servers say that a request never fits: OpenAI and Groq as a rate limit, LM Studio with status 200."""
_MOST_HEADERS, _MOST_TEXTS = 100, 10

_KINDS: dict[str, dict[Any, type[ProviderError]]] = {
    table: {said: getattr(errors, kind) for kind, all_said in rows.items() for said in all_said}
    for table, rows in read_toml(__package__, "error_names.toml").items()
}
"""By the name of an error in a provider's response, and by its status."""

_SPENT = ("credits", "key_limit", "budget")
_UNBILLED = {401, 402, 403, 404}
"""Statuses of requests that no model saw; one with 400 may be billed, as by Azure for what its filter read."""


@dataclass(frozen=True)
class ProviderErrorBody:
    """A provider's error body in any shape."""

    code: int | None
    names: tuple[str, ...]
    """Names of the kind of error, most telling first."""
    message: str
    metadata: Mapping[str, Any]
    availability: Mapping[str, Any]
    parameter: str = ""
    """The parameter of the request that is at fault, where the provider names one."""

    @property
    def is_about_schema(self) -> bool:
        """Return whether the error is about the JSON schema, in any provider's wording."""
        return _SCHEMA.search(f"{self.parameter} {self.names} {self.message}"[:_SEARCHED]) is not None


class ErrorContext(NamedTuple):
    """The context of an error response, used to interpret and report it."""

    provider: str
    status: int
    headers: Mapping[str, str]
    now: datetime
    scrub: SecretScrubber
    request_id: str | None = None

    def error(self, kind: type[ProviderError], said: str) -> ProviderError:
        """Return an error of this response."""
        return kind(said, provider=self.provider, status=self.status, request_id=self.request_id)


def read_error_body(body: Any) -> ProviderErrorBody:
    """Return the error in a JSON body; an empty one if there is none."""
    whole = as_object(body[0] if isinstance(body, list) and body else body)
    inner = whole.get("error")
    error = inner if isinstance(inner, dict) else whole
    metadata, availability = as_object(error.get("metadata")), as_object(error.get("availability"))
    code = _code(error.get("code"), error.get("http_status"), error.get("status_code"), whole.get("status_code"))
    named = (availability.get("code"), metadata.get("error_type"), *map(error.get, ("error_type", "code", "type")))
    said = next(filter(None, map(_words, (inner, error.get("message"), whole.get("detail"), whole.get("errors")))), "")
    raw = as_text(metadata.get("raw"))
    return ProviderErrorBody(
        code=code,
        names=tuple(name for name in named if isinstance(name, str)),
        message=f"{said} ({raw})" if raw and raw not in said else said,
        metadata=metadata,
        availability=availability,
        parameter=as_text(error.get("param")),
    )


def error_of(complaint: ProviderErrorBody, at: ErrorContext) -> ProviderError:
    """Return the error that an error response means."""
    status = at.status if at.status >= 300 else complaint.code or at.status  # noqa: PLR2004 - HTTP 200 hides the code
    kind = _kind(complaint, status, at.headers)
    said = at.scrub.head(complaint.message, _LONGEST_QUOTE)
    said = f"answered {status}: {said}" if said else f"answered {status}"
    if kind is errors.NotFoundError and not complaint.names and complaint.code is None:  # no word of a model
        said += "; is base_url right? That of most servers ends in /v1"
    return kind(
        said,
        provider=at.provider,
        status=status,
        request_id=at.request_id,
        wait=_wait(complaint, at, kind) if issubclass(kind, errors.PassingError) else None,
        is_about_schema=complaint.is_about_schema,
        reported=FREE if at.status in _UNBILLED and issubclass(kind, errors.FinalError) else Reported(),
    )


def _words(value: Any) -> str:
    """Return the words in a text, in an object with a message, or in a list of either."""
    said = [
        as_text(one) or next(filter(None, map(as_text, map(as_object(one).get, ("message", "msg", "error")))), "")
        for one in (value[:_MOST_TEXTS] if isinstance(value, list) else [value])
    ]
    return "; ".join(filter(None, said))


def _kind(complaint: ProviderErrorBody, status: int, headers: Mapping[str, str]) -> type[ProviderError]:
    kind = _special(complaint, status, headers) or _named(complaint.names) or _by_status(status)
    if issubclass(kind, errors.PassingError) and _TOO_LONG.search(complaint.message[:_SEARCHED]):
        kind = errors.BadRequestError
    retryable = complaint.availability.get("retryable")
    if retryable is True and not issubclass(kind, errors.PassingError):
        return errors.UnavailableError
    return errors.NotFoundError if retryable is False and issubclass(kind, errors.PassingError) else kind


def _special(complaint: ProviderErrorBody, status: int, headers: Mapping[str, str]) -> type[ProviderError] | None:
    """Return the error for a status 402 or 403, by its metadata, and for a path that LM Studio does not have."""
    metadata = complaint.metadata
    source = as_text(metadata.get("limit_source"))
    if complaint.message.startswith("Unexpected endpoint"):  # LM Studio's, with status 200
        return errors.NotFoundError
    if status == 402:  # noqa: PLR2004 - HTTP
        passes = source == "openrouter_in_flight_budget" or (not source and "retry-after" in headers)
        heavy = metadata.get("reason") == "weight_exceeds_budget"
        return errors.RateLimitedError if passes and not heavy else errors.PaymentRequiredError
    if status == 403:  # noqa: PLR2004 - HTTP
        if any(word in source for word in _SPENT):
            return errors.PaymentRequiredError
        if metadata.keys() & {"reasons", "flagged_input", "patterns"}:
            return errors.ModeratedError
    return None


def _named(names: tuple[str, ...]) -> type[ProviderError] | None:
    return next(filter(None, map(_KINDS["names"].get, map(str.lower, names))), None)


def _by_status(status: int) -> type[ProviderError]:
    of_hundred = {3: errors.RedirectError, 4: errors.BadRequestError}.get(status // 100, errors.UnavailableError)
    return _KINDS["statuses"].get(status, of_hundred)


def _wait(complaint: ProviderErrorBody, at: ErrorContext, kind: type[ProviderError]) -> float | None:
    stated = retry_after(at.headers, at.now)
    if stated is not None:
        return stated
    for where in (complaint.availability, complaint.metadata):
        seconds = as_number(where.get("retry_after"))
        if seconds is not None and seconds >= 0:
            return seconds
    if kind is not errors.RateLimitedError:  # some send their limits with every response
        return None
    quoted = islice(as_object(complaint.metadata.get("headers")).items(), _MOST_HEADERS)
    inner = {str(k).lower(): str(v) for k, v in quoted}
    return limit_reset({**inner, **at.headers}, at.now)


def _code(*candidates: Any) -> int | None:
    for candidate in candidates:
        is_digits = isinstance(candidate, str) and candidate.isascii() and candidate.isdigit()
        number = as_number(int(candidate[:9]) if is_digits else candidate)
        if number is not None and 100 <= number <= 599:  # noqa: PLR2004 - HTTP statuses
            return int(number)
    return None
