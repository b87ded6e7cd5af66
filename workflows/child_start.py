"""The start of a child workflow, whose cancellation a parent requests when it ends.

The id of a child may be taken by a run that an earlier parent of the same id left, so the start is tried again for a
minute, and after a reset until that run has ended: a reset leaves children running.
"""

import asyncio
from typing import Any

from temporalio import workflow
from temporalio.exceptions import ChildWorkflowError, WorkflowAlreadyStartedError, is_cancelled_exception
from temporalio.workflow import ChildWorkflowHandle, ParentClosePolicy

_PAUSES = (1, 2, 4, 8, 16, 30)
"""Seconds between the tries to start under an id that is taken."""


async def start_child(name: str, argument: Any, **options: Any) -> ChildWorkflowHandle[Any, Any]:
    """Start the workflow ``name`` as a child.

    Raises:
        WorkflowAlreadyStartedError: its id is taken and stays so.
        asyncio.CancelledError: it was cancelled before it started.
    """
    options = {"parent_close_policy": ParentClosePolicy.REQUEST_CANCEL, **options}
    pauses = iter(_PAUSES)
    while True:
        try:
            return await workflow.start_child_workflow(name, argument, **options)
        except ChildWorkflowError as error:
            if is_cancelled_exception(error):
                raise asyncio.CancelledError from error
            raise
        except WorkflowAlreadyStartedError:
            pause = next(pauses, None)
            if pause is None and not (is_reset() and workflow.patched("waits-after-reset")):
                raise
        await workflow.sleep(pause or _PAUSES[-1])


def is_reset() -> bool:
    """Return whether this run began with a reset; its children of before may have ended, or run still."""
    info = workflow.info()
    is_first = info.continued_run_id is None
    return info.run_id != (info.first_execution_run_id if is_first else info.original_execution_run_id)
