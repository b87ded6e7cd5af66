"""A Temporal server of which a call learns how its last attempt ended."""

from types import SimpleNamespace
from typing import Self, cast

from temporalio.api.enums.v1 import TimeoutType
from temporalio.api.failure.v1 import ApplicationFailureInfo, Failure, TimeoutFailureInfo
from temporalio.api.workflow.v1 import PendingActivityInfo
from temporalio.api.workflowservice.v1 import DescribeWorkflowExecutionResponse
from temporalio.client import Client
from temporalio.testing import ActivityEnvironment

KILLED = Failure(timeout_failure_info=TimeoutFailureInfo(timeout_type=TimeoutType.TIMEOUT_TYPE_HEARTBEAT))
REPORTED = Failure(message="no space left", application_failure_info=ApplicationFailureInfo())


class _Server:
    def __init__(self, ended: Failure) -> None:
        self._ended = ended

    def get_workflow_handle(self, workflow_id: str, *, run_id: str | None) -> Self:
        """Return what describes every workflow."""
        return self

    async def describe(self) -> SimpleNamespace:
        """Describe a workflow with one activity."""
        activity_id = ActivityEnvironment.default_info().activity_id
        pending = PendingActivityInfo(activity_id=activity_id, last_failure=self._ended)
        return SimpleNamespace(raw_description=DescribeWorkflowExecutionResponse(pending_activities=[pending]))


def environment_after(ended: Failure = KILLED) -> ActivityEnvironment:
    """Return an environment for an activity whose last attempt ended so."""
    return ActivityEnvironment(cast("Client", _Server(ended)))
