"""The results of all protocols: read from JSON as the type that their ``protocol`` names, shown, and missing ones."""

from functools import cache
from typing import Annotated, Any, Union

from pydantic import Field, TypeAdapter, ValidationError
from temporalio.client import WorkflowFailureError
from temporalio.exceptions import ActivityError, ApplicationError, CancelledError, TerminatedError

from parley.errors import DeliberationFailedError
from parley.specs import PROTOCOLS
from protocols.deliberation import DeliberationResult
from protocols.tables import ResultView, with_names


@cache
def any_result() -> Any:
    """Return the type of a result whose protocol is not known beforehand, for the SDK's converter."""
    return Annotated[Union[tuple(spec.result for spec in PROTOCOLS.values())], Field(discriminator="protocol")]  # noqa: UP007 - made of a table


def parse_result(document: Any) -> DeliberationResult:
    """Parse the result from ``document``, a JSON object."""
    return _adapter().validate_python(document)


def view_of(result: DeliberationResult) -> ResultView:
    """Return what is shown of ``result``."""
    view: ResultView = with_names(PROTOCOLS[result.protocol].view(result), result.names)
    return view


def failure(deliberation_id: str, error: WorkflowFailureError) -> DeliberationFailedError:
    """Return the exception for a run that ended in ``error``, with the result if there was one."""
    cause = _innermost(error)
    if isinstance(cause, CancelledError):
        return DeliberationFailedError(f"{deliberation_id} was cancelled before it had a verdict")
    if isinstance(cause, TerminatedError):
        return DeliberationFailedError(f"{deliberation_id} was terminated from outside: {cause.message}")
    if isinstance(cause, ApplicationError):
        return DeliberationFailedError(cause.message, _result(cause))
    return DeliberationFailedError(f"{deliberation_id} ended without a verdict: {cause}")


def no_verdict(result: DeliberationResult) -> str | None:
    """Return the reason why a result has no verdict, or ``None`` if it has one."""
    if result.verdict is not None:
        return None
    text = f"{result.deliberation_id} ended without a verdict ({result.stop_reason})"
    if result.budget is not None and result.budget.left_out:
        return f"{text}: {result.budget.left_out}; give it a higher budget, or shorter replies with --max-tokens"
    return text


@cache
def _adapter() -> TypeAdapter[DeliberationResult]:
    return TypeAdapter(any_result())


def _innermost(error: WorkflowFailureError) -> BaseException | None:
    """Return the failure that a failed activity of the run carries, or the run's own."""
    cause: BaseException | None = error.cause
    while isinstance(cause, ActivityError) and cause.cause is not None:
        cause = cause.cause
    return cause


def _result(error: ApplicationError) -> DeliberationResult | None:
    for detail in error.details:
        try:
            return parse_result(detail)
        except ValidationError:
            continue
    return None
