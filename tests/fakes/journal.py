"""A journal that keeps its answers in memory: the port of ``ledger.journal`` without a store."""

import asyncio
from contextlib import suppress

from ledger.call_rows import CallContext
from ledger.identity import CallIdentity
from ledger.journal import Journal, written
from ledger.payments import Caller, Pay
from protocols.model_call import Answered, Failed

_UNSAID = CallContext()
_ANY_CALLER = Caller()
_OWNER = "fake-1"


class FakeJournal(Journal):
    """Pays once per identity, shielded from the caller's cancellation, and remembers what arrived."""

    def __init__(self) -> None:
        self.answers: dict[str, Answered | Failed] = {}
        self.identities: list[CallIdentity] = []
        self.occasions: list[CallContext] = []
        self.abandoned: list[CallIdentity] = []
        self.tasks: dict[str, asyncio.Future[Answered | Failed]] = {}
        self.dead_leases = 0
        """Payments whose process has ended, to be taken over by the next ones."""

    async def once(
        self, identity: CallIdentity, pay: Pay, occasion: CallContext = _UNSAID, caller: Caller = _ANY_CALLER
    ) -> Answered | Failed:
        """The remembered answer, or a new one."""
        self.identities.append(identity)
        self.occasions.append(occasion)
        if identity.key in self.answers:
            await caller.find()
            return self.answers[identity.key]
        task = self.tasks.get(identity.key)
        if task is not None and not task.done():
            caller.join(_OWNER)
            return await asyncio.shield(task)
        if self.dead_leases:
            self.dead_leases -= 1
            caller.take_over()
        task = self.tasks[identity.key] = asyncio.ensure_future(_writable(pay))
        task.add_done_callback(lambda done: self._remember(identity.key, done))
        return await asyncio.shield(task)

    async def lose(self, identity: CallIdentity) -> None:
        """Forget it: no other run makes this call."""

    def abandon(self, identity: CallIdentity) -> None:
        """Stop paying."""
        self.abandoned.append(identity)
        self.tasks[identity.key].cancel()

    async def settle(self) -> None:
        """Wait for everything that is still being paid."""
        for task in self.tasks.values():
            with suppress(asyncio.CancelledError):
                await task

    def _remember(self, key: str, done: "asyncio.Future[Answered | Failed]") -> None:
        if not done.cancelled() and done.exception() is None:
            self.answers[key] = done.result()


async def _writable(pay: Pay) -> Answered | Failed:
    """Return what ``pay`` returns, if the journal could write it."""
    reply = await pay()
    written(reply)
    return reply
