"""A workflow of another program that starts a deliberation as its child."""

from typing import Any

from temporalio import workflow
from temporalio.workflow import ParentClosePolicy

CHILD = "by-a-parent"


@workflow.defn(name="Parent")
class ParentWorkflow:
    """Starts a council with whatever it is given, and does not wait for it."""

    @workflow.run
    async def run(self, given: dict[str, Any]) -> None:
        """Start the child on the queue of the deliberations."""
        policy = ParentClosePolicy.ABANDON
        await workflow.start_child_workflow("Council", given, id=CHILD, task_queue="parley", parent_close_policy=policy)
