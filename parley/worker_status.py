"""Workers of a task queue.

The server lists every worker that polled in the last minutes, dead ones too. So an entry counts
only when it is fresh, and one of this machine only while that very process works: a worker's identity names its
process id and when it started, see ``runtime.processes``.
"""

from dataclasses import dataclass
from datetime import UTC, datetime

from temporalio.api.enums.v1 import TaskQueueKind, TaskQueueType
from temporalio.api.taskqueue.v1 import TaskQueue
from temporalio.api.workflowservice.v1 import DescribeTaskQueueRequest
from temporalio.client import Client

from runtime.processes import is_working, parse_name

_FRESH_SECONDS = 90.0
"""A worker that has nothing to do asks again every minute."""


@dataclass(frozen=True)
class Poller:
    """A worker that polls for tasks."""

    identity: str
    seconds_ago: float

    @property
    def is_there(self) -> bool:
        """Return whether it has polled recently."""
        if self.seconds_ago > _FRESH_SECONDS:
            return False
        process = parse_name(self.identity)
        return process is None or not process.is_here or is_working(process.pid, process.started)


async def pollers(client: Client, queue: str, *, activities: bool = False) -> tuple[Poller, ...]:
    """Return the workers of ``queue``, for workflows or for ``activities``."""
    kinds = TaskQueueType
    request = DescribeTaskQueueRequest(
        namespace=client.namespace,
        task_queue=TaskQueue(name=queue, kind=TaskQueueKind.TASK_QUEUE_KIND_NORMAL),
        task_queue_type=kinds.TASK_QUEUE_TYPE_ACTIVITY if activities else kinds.TASK_QUEUE_TYPE_WORKFLOW,
    )
    described = await client.workflow_service.describe_task_queue(request)
    now = datetime.now(UTC)  # noqa: TID251 - this is a process of the user's side, and "fresh" is about now
    seen = tuple(
        Poller(p.identity, (now - p.last_access_time.ToDatetime(tzinfo=UTC)).total_seconds()) for p in described.pollers
    )
    return tuple(poller for poller in seen if poller.is_there)
