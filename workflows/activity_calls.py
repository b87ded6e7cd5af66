"""All calls from workflows to activities, each with its timeouts and retries.

Temporal alone retries; the activity decides which failures are worth another try. No call has a limit over all its
attempts, so that a worker that is away for a week costs a deliberation nothing: the activity knows the provider's time
away and whether a call may have been billed, and decides which failure is the last. The patience of a call bounds one
attempt, and a missing heartbeat shows that a worker is dead.
"""

from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta
from typing import Any, TypeVar

from pydantic import ValidationError
from temporalio import workflow
from temporalio.common import Priority, RetryPolicy
from temporalio.exceptions import (
    ActivityError,
    ApplicationError,
    ApplicationErrorCategory,
    FailureError,
    is_cancelled_exception,
)
from temporalio.exceptions import TimeoutError as ActivityTimeoutError

from activities.call_model import ModelCalls
from activities.call_survey import CallSurveys
from activities.input_completion import InputCompletion
from activities.ledger import ChapterRecord, DeliberationRecord, LedgerActivities, RecallRequest
from activities.providers.catalogue import fairness_key
from activities.retry_posture import kind_of
from activities.studies import StudyActivities
from activities.study_copies import StudyCopies
from protocols.model_call import Answered, Failed, ModelCall
from protocols.panel import name_of, provider_of
from protocols.spending import Reported
from protocols.starting import INVALID, CompletedInput, StartRequest
from protocols.study.messages import ShardSignals
from protocols.study.model import Instances, InstancesRequest, MissingInstance
from protocols.study.outages import CallSurvey, SurveyRequest
from protocols.study.scheduled import CopiedStudy, StudyCopy
from protocols.task_queues import LEDGER_QUEUE
from protocols.transcript import Transcript

_SLACK = timedelta(seconds=30)
"""What an attempt may take beyond its patience: to wait for another attempt's answer, and to write its own down."""

_UNBOUNDED = timedelta(days=365)
"""Temporal wants a limit where there is none. A dead worker is noticed by its heartbeat long before."""

_COMPLETING = timedelta(minutes=10)
"""A study may have two million deliberations to be entered."""

_BOOKING = timedelta(seconds=60)
_RECORDED_AT_ONCE = timedelta(seconds=4)
"""Less than a workflow task may take, so that a ledger that is away never delays the answer to the server."""
_STUDYING = timedelta(seconds=30)
_COPYING = timedelta(minutes=10)
_LOOKS = 3
"""Tries of a survey; the next one is due soon anyway."""
_BOOKED_AT_LAST = RetryPolicy(initial_interval=timedelta(seconds=1), maximum_interval=timedelta(seconds=30))
"""The ledger is waited for, however long it takes."""

_Argument = TypeVar("_Argument")
_Result = TypeVar("_Result")


async def call_model(call: ModelCall, queues: Mapping[str, str], note: str = "") -> Answered | Failed:
    """Call one model once and return its reply.

    ``queues`` names the task queue of every provider whose rate the server limits. Any other call is on the workflow's
    own queue, where the worker that asks for it also starts it, without a round trip to the server. A call that is
    shared with another deliberation reaches no model, so it has no limit, and it is awaited for as long as the ledger
    takes. ``note`` is shown behind the call in the Web UI.

    Raises:
        ApplicationError: it is shared, and there is no answer; without it a shared round would be another one.
        asyncio.CancelledError: the deliberation, or this call of it, was cancelled.
    """
    provider, is_shared, total = provider_of(call.model), call.shared_with is not None, call.patience.total
    try:
        reply: Answered | Failed = await workflow.execute_activity_method(
            ModelCalls.call_model,
            call,
            task_queue=None if is_shared else queues.get(provider),
            activity_id=call.call_id,
            summary=_summary(call, note),
            start_to_close_timeout=_UNBOUNDED if total is None else timedelta(seconds=total) + _SLACK,
            heartbeat_timeout=timedelta(seconds=call.patience.heartbeat),
            retry_policy=RetryPolicy(
                initial_interval=timedelta(seconds=1),
                backoff_coefficient=2.0,
                maximum_interval=timedelta(seconds=60),
                non_retryable_error_types=["PayloadsTooLarge"],
            ),
            cancellation_type=workflow.ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
            priority=Priority(fairness_key=fairness_key(provider, name_of(call.model))),
        )
    except ActivityError as error:
        if is_cancelled_exception(error):
            raise
        lost = _failed(call, error)
        if is_shared:
            raise ApplicationError(lost.message, type=lost.error_type, non_retryable=True) from error
        return lost
    return reply


def start_failure(message: str, error_type: str) -> ApplicationError:
    """Return the failure of a run that was started with an invalid input: a user's mistake, not the worker's."""
    benign = ApplicationErrorCategory.BENIGN
    return ApplicationError(message, type=error_type, non_retryable=True, category=benign)


async def complete_input(request: StartRequest) -> CompletedInput:
    """Return the whole argument of a workflow that was started with a short object.

    Raises:
        ApplicationError: of type ``input.invalid`` when it cannot be used; the message names the value and the remedy.
    """
    try:
        return await _use_ledger(
            InputCompletion.complete_input,
            request,
            activity_id="complete-input",
            summary="fill in what the input leaves out",
            within=_COMPLETING,
        )
    except ActivityError as error:
        if isinstance(error.cause, ApplicationError) and error.cause.type == INVALID:
            raise start_failure(error.cause.message, INVALID) from None
        raise


