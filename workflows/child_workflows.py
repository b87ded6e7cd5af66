"""Child workflows of a study: start, wait, signal."""

from typing import Any

from temporalio import workflow
from temporalio.common import Priority, TypedSearchAttributes, WorkflowIDReusePolicy
from temporalio.exceptions import (
    ApplicationError,
    ChildWorkflowError,
    FailureError,
    WorkflowAlreadyStartedError,
    is_cancelled_exception,
)

from protocols.model_call import FrozenModel
from protocols.panel import Panel
from protocols.plurals import counted
from protocols.study.messages import DeliberationOutcome
from protocols.study.model import BatchInput, BatchResult, Instance, MissingInstance, StudyName, protocol_of
from workflows import search_attributes
from workflows.child_start import is_reset, start_child

_LONGEST_MESSAGE = 500


class _Asked(FrozenModel):
    """The part of an input that every protocol has."""

    panel: Panel


class MissingDeliberationError(Exception):
    """A deliberation without a result; ``entry`` goes to the ledger, and ``is_started`` is true if it ran."""

    def __init__(self, entry: MissingInstance, *, is_started: bool) -> None:
        super().__init__(entry.message)
        self.entry = entry
        self.is_started = is_started


async def run_deliberation(
    study: StudyName, instance: Instance, priority: int, *, again: bool
) -> tuple[DeliberationOutcome, bool]:
    """Run one deliberation to its end and return its outcome, and whether it failed.

    ``again`` means that it is known to have run under this id; otherwise only one without a verdict gives
    its id away, so that none runs twice by mistake.

    Raises:
        MissingDeliberationError: it could not begin, or it ended without a word.
        asyncio.CancelledError: it was cancelled before it started.
    """
    reuse = WorkflowIDReusePolicy.ALLOW_DUPLICATE if again else WorkflowIDReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY
    try:
        child = await start_child(
            instance.workflow,
            instance.input,
            id=instance.deliberation_id,
            result_type=DeliberationOutcome,
            id_reuse_policy=reuse,
            priority=Priority(priority_key=priority, fairness_key=study),
            search_attributes=search_attributes.first_columns(
                protocol_of(instance.workflow),
                instance.title,
                _Asked.model_validate(instance.input).panel,
                batch_id=study,
            ),
            static_summary=f"{instance.arm} · {instance.title}"[:200],
        )
    except WorkflowAlreadyStartedError:
        said = "a deliberation under this id is running or has a verdict; to run it again: parley batch retry"
        raise MissingDeliberationError(_lost(study, instance, "study.already_run", said), is_started=False) from None
    try:
        return await child, False
    except ChildWorkflowError as error:
        return _outcome_of(study, instance, error), True


async def run_batch(inp: BatchInput) -> BatchResult:
    """Run a batch under the id of its study and return its result.

    Raises:
        ApplicationError: a batch of the study runs already.
        temporalio.exceptions.ChildWorkflowError: it failed.
    """
    workflow.set_current_details(f"### Holds the study {inp.study}\n\n{counted(inp.end - inp.first, 'deliberation')}")
    try:
        child = await start_child(
            "Batch",
            inp.model_copy(update={"again": inp.again or is_reset()}),
            id=inp.study,
            result_type=BatchResult,
            id_reuse_policy=WorkflowIDReusePolicy.ALLOW_DUPLICATE,
            priority=Priority(priority_key=1),
            search_attributes=study_attributes(inp.study),
            static_summary=f"{'Rehearsal · ' if inp.rehearsal else ''}Batch · {inp.title}"[:200],
        )
    except WorkflowAlreadyStartedError:
        said = f"a batch of the study {inp.study!r} runs already; see how far it is: parley batch status {inp.study}"
        raise ApplicationError(said, type="study.already_run", non_retryable=True) from None
    result: BatchResult = await child
    return result


async def signal_if_running(workflow_id: str, signal: str, *arguments: Any) -> bool:
    """Send a signal to the present run of an id and return whether there was one."""
    handle: workflow.ExternalWorkflowHandle[Any] = workflow.get_external_workflow_handle(workflow_id)
    try:
        await handle.signal(signal, args=arguments)
    except FailureError as error:
        if is_cancelled_exception(error):
            raise
        workflow.logger.warning("signal_not_delivered", extra={"workflow_id": workflow_id, "signal": signal})
        return False
    return True


def study_attributes(study: StudyName) -> TypedSearchAttributes:
    """Return the column that all runs of a study share."""
    return search_attributes.columns_of({search_attributes.BATCH_ID: study})


def _outcome_of(study: StudyName, instance: Instance, error: ChildWorkflowError) -> DeliberationOutcome:
    """Return the outcome in the details of a failure."""
    cause = error.cause
    if is_cancelled_exception(error):
        return DeliberationOutcome(stop_reason="cancelled")
    if isinstance(cause, ApplicationError):
        for detail in cause.details:
            if isinstance(detail, dict) and "stop_reason" in detail:
                return DeliberationOutcome.model_validate(detail)
    error_type = cause.type if isinstance(cause, ApplicationError) else type(cause).__name__
    said = getattr(cause, "message", "") or str(error)
    raise MissingDeliberationError(_lost(study, instance, f"study.{error_type}", said), is_started=True)


def _lost(study: StudyName, instance: Instance, error_type: str, message: str) -> MissingInstance:
    return MissingInstance(
        study=study,
        number=instance.number,
        deliberation_id=instance.deliberation_id,
        error_type=error_type,
        message=message[:_LONGEST_MESSAGE],
    )
