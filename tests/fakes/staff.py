"""A worker with scripted models, for tests on the real server."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

from temporalio.client import Client
from temporalio.worker import Worker

from protocols.task_queues import LEDGER_QUEUE, TASK_QUEUE
from tests.fakes.ledger import FakeLedger
from tests.fakes.models import ScriptedModels
from tests.fakes.sandbox import prepared_once
from worker import WORKFLOWS

_THROTTLE = timedelta(seconds=0.2)


@asynccontextmanager
async def staff(client: Client, models: ScriptedModels) -> AsyncIterator[None]:
    """A worker as in the composition root, but with scripted activities."""
    ledger = FakeLedger()
    schedules = Worker(
        client,
        task_queue=TASK_QUEUE,
        workflows=WORKFLOWS,
        activities=[models.call_model, ledger.record_deliberation],
        workflow_runner=prepared_once(),
        max_heartbeat_throttle_interval=_THROTTLE,
        default_heartbeat_throttle_interval=_THROTTLE,
    )
    recording = Worker(
        client,
        task_queue=LEDGER_QUEUE,
        activities=[ledger.record_deliberation, ledger.record_chapter, ledger.recall_turns],
    )
    async with schedules, recording:
        yield
