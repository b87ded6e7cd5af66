"""Errors of the API, by their remedy, and their exit codes.

::

    ParleyError
    ├── RequestError                      2  it cannot be done as it was asked
    │   ├── IdUsedError                      the id was used before
    │   ├── UnknownDeliberationError         there is no deliberation with that id
    │   ├── NoSuchQueryError                 its protocol does not have this query
    │   ├── UpdateRefusedError               a running deliberation refuses the change
    │   └── MissingKeyError                  a provider's key variable is not set
    ├── DeliberationFailedError           1  it ended without a verdict
    ├── StuckError                        3  no worker that answers can continue a deliberation
    │   └── ReplayBrokenError                its code is another
    ├── TemporalAwayError                 3  the server did not answer, though it was waited for
    ├── ColumnsUnknownError               3  the server lacks the search attributes
    └── ProcessFailedError                3  a program that is needed could not be started

What ``runtime`` raises counts as 2 when a setting is wrong and as 3 otherwise.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from protocols.constraints import quoted

if TYPE_CHECKING:  # the results of all protocols are not needed to raise an error
    from protocols.deliberation import DeliberationResult

VERDICT = 0
FAILED = 1
USAGE = 2
UNREACHABLE = 3
FLAGGED = 4
"""A prompt is flagged, and ``--exit-code`` asked for a code of its own."""
INTERRUPTED = 130
BUG = 70


class ParleyError(Exception):
    """An error with one message for the user."""

    exit_code = USAGE


class RequestError(ParleyError):
    """A request that cannot be carried out as given."""


@contextmanager
def as_request_error(*kinds: type[Exception]) -> Iterator[None]:
    """Raise an error of ``kinds`` as a ``RequestError`` with the same message.

    Raises:
        RequestError: the block raised one of them.
    """
    try:
        yield
    except kinds as error:
        raise RequestError(str(error)) from None


def require(given: Any, kind: Any, wanted: str, *, least: int | None = None) -> None:
    """Refuse ``given`` with what is ``wanted`` in its place.

    Raises:
        RequestError: it is not of ``kind``, or less than ``least``.
    """
    if not isinstance(given, kind) or (least is not None and given < least):
        raise RequestError(f"{quoted(given)} cannot be used: {wanted}")


class IdUsedError(RequestError):
    """The id was used before, and what was answered then is not paid for again by accident."""


class UnknownDeliberationError(RequestError):
    """An unknown deliberation id."""


class NoSuchQueryError(RequestError):
    """The deliberation's protocol does not have this query."""


class UpdateRefusedError(RequestError):
    """A running deliberation refuses the change, and says why."""


class MissingKeyError(RequestError):
    """A provider on the panel has no key here; the message names the variable, never a value."""


class DeliberationFailedError(ParleyError):
    """A deliberation without a verdict; ``result`` has the partial result.

    Args:
        message: Why, in one message.
        result: The partial result; ``None`` when it was cancelled or ended from outside.
    """

    exit_code = FAILED

    def __init__(self, message: str, result: "DeliberationResult | None" = None) -> None:
        super().__init__(message)
        self.result = result


class StuckError(ParleyError):
    """A deliberation without a worker for its next step: it waits for a key, or for the old code."""

    exit_code = UNREACHABLE


class ReplayBrokenError(StuckError):
    """The worker's code makes other steps than those in the deliberation's history; it waits for the old code."""


class TemporalAwayError(ParleyError):
    """The server did not answer, though it was waited for."""

    exit_code = UNREACHABLE


class ColumnsUnknownError(ParleyError):
    """The server does not know the list columns, so nothing can be started there."""

    exit_code = UNREACHABLE


class ProcessFailedError(ParleyError):
    """A program that is needed, a worker for example, could not be started."""

    exit_code = UNREACHABLE
