"""Limits that the server keeps for a task queue, for all workers together.

A limit in a worker counts only that worker's calls. These are on the server, survive its restart, and can be set
per fairness key, which for model calls is ``provider/model``: no model's limit holds up another's calls.

Each limit has a reason. From it a restarting worker knows which limits a user changed
since: ``BY_A_PERSON`` at the beginning of a reason means that no file may reset it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import structlog
from temporalio.api.enums.v1 import TaskQueueType
from temporalio.api.taskqueue.v1 import RateLimit, RateLimitConfig, TaskQueue, TaskQueueConfig
from temporalio.api.workflowservice.v1 import DescribeTaskQueueRequest, UpdateTaskQueueConfigRequest
from temporalio.client import Client
from temporalio.service import RPCError, RPCStatusCode

if TYPE_CHECKING:
    RateLimitUpdate = UpdateTaskQueueConfigRequest.RateLimitUpdate

log = structlog.get_logger(__name__)

BY_A_PERSON = "set by a user"

_NOT_OFFERED = {RPCStatusCode.UNIMPLEMENTED, RPCStatusCode.PERMISSION_DENIED}
_ACTIVITIES = TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY


@dataclass(frozen=True)
class QueueLimits:
    """The rate, per second, at which activities of one queue are dispatched. ``None`` means without limit."""

    per_second: float | None = None
    """All of the queue together."""
    per_key: float | None = None
    """Each fairness key by itself."""
    weights: Mapping[str, float] = field(default_factory=dict)
    """Multiply ``per_key`` and the share of the queue for the keys named."""


@dataclass(frozen=True)
class CurrentLimits:
    """The rate limits that the server has stored for a queue, and their reason."""

    limits: QueueLimits
    reason: str

    @property
    def is_by_a_person(self) -> bool:
        """Return whether a user set the limits while the system ran."""
        return self.reason.startswith(BY_A_PERSON)


async def limit_queue(client: Client, task_queue: str, limits: QueueLimits, *, reason: str) -> bool:
    """Set ``limits`` on the server for the activities of ``task_queue``, replacing earlier ones.

    Saying it again changes nothing. Weights of keys that are not named are taken away.

    Returns:
        Whether the server keeps them; ``False`` when it is too old or does not allow it, which is logged.

    Raises:
        ValueError: a limit or weight is not positive.
        RPCError: the server refuses for another reason.
    """
    _refuse_nonsense(limits)
    try:
        kept = await current_limits(client, task_queue)
        await client.workflow_service.update_task_queue_config(
            UpdateTaskQueueConfigRequest(
                namespace=client.namespace,
                identity=client.identity,
                task_queue=task_queue,
                task_queue_type=_ACTIVITIES,
                update_queue_rate_limit=_update(limits.per_second, reason),
                update_fairness_key_rate_limit_default=_update(limits.per_key, reason),
                set_fairness_weight_overrides=limits.weights,
                unset_fairness_weight_overrides=sorted(set(kept.limits.weights) - set(limits.weights)),
            )
        )
    except RPCError as error:
        if error.status not in _NOT_OFFERED:
            raise
        log.warning("queue_limits_not_kept", task_queue=task_queue, reason=error.message)
        return False
    return True


async def current_limits(client: Client, task_queue: str) -> CurrentLimits:
    """Return the limits stored on the server for the activities of ``task_queue``."""
    described = await client.workflow_service.describe_task_queue(
        DescribeTaskQueueRequest(
            namespace=client.namespace,
            task_queue=TaskQueue(name=task_queue),
            task_queue_type=_ACTIVITIES,
            report_config=True,
        )
    )
    config: TaskQueueConfig = described.config
    limits = QueueLimits(
        per_second=_rate(config.queue_rate_limit),
        per_key=_rate(config.fairness_keys_rate_limit_default),
        weights=dict(config.fairness_weight_overrides),
    )
    return CurrentLimits(limits, config.queue_rate_limit.metadata.reason)


def _rate(config: RateLimitConfig) -> float | None:
    return config.rate_limit.requests_per_second if config.HasField("rate_limit") else None


def _refuse_nonsense(limits: QueueLimits) -> None:
    named = {"per_second": limits.per_second, "per_key": limits.per_key, **limits.weights}
    for name, value in named.items():
        if value is not None and not 0 < value < float("inf"):
            raise ValueError(f"the limit or weight {name!r} is {value!r}; it must be a positive number")


def _update(per_second: float | None, reason: str) -> "RateLimitUpdate":
    limit = None if per_second is None else RateLimit(requests_per_second=per_second)
    return UpdateTaskQueueConfigRequest.RateLimitUpdate(rate_limit=limit, reason=reason)
