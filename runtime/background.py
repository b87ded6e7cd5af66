"""Work that runs beside a block and must not end unobserved."""

import asyncio
import os
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any, NoReturn

import structlog

_PAUSE_SECONDS = 1.0

log = structlog.get_logger(__name__)


@asynccontextmanager
async def run_in_background(work: Coroutine[Any, Any, NoReturn]) -> AsyncIterator[None]:
    """Run ``work`` until the block ends; when it fails before that, cancel the block and raise the failure from it.

    Raises:
        Exception: what ended ``work``.
    """
    body = asyncio.current_task()
    assert body is not None, "there is no task to cancel"  # noqa: S101 - a coroutine always has one
    failures: list[BaseException] = []
    is_open = True

    def observe(task: asyncio.Task[NoReturn]) -> None:
        error = None if task.cancelled() else task.exception()
        if error is None:
            return
        if is_open:
            failures.append(error)
            body.cancel()
        else:
            log.warning("background_work_failed_while_ending", reason=str(error))

    task = asyncio.create_task(work)
    task.add_done_callback(observe)
    try:
        yield
    except asyncio.CancelledError:
        # The block may have been cancelled from outside as well, and then that is what counts.
        if not failures or body.uncancel() > 0:
            raise
        raise failures[0] from None
    finally:
        is_open = False
        task.cancel()
        await asyncio.wait({task})


async def stop_after_parent(parent_pid: int | None, stop: asyncio.Event) -> None:
    """Set ``stop`` when the process that started this one for its own use is gone; return at once without one."""
    while parent_pid is not None:
        if os.getppid() != parent_pid:
            log.warning("worker_orphaned", parent=parent_pid)
            stop.set()
            return
        await asyncio.sleep(_PAUSE_SECONDS)