async def record_deliberation(entry: DeliberationRecord) -> None:
    """Write a finished deliberation to the ledger, however long the ledger takes to be there.

    The worker that ran the last step writes it within that step. Where that fails, it is an activity like the others.
    """
    summary = "write to the ledger"
    try:
        await workflow.execute_local_activity_method(
            LedgerActivities.record_deliberation,
            entry,
            activity_id="record-at-once",
            summary=summary,
            start_to_close_timeout=_RECORDED_AT_ONCE,
            retry_policy=RetryPolicy(maximum_attempts=1),
        )
    except FailureError as error:  # also where a worker that stops cancelled it
        workflow.logger.info("not_recorded_at_once", extra={"reason": error.message})
        await _use_ledger(LedgerActivities.record_deliberation, entry, activity_id="record", summary=summary)


async def save_chapter(chapter: ChapterRecord) -> None:
    """Record the turns of this run, before the deliberation continues in another run."""
    await _use_ledger(
        LedgerActivities.record_chapter, chapter, activity_id="keep", summary="save the turns for the next run"
    )


async def load_chapters(chapter_key: str, count: int) -> Transcript:
    """Return the first ``count`` turns, those of earlier runs, in order."""
    return await _use_ledger(
        LedgerActivities.recall_turns,
        RecallRequest(chapter_key=chapter_key, count=count),
        activity_id="recall",
        summary="load the turns of earlier runs",
    )


async def load_instances(request: InstancesRequest) -> Instances:
    """Return the requested instances of a study, each with the input of its deliberation."""
    summary = f"load instances {min(request.numbers)} to {max(request.numbers)}"
    return await _use_ledger(StudyActivities.load_instances, request, summary=summary, within=_STUDYING)


async def refuse_unknown_instance(study: str, number: int) -> None:
    """Refuse the number of an instance that the ledger does not have."""
    try:
        await load_instances(InstancesRequest(study=study, numbers=(number,)))
    except ActivityError as error:
        raise error.cause or error from None


async def record_lost(entry: MissingInstance) -> None:
    """Record an instance of a study that ended without a result, however long the ledger takes."""
    await _use_ledger(
        StudyActivities.record_missing_instance,
        entry,
        summary=f"write down the loss of {entry.deliberation_id}",
        within=_STUDYING,
    )


async def signal_shards(signals: ShardSignals) -> None:
    """Send what a budget has for its shards, however long the server takes.

    The server keeps a workflow locked while a signal of its own is on its way, so a budget and a shard that signal each
    other at once wait half a second for one another, and for the next try seconds.
    """
    count = len(signals.permits | signals.resolutions)
    await _use_ledger(StudyActivities.signal_shards, signals, summary=f"signal {count} shard(s)", within=_STUDYING)


async def survey_calls(request: SurveyRequest) -> CallSurvey | None:
    """Return the calls that the running deliberations of a study wait for; ``None`` when the survey failed."""
    try:
        return await workflow.execute_activity_method(
            CallSurveys.survey_calls,
            request,
            summary=f"look at the calls of {len(request.numbers)} running deliberations",
            task_queue=LEDGER_QUEUE,
            start_to_close_timeout=_STUDYING,
            retry_policy=RetryPolicy(maximum_attempts=_LOOKS),
        )
    except ActivityError as error:
        if is_cancelled_exception(error):
            raise
        workflow.logger.warning("calls_not_surveyed", extra={"reason": str(error.cause)})
        return None


async def copy_study(request: StudyCopy) -> CopiedStudy:
    """Enter a study of the ledger once more under another name."""
    return await _use_ledger(
        StudyCopies.copy_study,
        request,
        activity_id="copy",
        summary=f"enter {request.pattern} once more as {request.name}",
        within=_COPYING,
    )


async def _use_ledger(
    method: Callable[[Any, _Argument], Awaitable[_Result]],
    argument: _Argument,
    *,
    summary: str,
    activity_id: str | None = None,
    within: timedelta = _BOOKING,
) -> _Result:
    """Run an activity of the ledger, however long the ledger takes to be there."""
    return await workflow.execute_activity_method(
        method,
        argument,
        activity_id=activity_id,
        summary=summary,
        task_queue=LEDGER_QUEUE,
        start_to_close_timeout=within,
        retry_policy=_BOOKED_AT_LAST,
    )


def _summary(call: ModelCall, note: str) -> str:
    parts = (f"R{call.round}", call.stage, call.participant, name_of(call.model), note)
    return " · ".join(dict.fromkeys(filter(None, parts)))


def _failed(call: ModelCall, error: ActivityError) -> Failed:
    cause = error.cause
    error_type, message, details = "worker.lost", "the call ended without an answer", {}
    if isinstance(cause, ApplicationError):
        error_type, message = cause.type or "unknown", cause.message
        details = next((d for d in cause.details if isinstance(d, dict)), {})
    elif isinstance(cause, ActivityTimeoutError):
        error_type, message = "worker.timeout", f"no worker finished the call in time ({cause.message})"
    status, attempts, paid = details.get("status"), details.get("attempt"), _reported(details.get("paid"))
    return Failed(
        kind=kind_of(error_type),
        call_id=call.call_id,
        participant=call.participant,
        model=call.model,
        error_type=error_type,
        message=message[:500],
        status=status if isinstance(status, int) else None,
        attempts=attempts if isinstance(attempts, int) else 1,
        **dict(paid),
    )


def _reported(paid: Any) -> Reported:
    """Return the spending of the failed attempts; none from an older worker, or without one."""
    try:
        return Reported() if paid is None else Reported.model_validate(paid)
    except ValidationError:
        return Reported()
