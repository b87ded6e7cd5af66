"""A check that this code can continue running deliberations: their histories are replayed without a change.

A worker with other code notices at a deliberation's next step that it cannot continue it; a replay says so at once, for
all that run, and before a worker with that code is started.
"""

from collections.abc import AsyncIterator, Sequence
from typing import Any

from temporalio.client import Client, WorkflowExecution, WorkflowHandle
from temporalio.converter import DataConverter
from temporalio.service import RPCError
from temporalio.worker import Replayer

from parley.ids import looked_up_id
from parley.registry import WORKFLOWS
from parley.task_failures import REPLAY_SIGN, remedy, replay_message
from parley.workflow_rpc import explained
from protocols.model_call import FrozenModel
from protocols.task_queues import TASK_QUEUE
from runtime.code_version import code_version
from runtime.plugin import sandboxed
from runtime.telemetry import unmeasured_runtime

MOST = 500
"""Runs that are looked at when none are named."""

_OTHER_CODE = (REPLAY_SIGN, "is not registered")
"""In what the SDK says when code does not fit a history, or has no workflow of that name."""
RUNNING = f'ExecutionStatus = "Running" AND TaskQueue = "{TASK_QUEUE}"'


class Replay(FrozenModel):
    """The outcome of replaying one run with this code."""

    deliberation_id: str
    last_code: str
    """The build of its last task; empty before the first task, or before code had names."""
    error: str = ""
    """Why this code cannot continue it; empty when it can."""

    @property
    def ok(self) -> bool:
        """Return whether this code can continue it."""
        return not self.error

    @property
    def remedy(self) -> str:
        """Return the remedy."""
        if any(sign in self.error for sign in _OTHER_CODE):
            return remedy(self.last_code)
        return "See that this process has the home, the stored texts and the encryption keys of the workers."

    @property
    def explanation(self) -> str:
        """One line for a user."""
        if self.ok:
            return f"{self.deliberation_id}: can continue"
        return f"{self.deliberation_id} cannot continue with this code: {self.error.rstrip('.')}. {self.remedy}"


async def replay_running(
    client: Client, ids: Sequence[str] = (), *, only_other_code: bool = False
) -> AsyncIterator[Replay]:
    """Replay the runs of ``ids``, by default the newest ``MOST`` that run, with the code of this process.

    ``only_other_code`` leaves out what this very code has continued already.
    """
    if ids:
        for deliberation_id in ids:
            yield await replay_run(client.get_workflow_handle(looked_up_id(deliberation_id)), client.data_converter)
        return
    async for execution in client.list_workflows(RUNNING, limit=MOST):
        if not (only_other_code and _has_continued(execution)):
            handle = client.get_workflow_handle(execution.id, run_id=execution.run_id)
            yield await replay_run(handle, client.data_converter)


async def replay_run(handle: WorkflowHandle[Any, Any], converter: DataConverter) -> Replay:
    """Replay one run with the code of this process.

    Raises:
        UnknownDeliberationError: the server has no deliberation with this id.
    """
    replayer = Replayer(
        workflows=list(WORKFLOWS),
        data_converter=converter,
        workflow_runner=sandboxed(),
        runtime=unmeasured_runtime(),
        build_id=code_version(),  # else the SDK reads and hashes every module of the process
    )
    try:
        history = await handle.fetch_history()
    except RPCError as refused:
        raise explained(handle.id, refused) from refused
    # The replayer takes the run before a reset for this one, so that it would not know of its reset.
    if any(event.workflow_task_failed_event_attributes.new_run_id for event in history.events):
        started = history.events[0].workflow_execution_started_event_attributes
        started.first_execution_run_id, started.continued_execution_run_id = "before the reset", ""
    codes = [event.workflow_task_completed_event_attributes.worker_version.build_id for event in history.events]
    result = await replayer.replay_workflow(history, raise_on_replay_failure=False)
    error = "" if result.replay_failure is None else replay_message(str(result.replay_failure))
    return Replay(deliberation_id=handle.id, last_code=next(filter(None, reversed(codes)), ""), error=error)


def _has_continued(execution: WorkflowExecution) -> bool:
    """Return whether this code has completed a workflow task of the run; the server keeps the names by run."""
    codes = execution.search_attributes.get("BuildIds", [])
    return any(str(code).endswith(f":{code_version()}") for code in codes)
