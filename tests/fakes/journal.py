"""A journal that keeps its answers in memory: the port of ``ledger.journal`` without a store."""

import asyncio
from contextlib import suppress

from ledger.call_rows import CallContext
from ledger.identity import CallIdentity
from ledger.journal import Journal, written
from ledger.payments import Caller, Pay
from protocols.model_call import Answered, Failed
from protocols.spending import Reported

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
        self.losses: list[Failed | None] = []
        """What the payments took that failed."""

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
        task = self.tasks[identity.key] = asyncio.ensure_future(_writable(pay, caller.paid))
        task.add_done_callback(lambda done: self._remember(identity.key, done, caller))
        return await asyncio.shield(task)

    def abandon(self, identity: CallIdentity) -> None:
        """Stop paying."""
        self.abandoned.append(identity)
        self.tasks[identity.key].cancel()

    async def settle(self) -> None:
        """Wait for everything that is still being paid."""
        for task in self.tasks.values():
            with suppress(asyncio.CancelledError):
                await task

    def _remember(self, key: str, done: "asyncio.Future[Answered | Failed]", payer: Caller) -> None:
        if done.cancelled() or (error := done.exception()):
            self.losses.append(payer.lost(asyncio.CancelledError() if done.cancelled() else error))
        else:
            self.answers[key] = done.result()


async def _writable(pay: Pay, before: Reported) -> Answered | Failed:
    """Return what ``pay`` returns with what was paid ``before``, if the journal could write it."""
    reply = before.before(await pay())
    written(reply)
    return reply
