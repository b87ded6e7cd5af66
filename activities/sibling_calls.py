"""Replies to calls of one workflow run that come at nearly the same moment are reported together.

Each reply makes the server schedule a workflow task, unless one is waiting. The calls of a stage often end within a few
milliseconds of each other; reported together they need one task, and not up to as many as there are calls. A stage ends
with its last reply, which never waits, and a reply is in the journal before it waits.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

_PATIENCE = 0.02
"""Seconds that a reply waits for others, at the most."""


class SiblingCalls:
    """The calls of this worker, counted by the workflow run that they belong to."""

    def __init__(self, patience: float = _PATIENCE) -> None:
        """Make it without calls; a reply waits ``patience`` seconds for others, at the most."""
        self._patience = patience
        self._running: dict[str, int] = {}
        self._waiting: dict[str, tuple[asyncio.Event, asyncio.TimerHandle]] = {}

    @contextmanager
    def counting(self, run_id: str) -> Iterator[None]:
        """Count a call of the run ``run_id`` until the block is left, with a reply or without."""
        self._running[run_id] = self._running.get(run_id, 0) + 1
        try:
            yield
        finally:
            self._running[run_id] -= 1
            if not self._running[run_id]:
                del self._running[run_id]
                self._report(run_id)

    async def gather(self, run_id: str) -> None:
        """Wait until no call of the run ``run_id`` is running, or the first reply that waits waited long enough."""
        if run_id not in self._running:
            return
        if run_id not in self._waiting:
            timer = asyncio.get_running_loop().call_later(self._patience, self._report, run_id)
            self._waiting[run_id] = asyncio.Event(), timer
        await self._waiting[run_id][0].wait()

    def _report(self, run_id: str) -> None:
        if run_id in self._waiting:
            reported, timer = self._waiting.pop(run_id)
            timer.cancel()
            reported.set()
