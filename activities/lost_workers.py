"""Calls over which worker after worker dies, whether they are paid for or their stored answer is read.

An attempt whose worker is killed leaves no word, so such attempts are counted by what is missing in the record of
``attempts``. A stored answer is returned however many are missing, because late heartbeats look the same; but then each
attempt reports that it reads the answer before it does, and those that end over it are counted too.

What fails outside of the activity leaves no word either: an argument that cannot be fetched, a result that cannot be
stored. So before a call is given up the server is asked how the last attempt ended, and only a lost worker counts. An
error of the worker's own over the answer leaves a report, because what was paid is lost with it.
"""

import asyncio
from contextvars import copy_context

from temporalio import activity
from temporalio.client import Client
from temporalio.exceptions import ApplicationError

from activities.attempts import FAULT, READS, CallAttempts
from activities.heartbeats import HEARTBEAT_SECONDS, UNANSWERED, failure_of, report
from activities.providers.errors import LONGEST_MESSAGE
from activities.providers.progress import CallProgress
from activities.retry_posture import details_of, kind_of
from ledger.payments import Caller
from protocols.model_call import Failed, ModelCall

_SENT_AFTER = 2 * HEARTBEAT_SECONDS
"""Seconds after which a heartbeat has left the worker, which sends one a second of a call."""


class AttemptAsCaller(CallAttempts, Caller):
    """An attempt with those before it, as the journal sees it."""

    def __init__(self, info: activity.Info, call: ModelCall) -> None:
        super().__init__(info)
        self._call, self.pulse = call, CallProgress()
        self._context = copy_context()  # the calling task of the journal may be that of an earlier attempt

    def lost(self, error: BaseException | None) -> Failed | None:
        """Return the loss of a payment that ended with ``error``, or ``None`` with its process, if it took anything."""
        failure = ("worker.timeout", UNANSWERED) if error is None else failure_of(error, self.pulse)
        if failure is None:
            return None
        error_type, took = failure
        return Failed(
            kind=kind_of(error_type),
            call_id=self._call.call_id,
            participant=self._call.participant,
            model=self._call.model,
            error_type=error_type,
            message=str(error or "its worker ended without a word")[:LONGEST_MESSAGE],
            attempts=self.number,
            **dict(took),
        )

    async def find(self) -> None:
        """Report that a stored answer is about to be read, after too many silent attempts.

        The answer may be why they were silent. The report has left the worker when this returns, because an answer that
        ends the process leaves no other trace.

        Raises:
            ApplicationError: as many attempts as the call's patience allows ended without a word after such a report.
        """
        most, read = self._call.patience.attempts, self.count(READS)
        if self.silent < most:
            return
        if await _was_reported(self._context.run(activity.client), self._context.run(activity.info)):
            self.forgive()
            return
        if read >= most:
            raise _given_up(f"{read} attempts ended without a word while they read its stored answer", self)
        self.begin_to_read()
        self._context.run(report, self._call, self.pulse, self)
        await asyncio.sleep(_SENT_AFTER)


async def refuse_deadly(call: ModelCall, attempts: CallAttempts) -> None:
    """Give up a call over which worker after worker dies or fails, before a payment for it ends this one too.

    Raises:
        ApplicationError: as many attempts and joined payments as the call's patience allows ended without a word, or as
            many attempts with an error of the worker's own.
    """
    most = call.patience.attempts
    if attempts.count(FAULT) >= most:
        raise _given_up(f"{attempts.count(FAULT)} attempts failed in the worker over its answer", attempts)
    if attempts.unseen >= most and await _was_reported(activity.client(), activity.info()):
        attempts.forgive()
    if attempts.unseen >= most:
        raise _given_up(f"{attempts.unseen} attempts ended without a word", attempts)


async def _was_reported(client: Client, info: activity.Info) -> bool:
    """Return whether a worker reported the end of the attempt before this one."""
    described = await client.get_workflow_handle(info.workflow_id or "", run_id=info.workflow_run_id).describe()
    pending = described.raw_description.pending_activities
    ended = next((one.last_failure for one in pending if one.activity_id == info.activity_id), None)
    return ended is not None and ended.WhichOneof("failure_info") not in {None, "timeout_failure_info"}


def _given_up(why: str, attempts: CallAttempts) -> ApplicationError:
    said = f"no worker finished the call: {why}; see the workers' logs"
    details = {"attempt": attempts.number} | details_of(attempts.paid)
    return ApplicationError(said, details, type="worker.timeout", non_retryable=True)
