"""A time-skipping Temporal server and a worker with scripted models, for the schedules' tests."""

import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from temporalio.api.enums.v1 import IndexedValueType
from temporalio.api.operatorservice.v1 import AddSearchAttributesRequest
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import Worker

from activities.call_model import ModelCalls
from activities.ledger import LedgerActivities
from protocols.task_queues import LEDGER_QUEUE, TASK_QUEUE
from runtime.plugin import Messages
from tests.fakes.converter import CONVERTER
from tests.fakes.ending import program_with_parent
from tests.fakes.ledger import FakeLedger
from tests.fakes.models import ScriptedModels
from tests.fakes.sandbox import prepared_once
from tests.fakes.server import Uncompressed
from tests.fakes.short_inputs import FakeCompletion
from worker import WORKFLOWS
from workflows import search_attributes
from workflows.unknown_type import UnknownTypeWorkflow

_THROTTLE = timedelta(milliseconds=100)
"""A cancellation reaches a call with its next heartbeat."""


@pytest.fixture(scope="module")
async def env() -> AsyncIterator[WorkflowEnvironment]:
    """A time-skipping server for each file, with the list columns known to it.

    A call that a file leaves in flight holds up the server's clock, for the next file too.
    """
    program = Path(sys.executable).parent / "temporal-test-server"
    async with await WorkflowEnvironment.start_time_skipping(
        data_converter=CONVERTER, plugins=[Uncompressed()], test_server_existing_path=str(program_with_parent(program))
    ) as started:
        await know_columns(started)
        yield started


async def know_columns(env: WorkflowEnvironment) -> None:
    """Have the server know the list columns: a workflow that sets an unknown one waits for ever."""
    await env.client.operator_service.add_search_attributes(
        AddSearchAttributesRequest(
            namespace=env.client.namespace,
            search_attributes={
                key.name: IndexedValueType.ValueType(key.indexed_value_type.value) for key in search_attributes.ALL
            },
        )
    )


@asynccontextmanager
async def staff(
    env: WorkflowEnvironment,
    models: ScriptedModels | ModelCalls,
    ledger: FakeLedger | LedgerActivities | None = None,
    *,
    cached: int = 1000,
    calls_queue: str = TASK_QUEUE,
    completion: FakeCompletion | None = None,
) -> AsyncIterator[None]:
    """Workers for the schedules and for ``models``, as in the composition root but with scripted activities."""
    ledger = ledger or FakeLedger()
    schedules = Worker(
        env.client,
        task_queue=TASK_QUEUE,
        workflows=[*WORKFLOWS, UnknownTypeWorkflow],
        activities=[ledger.record_deliberation, *([models.call_model] if calls_queue == TASK_QUEUE else [])],
        workflow_runner=prepared_once(),
        interceptors=[Messages()],
        max_heartbeat_throttle_interval=_THROTTLE,
        default_heartbeat_throttle_interval=_THROTTLE,
        max_cached_workflows=cached,
        workflow_failure_exception_types=[AssertionError, KeyError, TypeError, AttributeError],
    )
    recording = Worker(
        env.client,
        task_queue=LEDGER_QUEUE,
        activities=[
            *(ledger.record_deliberation, ledger.record_chapter, ledger.recall_turns),
            (completion or FakeCompletion()).activity.complete_input,
        ],
    )
    async with AsyncExitStack() as working:
        for worker in (recording, schedules):
            await working.enter_async_context(worker)
        if calls_queue != TASK_QUEUE:
            limited = Worker(env.client, task_queue=calls_queue, activities=[models.call_model])
            await working.enter_async_context(limited)
        yield
