"""Holding a deliberation with scripted models, to its end or to its failure, and replaying what followed."""

import asyncio
import uuid
from typing import Any

import pytest
from temporalio import workflow
from temporalio.api.common.v1 import WorkflowExecution
from temporalio.api.enums.v1 import EventType
from temporalio.api.workflowservice.v1 import ResetWorkflowExecutionRequest
from temporalio.client import WorkflowFailureError, WorkflowHandle, WorkflowQueryFailedError
from temporalio.exceptions import ApplicationError
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import (
    ExecuteWorkflowInput,
    Interceptor,
    Replayer,
    WorkflowInboundInterceptor,
    WorkflowInterceptorClassInput,
)

from parley.client import Parley
from protocols.model_call import ModelCall
from protocols.progress import Progress
from protocols.task_queues import TASK_QUEUE
from tests.fakes.ledger import FakeLedger
from tests.fakes.models import Script, ScriptedModels
from tests.fakes.sandbox import prepared_once
from tests.workflows.conftest import staff
from worker import WORKFLOWS

Handle = WorkflowHandle[Any, Any]


async def start(env: WorkflowEnvironment, run: Any, inp: Any) -> Handle:
    """Start a deliberation under an id of its own."""
    handle: Handle = await env.client.start_workflow(
        run, inp, id=f"{inp.prompts.protocol}-{uuid.uuid4().hex[:8]}", task_queue=TASK_QUEUE
    )
    return handle


async def hold(env: WorkflowEnvironment, run: Any, inp: Any, script: Script) -> tuple[Any, ScriptedModels]:
    """Run a deliberation to its end, replay its history, and return what was the result and what was asked."""
    models = ScriptedModels(script)
    async with staff(env, models):
        handle = await start(env, run, inp)
        result = await handle.result()
        await replay(env, handle)
    return result, models


async def fail(env: WorkflowEnvironment, run: Any, inp: Any, script: Script) -> tuple[ApplicationError, ScriptedModels]:
    """Run a deliberation that must fail; return why and what was asked."""
    models = ScriptedModels(script)
    async with staff(env, models):
        handle = await start(env, run, inp)
        with pytest.raises(WorkflowFailureError) as failure:
            await handle.result()
        await replay(env, handle)
    assert isinstance(failure.value.cause, ApplicationError)
    return failure.value.cause, models


class _ShownAtItsEnd(WorkflowInboundInterceptor):
    async def execute_workflow(self, input: ExecuteWorkflowInput) -> Any:  # noqa: A002 - the SDK's name
        """Run the workflow and render what is shown of it."""
        try:
            return await super().execute_workflow(input)
        finally:
            ended: Any = workflow.instance()
            workflow.payload_converter().to_payloads([ended.state(), ended.current_details()])


class ShownAtItsEnd(Interceptor):
    """The interceptor that renders state and details of a workflow when it has ended.

    A query does so too, but the worker replays a closed workflow for each.
    """

    def workflow_interceptor_class(
        self,
        input: WorkflowInterceptorClassInput,  # noqa: A002 - the SDK's name
    ) -> type[WorkflowInboundInterceptor]:
        """Return the interceptor of one workflow."""
        return _ShownAtItsEnd


async def replay(env: WorkflowEnvironment, handle: Handle) -> None:
    """Every history a test makes is replayed, and its state and details can be rendered at its end."""
    replayer = Replayer(
        workflows=list(WORKFLOWS),
        data_converter=env.client.data_converter,
        workflow_runner=prepared_once(),
        interceptors=[ShownAtItsEnd()],
    )
    await replayer.replay_workflow(await handle.fetch_history())


async def reset(env: WorkflowEnvironment | Parley, workflow_id: str, run_id: str = "", step: int = -1) -> Handle:
    """Reset a run to its last step, or another one, and return the handle of what follows."""
    history = await env.client.get_workflow_handle(workflow_id, run_id=run_id or None).fetch_history()
    steps = [one for one in history.events if one.event_type == EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED]
    await env.client.workflow_service.reset_workflow_execution(
        ResetWorkflowExecutionRequest(
            namespace=env.client.namespace,
            workflow_execution=WorkflowExecution(workflow_id=workflow_id, run_id=run_id),
            workflow_task_finish_event_id=steps[step].event_id,
            request_id=uuid.uuid4().hex,
        )
    )
    return env.client.get_workflow_handle(workflow_id)


async def until_held(handle: Handle, models: ScriptedModels) -> ModelCall:
    """Wait until the first call runs and no other one is in flight; return it."""
    while not models.hold:  # noqa: ASYNC110 - an activity sets no event of this loop
        await asyncio.sleep(0.02)
    (call_id,) = models.hold
    await until_alone(handle, call_id)
    return next(call for call in models.calls if call.call_id == call_id)


async def until_alone(handle: Handle, call_id: str) -> None:
    """Wait until ``call_id`` is being asked and no one else is.

    The time-skipping server refuses to cancel a call that ends in the same moment, so nothing else may be moving. A run
    whose input is still being completed or loaded has no state yet.
    """
    while True:
        try:
            progress: Progress = await handle.query("state", result_type=Progress)
        except WorkflowQueryFailedError as error:
            if "try again in a moment" not in str(error):
                raise
        else:
            if [seat.call_id for seat in progress.seats if seat.status == "running"] == [call_id]:
                return
        await asyncio.sleep(0.02)


async def until_asked(models: ScriptedModels, call_id: str) -> None:
    """Wait until ``call_id`` has reached the models: the workflow says "running" from the moment in which it asks."""
    while call_id not in {call.call_id for call in models.calls}:  # noqa: ASYNC110 - an activity sets no event of this loop
        await asyncio.sleep(0.02)


async def until_refused_twice(ledger: FakeLedger) -> None:
    """Wait until a closed ledger refused the record within the last step and as an activity: that ended the step."""
    while ledger.refused <= 1:  # noqa: ASYNC110 - an activity sets no event of this loop
        await asyncio.sleep(0.02)
