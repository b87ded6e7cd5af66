"""One payment of a call in a process, and the callers that wait for it."""

import asyncio
import itertools
import uuid
from collections.abc import Awaitable, Callable
from typing import Any

from ledger.call_rows import CallContext
from ledger.identity import CallIdentity
from protocols.model_call import Answered, Failed

Pay = Callable[[], Awaitable[Answered | Failed]]
"""Makes the call. Raises when it should be tried again; what it returns is final and is kept."""

_PROCESS = uuid.uuid4().hex
_attempts = itertools.count(1)


class Caller:
    """A caller of the journal, with no use for what it finds before there is an answer."""

    def join(self, owner: str) -> None:
        """Note that the payment ``owner`` of an earlier caller continues."""

    async def find(self) -> None:
        """Note that there is a stored answer, before it is read; an error keeps it from being read."""


class Payment:
    """One call in this process, with its payment and its waiting callers."""

    def __init__(self, identity: CallIdentity, pay: Pay, occasion: CallContext) -> None:
        self.identity, self.key = identity, identity.key
        self.occasion = occasion
        self.caller = Caller()
        self.owner = f"{_PROCESS}-{next(_attempts)}"
        self.names: dict[str, Any] = {"workflow_id": identity.workflow_id, "call_id": identity.call_id}
        self.task: asyncio.Task[Answered | Failed] | None = None
        self._pay = pay
        self._payment: asyncio.Future[Answered | Failed] | None = None
        self._waiting = 0
        self._is_stopped = False

    @property
    def is_wanted(self) -> bool:
        """Return whether a caller still waits and the payment was not stopped."""
        return self._waiting > 0 and not self._is_stopped

    def start(self, work: Any, forget: Callable[["Payment"], None]) -> None:
        """Run ``work`` in a task of the process, referenced here so that it is not collected while it runs."""
        self.task = asyncio.create_task(work, name=f"journal-{self.identity.call_id}")
        self.task.add_done_callback(lambda task: self._ended(task, forget))

    async def wait(self) -> Answered | Failed:
        """Wait for the result; a cancelled caller leaves the payment running."""
        if self.task is None:  # pragma: no cover - a job is started where it is made
            raise AssertionError
        self._waiting += 1
        try:
            return await asyncio.shield(self.task)
        finally:
            self._waiting -= 1

    def _ended(self, task: "asyncio.Task[Answered | Failed]", forget: Callable[["Payment"], None]) -> None:
        forget(self)
        if not task.cancelled():
            task.exception()  # looked at here, because there may be no caller left to look

    def stop(self) -> None:
        """Stop paying. Does nothing to an answer that is there already and only has to be kept."""
        self._is_stopped = True
        if self._payment is not None:
            self._payment.cancel()

    async def pay_now(self) -> Answered | Failed:
        """Make the call."""
        self._payment = asyncio.ensure_future(self._pay())
        return await self._payment
