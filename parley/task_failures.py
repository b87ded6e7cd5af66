"""The reason why a run is stuck: the failure of its last workflow task in its history.

The server's own search attribute (``TemporalReportedProblems``) is set after five failures, about 40 s; the history has
the first one at once. A task that is tried again and fails again adds nothing to the history.
"""

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from temporalio.api.enums.v1 import EventType, WorkflowTaskFailedCause
from temporalio.api.history.v1 import HistoryEvent, WorkflowTaskFailedEventAttributes
from temporalio.client import WorkflowExecutionDescription, WorkflowHandle
from temporalio.converter import DataConverter

from protocols.model_call import FrozenModel
from runtime.code_version import commit_of

REPLAY_SIGN = "[TMPRL1100]"
"""The beginning of the SDK's message about code that does not fit a history."""

GUIDE = "docs/operating.md, Upgrading while deliberations run"

_WRAPPED = re.compile(r'message: "((?:[^"\\]|\\.)*)"')
_LONGEST_MESSAGE = 400
_FAILED = EventType.EVENT_TYPE_WORKFLOW_TASK_FAILED
_STARTED = EventType.EVENT_TYPE_WORKFLOW_TASK_STARTED
_COMPLETED = EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED
_RESET = WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_RESET_WORKFLOW
_OF_TASKS = {_FAILED, _STARTED, _COMPLETED}


class TaskFailure(FrozenModel):
    """The failure of the last workflow task of a run that has not gone on since."""

    breaks_replay: bool
    """The worker's code makes other commands than those in the history."""
    message: str
    since: datetime | None = None
    """When the task failed first; ``None`` where only a query has failed so far."""
    code: str = ""
    """Of the worker that failed, see ``runtime.code_version``."""
    last_code: str = ""
    """The build of the run's last task."""

    @property
    def explanation(self) -> str:
        """The cause and the remedy, for a user."""
        since = f" since {self.since:%H:%M:%S} UTC" if self.since else ""
        if not self.breaks_replay:
            return f"its workflow task fails{since}: {self.message.rstrip('.')}. It continues once that is corrected"
        code = f" ({self.code})" if self.code else ""
        return (
            f"the worker's code{code} cannot continue it{since}, because it makes other steps than those in its "
            f"history: {self.message}. {remedy(self.last_code)}"
        )


def remedy(last_code: str) -> str:
    """Return the remedy for a run started by the code ``last_code``."""
    commit = commit_of(last_code)
    checkout = f"git checkout {commit}, " if commit else ""
    known = f"it last ran with {last_code}" if last_code else "its code is not known"
    return f"Put the old code back ({known}): {checkout}restart the worker. Nothing is lost meanwhile. See {GUIDE}"


async def find_task_failure(
    handle: WorkflowHandle[Any, Any], converter: DataConverter, query_error: str = ""
) -> TaskFailure | None:
    """Return why the run cannot continue, or ``None`` when its last workflow task did not fail.

    ``query_error`` is what a query was answered that failed because the run is stuck; it comes before a task.
    """
    events = [event async for event in handle.fetch_history_events() if event.event_type in _OF_TASKS]
    return await read_task_failure(events, converter, query_error)


async def read_task_failure(
    events: Iterable[HistoryEvent], converter: DataConverter, query_error: str = ""
) -> TaskFailure | None:
    """Return the failure after the last completed workflow task among ``events``, as ``find_task_failure``."""
    last_code = code = ""
    failed: HistoryEvent | None = None
    for event in events:
        if event.event_type == _STARTED:
            code = event.workflow_task_started_event_attributes.worker_version.build_id or code
        elif event.event_type == _COMPLETED:
            last_code = event.workflow_task_completed_event_attributes.worker_version.build_id
            failed = None
        elif event.event_type == _FAILED and event.workflow_task_failed_event_attributes.cause != _RESET:
            failed = failed or event
    if failed is None:
        breaks, said = REPLAY_SIGN in query_error, _shortened(query_error)
        return TaskFailure(breaks_replay=breaks, message=said, last_code=last_code) if query_error else None
    attributes = failed.workflow_task_failed_event_attributes
    return TaskFailure(
        breaks_replay=attributes.cause == WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_NON_DETERMINISTIC_ERROR,
        message=_shortened(await _message(attributes, converter)),
        since=failed.event_time.ToDatetime(tzinfo=UTC),
        code=code,
        last_code=last_code,
    )


def replay_message(text: str) -> str:
    """Return the part of ``text`` about code that does not fit a history, without the SDK's wrapping."""
    found = _WRAPPED.search(text)
    return _shortened(found[1] if found else text)


def is_task_failing(described: WorkflowExecutionDescription) -> bool:
    """Return whether a workflow task of the run is being tried for the second time or more."""
    return described.raw_description.pending_workflow_task.attempt > 1


async def _message(attributes: WorkflowTaskFailedEventAttributes, converter: DataConverter) -> str:
    if not attributes.HasField("failure"):
        return WorkflowTaskFailedCause.Name(attributes.cause).removeprefix("WORKFLOW_TASK_FAILED_CAUSE_").lower()
    error = await converter.decode_failure(attributes.failure)
    return str(error) or type(error).__name__


def _shortened(message: str) -> str:
    return " ".join(message.split())[:_LONGEST_MESSAGE]
