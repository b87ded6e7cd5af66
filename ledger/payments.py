"""One payment of a call in a process, and the callers that wait for it."""

import asyncio
import uuid
from collections.abc import Awaitable, Callable
from typing import Any

from ledger.call_rows import CallContext
from ledger.identity import CallIdentity
from protocols.model_call import Answered, Failed
from protocols.spending import Reported

Pay = Callable[[], Awaitable[Answered | Failed]]
"""Makes the call. Raises when it should be tried again; what it returns is final and is kept."""


class Caller:
    """A caller of the journal, with no use for what it finds before there is an answer."""

    paid = Reported()
    """What it knows of earlier payments of the call; the ledger's line knows more."""

    def join(self, owner: str) -> None:
        """Note that the payment ``owner`` of an earlier caller continues."""

    def take_over(self, paid: Reported) -> None:
        """Note the sum of earlier payments of the call, of which none has an answer."""

    def lost(self, error: BaseException | None) -> Failed | None:
        """Return the loss of a payment that ended with ``error``, or ``None`` with its process, if it took anything."""

    def wait(self, reason: str, *, is_paid: bool = False) -> None:
        """Note why the store, of an answer if it ``is_paid``, must wait; an empty ``reason`` when it need not."""

    async def find(self) -> None:
        """Note that there is a stored answer, before it is read; an error keeps it from being read."""


class Payment:
    """One call in this process, with its payment and its waiting callers, of which the ``payer`` began it."""

    def __init__(self, identity: CallIdentity, pay: Pay, occasion: CallContext, payer: Caller) -> None:
        self.identity, self.key = identity, identity.key
        self.occasion = occasion
        self.caller = self.payer = payer
        self.before = payer.paid
        """What earlier payments took."""
        self.owner = uuid.uuid4().hex  # of no process: a fork would have the same names
        self.names: dict[str, Any] = {"workflow_id": identity.workflow_id, "call_id": identity.call_id}
        self.task: asyncio.Task[Answered | Failed] | None = None
        self._pay = pay
        self._waiting: list[asyncio.Future[Answered | Failed]] = []
        self._is_paying = self._is_stopped = False

    @property
    def is_wanted(self) -> bool:
        """Return whether a caller still waits and the payment was not stopped."""
        return bool(self._waiting) and not self._is_stopped

    def start(self, work: Any, forget: Callable[["Payment"], None]) -> None:
        """Run ``work`` in a task of the process, referenced here so that it is not collected while it runs."""
        self._forget = forget
        self.task = asyncio.create_task(work, name=f"journal-{self.identity.call_id}")
        self.task.add_done_callback(self._ended)

    async def wait(self) -> Answered | Failed:
        """Wait for the result; a cancelled caller leaves the payment running."""
        mine: asyncio.Future[Answered | Failed] = asyncio.get_running_loop().create_future()
        self._waiting.append(mine)
        try:
            return await mine
        finally:
            self._waiting.remove(mine)

    def _ended(self, task: "asyncio.Task[Answered | Failed]") -> None:
        self._forget(self)
        error = None if task.cancelled() else task.exception()  # looked at even where no caller is left to look
        for caller in self._waiting:
            if task.cancelled():
                caller.cancel()
            elif error is not None and not caller.done():
                caller.set_exception(error)
            elif not caller.done():
                caller.set_result(task.result())

    def stop(self) -> None:
        """Stop paying. Does nothing to an answer that is there already and only has to be kept."""
        self._is_stopped = True
        if self._is_paying and self.task is not None:
            self.task.cancel()

    async def pay_now(self) -> Answered | Failed:
        """Make the call, in the task of ``start``."""
        self._is_paying = True
        try:
            return await self._pay()
        finally:
            self._is_paying = False
