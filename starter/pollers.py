"""Who works on a task queue.

The server remembers whoever asked for work in the last minutes, also those that have died since. So an entry counts
only when it is fresh, and one of this machine only while its process is there: a worker's identity is
``parley-<process id>@<machine>``.
"""

import os
import platform
import re
from dataclasses import dataclass
from datetime import UTC, datetime

from temporalio.api.enums.v1 import TaskQueueKind, TaskQueueType
from temporalio.api.taskqueue.v1 import TaskQueue
from temporalio.api.workflowservice.v1 import DescribeTaskQueueRequest
from temporalio.client import Client

_FRESH_SECONDS = 90.0
"""A worker that has nothing to do asks again every minute."""

_IDENTITY = re.compile(r"parley-(?P<pid>\d+)@(?P<machine>.+)")


@dataclass(frozen=True)
class Poller:
    """Somebody who asked for work."""

    identity: str
    seconds_ago: float

    @property
    def is_there(self) -> bool:
        """Whether it can be counted on."""
        if self.seconds_ago > _FRESH_SECONDS:
            return False
        found = _IDENTITY.fullmatch(self.identity)
        return found is None or found["machine"] != platform.node() or _runs(int(found["pid"]))


async def pollers(client: Client, queue: str, *, activities: bool = False) -> tuple[Poller, ...]:
    """Who works on ``queue`` now, for schedules or for ``activities``."""
    kinds = TaskQueueType
    request = DescribeTaskQueueRequest(
        namespace=client.namespace,
        task_queue=TaskQueue(name=queue, kind=TaskQueueKind.TASK_QUEUE_KIND_NORMAL),
        task_queue_type=kinds.TASK_QUEUE_TYPE_ACTIVITY if activities else kinds.TASK_QUEUE_TYPE_WORKFLOW,
    )
    described = await client.workflow_service.describe_task_queue(request)
    now = datetime.now(UTC)  # noqa: TID251 - this is a process of the person's side, and "fresh" is about now
    seen = tuple(
        Poller(p.identity, (now - p.last_access_time.ToDatetime(tzinfo=UTC)).total_seconds()) for p in described.pollers
    )
    return tuple(poller for poller in seen if poller.is_there)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
