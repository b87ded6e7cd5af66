"""How a deliberation ended, from what Temporal raises to what a person is told."""

from pydantic import ValidationError
from temporalio.client import WorkflowFailureError
from temporalio.exceptions import ApplicationError, CancelledError, TerminatedError

from parley.errors import DeliberationFailedError
from parley.results import parse_result
from protocols.deliberation import DeliberationResult


def failure(deliberation_id: str, error: WorkflowFailureError) -> DeliberationFailedError:
    """What to raise for a run that ended in ``error``; the result travels along when the run had one."""
    cause = error.cause
    if isinstance(cause, CancelledError):
        return DeliberationFailedError(f"{deliberation_id} was cancelled before it had a verdict")
    if isinstance(cause, TerminatedError):
        return DeliberationFailedError(f"{deliberation_id} was terminated from outside: {cause.message}")
    if isinstance(cause, ApplicationError):
        return DeliberationFailedError(cause.message, _result(cause))
    return DeliberationFailedError(f"{deliberation_id} ended without a verdict: {cause}")


def no_verdict(result: DeliberationResult) -> str | None:
    """Why a result that came back whole has no verdict, or ``None`` when it has one."""
    if result.verdict is not None:
        return None
    return f"{result.deliberation_id} ended without a verdict ({result.stop_reason})"


def _result(error: ApplicationError) -> DeliberationResult | None:
    for detail in error.details:
        try:
            return parse_result(detail)
        except ValidationError:
            continue
    return None
