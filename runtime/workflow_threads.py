"""The threads of workflow code.

The SDK runs each step of a workflow in a thread, so that it can give up one that does not end. A step mostly takes a
few milliseconds, and for as long the event loop and the thread would compute in turns: each of them waits for the
interpreter again and again, and wakes the other. So the event loop lets a step go first.
"""

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_MOST = 500
"""Threads; as many as the SDK's own executor would have."""
_ALONE_SECONDS = 0.02
"""A longer step, for example a replay, continues beside the event loop."""


class WorkflowThreads(ThreadPoolExecutor):
    """An executor whose ``submit`` returns when the work is done, or after ``alone`` seconds of it."""

    def __init__(self, alone: float = _ALONE_SECONDS) -> None:
        super().__init__(max_workers=_MOST, thread_name_prefix="temporal_workflow_")
        self._alone = alone

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Begin ``fn`` in a thread, wait for it a moment and return its future."""
        ended = threading.Lock()
        ended.acquire()
        future = super().submit(fn, *args, **kwargs)
        future.add_done_callback(lambda _: ended.release())
        ended.acquire(timeout=self._alone)
        return future
