"""Limits that the server keeps for a task queue."""

from dataclasses import dataclass

import pytest
from temporalio.api.enums.v1 import TaskQueueType
from temporalio.api.taskqueue.v1 import TaskQueue, TaskQueueConfig
from temporalio.api.workflowservice.v1 import DescribeTaskQueueRequest
from temporalio.client import Client
from temporalio.service import RPCError, RPCStatusCode

from runtime.connect import connect
from runtime.rate_limits import BY_A_PERSON, QueueLimits, current_limits, limit_queue
from tests.fakes.server import RunningServer


async def kept(client: Client, queue: str) -> TaskQueueConfig:
    """What the server keeps for ``queue``."""
    described = await client.workflow_service.describe_task_queue(
        DescribeTaskQueueRequest(
            namespace=client.namespace,
            task_queue=TaskQueue(name=queue),
            task_queue_type=TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY,
            report_config=True,
        )
    )
    return described.config


async def test_limits_are_kept_by_the_server(server: RunningServer) -> None:
    """The limit of the queue, of each key and the weights are on the server; saying them again changes nothing."""
    client = await connect(server.settings)
    limits = QueueLimits(per_second=5, per_key=1.5, weights={"openrouter/a": 2.0})
    assert await limit_queue(client, "limited", limits, reason="a test")
    first = await kept(client, "limited")
    assert await limit_queue(client, "limited", limits, reason="a test")
    again = await kept(client, "limited")

    assert first.queue_rate_limit.rate_limit.requests_per_second == 5
    assert first.fairness_keys_rate_limit_default.rate_limit.requests_per_second == 1.5
    assert dict(first.fairness_weight_overrides) == dict(again.fairness_weight_overrides) == {"openrouter/a": 2.0}


async def test_what_the_server_keeps_can_be_read(server: RunningServer) -> None:
    """Limits come back as they were given, with the reason; a weight that is not named any more is gone."""
    client = await connect(server.settings)
    limits = QueueLimits(per_second=5, per_key=1.5, weights={"lab/a": 2.0})
    await limit_queue(client, "read", QueueLimits(per_key=1, weights={"lab/b": 3.0}), reason="providers file: lab")
    before = await current_limits(client, "read")
    await limit_queue(client, "read", limits, reason=f"{BY_A_PERSON}: a try")
    after = await current_limits(client, "read")

    assert (before.limits.per_second, before.is_by_a_person) == (None, False)
    assert (after.limits, after.is_by_a_person) == (limits, True)


async def test_an_unlimited_queue_has_no_limits(server: RunningServer) -> None:
    """A queue without a limit on the server has none."""
    client = await connect(server.settings)

    assert (await current_limits(client, "never-heard-of")).limits == QueueLimits()


async def test_limit_can_be_taken_away(server: RunningServer) -> None:
    """A limit that is not given any more is removed."""
    client = await connect(server.settings)
    await limit_queue(client, "freed", QueueLimits(per_second=5), reason="a test")
    await limit_queue(client, "freed", QueueLimits(), reason="a test")

    assert not (await kept(client, "freed")).queue_rate_limit.HasField("rate_limit")


@pytest.mark.parametrize("value", [0, -1, float("nan"), float("inf")])
async def test_nonsense_is_refused(server: RunningServer, value: float) -> None:
    """A limit that is not a positive number never reaches the server."""
    client = await connect(server.settings)

    with pytest.raises(ValueError, match="per_second"):
        await limit_queue(client, "odd", QueueLimits(per_second=value), reason="a test")


@dataclass(frozen=True)
class OldServer:
    """The part of a client that ``limit_queue`` uses, on a server that answers every request with ``status``."""

    status: RPCStatusCode
    namespace: str = "default"
    identity: str = "test"

    @property
    def workflow_service(self) -> "OldServer":
        """The service is the same object."""
        return self

    async def describe_task_queue(self, request: object) -> None:
        """Refuse."""
        raise RPCError("unknown method", self.status, b"")


async def test_old_server_is_no_error() -> None:
    """A server without limits is named as one that does not keep them."""
    old = OldServer(RPCStatusCode.UNIMPLEMENTED)

    assert not await limit_queue(old, "q", QueueLimits(per_second=1), reason="a test")  # type: ignore[arg-type]  # a fake


async def test_other_refusal_is_an_error() -> None:
    """Any other refusal is not hidden."""
    away = OldServer(RPCStatusCode.UNAVAILABLE)

    with pytest.raises(RPCError):
        await limit_queue(away, "q", QueueLimits(per_second=1), reason="a test")  # type: ignore[arg-type]  # a fake
