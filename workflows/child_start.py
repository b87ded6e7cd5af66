"""The start of a child workflow, whose cancellation a parent requests when it ends.

The id of a child may be taken for a moment by a run that an earlier parent of the same id left, so the start is tried
again for a minute.
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
            if pause is None:
                raise
        await workflow.sleep(pause)
