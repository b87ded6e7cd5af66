"""Why a run does not continue, as its history says it."""

from datetime import UTC, datetime

import pytest
from google.protobuf.timestamp_pb2 import Timestamp
from temporalio.api.enums.v1 import EventType, WorkflowTaskFailedCause
from temporalio.api.failure.v1 import Failure
from temporalio.api.history.v1 import HistoryEvent
from temporalio.converter import DataConverter

from parley.task_failures import TaskFailure, read_task_failure, remedy, replay_message

OLD, NEW = "0.1.0-g89ba402-aaaaaaaaaaaa", "0.2.0-g1234567-bbbbbbbbbbbb"
NONDETERMINISM = WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_NON_DETERMINISTIC_ERROR
UNHANDLED = WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_WORKFLOW_WORKER_UNHANDLED_FAILURE
AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def event(kind: int) -> HistoryEvent:
    """An event of that kind."""
    stamp = Timestamp()
    stamp.FromDatetime(AT)
    return HistoryEvent(event_type=EventType.ValueType(kind), event_time=stamp)


def taken(code: str) -> HistoryEvent:
    """A worker with ``code`` took a workflow task."""
    found = event(EventType.EVENT_TYPE_WORKFLOW_TASK_STARTED)
    found.workflow_task_started_event_attributes.worker_version.build_id = code
    return found


def done(code: str) -> HistoryEvent:
    """A worker with ``code`` completed a workflow task."""
    found = event(EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED)
    found.workflow_task_completed_event_attributes.worker_version.build_id = code
    return found


def failed(cause: WorkflowTaskFailedCause.ValueType, message: str) -> HistoryEvent:
    """A workflow task failed."""
    found = event(EventType.EVENT_TYPE_WORKFLOW_TASK_FAILED)
    attributes = found.workflow_task_failed_event_attributes
    attributes.cause = cause
    attributes.failure.CopyFrom(Failure(message=message))
    return found


async def read(*events: HistoryEvent, query_error: str = "") -> TaskFailure | None:
    """What the events say."""
    return await read_task_failure(events, DataConverter.default, query_error)


async def test_code_that_breaks_replay_is_named_with_the_code_before_it() -> None:
    """The failure names the worker's code, the code with which it continued last, and the commit to check out."""
    found = await read(taken(OLD), done(OLD), taken(NEW), failed(NONDETERMINISM, "[TMPRL1100] other steps"))
    assert found == TaskFailure(
        breaks_replay=True, message="[TMPRL1100] other steps", since=AT, code=NEW, last_code=OLD
    )
    assert f"the worker's code ({NEW}) cannot continue it since 03:04:05 UTC" in found.explanation
    assert f"it last ran with {OLD}" in found.explanation
    assert "git checkout 89ba402" in found.explanation


async def test_a_failure_that_was_overcome_is_none() -> None:
    """A task that was completed after all is no failure."""
    assert await read(taken(NEW), failed(NONDETERMINISM, "x"), taken(OLD), done(OLD)) is None


async def test_the_point_of_a_reset_is_no_failure() -> None:
    """A reset marks its step as failed; before a worker takes it up, nothing is wrong."""
    reset = WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_RESET_WORKFLOW
    assert await read(taken(OLD), failed(reset, "a user")) is None


async def test_another_failure_is_not_taken_for_other_code() -> None:
    """An error in a worker's set-up keeps its own message, and no old code is asked for."""
    found = await read(taken(NEW), failed(UNHANDLED, "the text sha256:00 is not in blobs"))
    assert found is not None
    assert not found.breaks_replay
    assert "the text sha256:00 is not in blobs" in found.explanation
    assert "old code" not in found.explanation


@pytest.mark.parametrize(
    ("query_error", "breaks"), [("[TMPRL1100] Nondeterminism error: Timer machine", True), ("no such query", False)]
)
async def test_a_query_states_it_before_a_task_does(query_error: str, breaks: bool) -> None:
    """Before its next step a run that cannot continue is known by what a query is answered."""
    found = await read(taken(OLD), done(OLD), query_error=query_error)
    assert breaks is (found is not None and found.breaks_replay)


def test_the_remedy_states_what_is_known() -> None:
    """Without a commit no checkout is proposed, and where the code has no name the message says so."""
    assert "git checkout" not in remedy("0.1.0-aaaaaaaaaaaa")
    assert "its code is not known" in remedy("")


def test_the_message_of_a_replay_stands_without_its_wrapping() -> None:
    """What the SDK wraps around the cause is left out; a message without the sign is kept."""
    wrapped = 'Failure { failure: Some(Failure { message: "[TMPRL1100] Nondeterminism error: x", source: "" }) }'
    other = 'Failure { message: "class \\"C\\" is not registered", source: "" }'
    assert replay_message(other) == 'class \\"C\\" is not registered'
    assert replay_message(wrapped) == "[TMPRL1100] Nondeterminism error: x"
    assert replay_message("something\nelse") == "something else"


def test_a_message_that_is_a_sentence_keeps_one_full_stop() -> None:
    """The explanation of a failing task continues after the message with one full stop."""
    told = TaskFailure(message="Put the key back.", breaks_replay=False).explanation
    assert "its workflow task fails: Put the key back. It continues once that is corrected" == told
