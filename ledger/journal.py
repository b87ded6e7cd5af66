"""The journal: a paid answer is never lost and never paid twice.

Temporal promises that an activity runs at least once; a model's answer must be bought at most once. This file closes
the gap. An attempt that wants to pay takes the lease of the call. A later attempt, in this process or in
another one, finds the answer and returns it, finds a living lease and waits, or takes over a dead one.

What pays is a *job*, a task of this process and not of the attempt: when Temporal gives up on an attempt (a partition,
a missed heartbeat) the job continues, keeps the answer, and the next attempt joins it or finds its answer. A job that
has not started to pay and has no waiting attempt stops. When a user cancels, ``abandon`` stops the payment too.

An answer that was paid for waits for the store as long as the process lives: a locked, full or absent database delays
it, with a warning, and never loses it. Only a killed process can make a call be paid twice, and a process that was
frozen for longer than the lease: then the first stored answer is the answer of all, and has the cost of both.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from itertools import accumulate, repeat
from typing import TypeVar

import structlog
from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

from ledger.call_rows import CallContext, CallRow, call_rows, request_rows
from ledger.identity import CallIdentity
from ledger.leases import LOST, Leases, LeaseTerms, LeaseView, LeaseWatch
from ledger.payments import Caller, Pay, Payment
from ledger.shared_answers import SharedAnswers
from ledger.store import Store, packed, unpacked
from ledger.store_errors import StoreBusyError, StoreError, StoreFullError, StoreRefusedError
from protocols.model_call import Answered, Failed, Reply
from protocols.spending import FREE, Reported

__all__ = ["CallIdentity", "Journal", "Pay", "UnwritableReplyError", "written"]

type_of_reply: TypeAdapter[Answered | Failed] = TypeAdapter(Reply)

T = TypeVar("T")

_log = structlog.get_logger(__name__)

LARGEST_REPLY = 24_000_000
"""Bytes of a reply as JSON: text, reasoning and reading together. Temporal has to take it too."""
_LONGEST_PAUSE = 5.0
_NOTHING = (Reported(), FREE)
_UNSAID = CallContext()
_ANY_CALLER = Caller()


class UnwritableReplyError(StoreRefusedError):
    """A reply cannot be stored by the journal or by Temporal; ``reply`` has what was paid for."""

    def __init__(self, reply: Answered | Failed, said: str) -> None:
        super().__init__(f"the reply to {reply.call_id!r} {said}")
        self.reply = reply


class Journal:
    """The journal as one process uses it. Close the store only after ``drain``."""

    def __init__(self, store: Store, terms: LeaseTerms | None = None) -> None:
        self._leases = Leases(store)
        self._sharing = SharedAnswers(store, self._leases.keep)
        self._terms = terms or LeaseTerms()
        self._jobs: dict[str, Payment] = {}
        self._paying: set[Payment] = set()
        self._pulse: asyncio.Task[None] | None = None

    async def once(
        self, identity: CallIdentity, pay: Pay, occasion: CallContext = _UNSAID, caller: Caller = _ANY_CALLER
    ) -> Answered | Failed:
        """Return the answer to this call: found, awaited, or paid for now.

        ``pay`` runs at most once over all callers that are alive. ``occasion`` goes into the ledger's lines. ``caller``
        learns of a payment that is found alive, here or in another process, and of a stored answer before it is read.

        Raises:
            CancelledError: the caller was cancelled (at once; the payment lives on), or the call was abandoned.
            Exception: any error of ``pay`` or of ``caller``; the lease was given back before.
            StoreRefusedError: the database can never hold this, or holds an answer that cannot be read.
        """
        job = self._jobs.get(identity.key)
        if job is None:
            job = self._jobs[identity.key] = Payment(identity, pay, occasion, caller)
            job.start(self._settled(job), self._forget)
        job.caller = caller  # the newest one: earlier ones were given up
        if job in self._paying:
            caller.join(job.owner)
            caller.take_over(job.before)
        return await job.wait()

    async def shared(
        self, identity: CallIdentity, source: CallIdentity, caller: Caller = _ANY_CALLER
    ) -> Answered | Failed | None:
        """Return the reply to ``source``, the same call of another deliberation; ``None`` if unknown.

        Nothing is ever paid here. A store that is busy is waited for, and ``caller`` learns why.

        Raises:
            StoreRefusedError: the answer cannot be read.
        """
        pauses = _growing(self._terms.poll_first, _LONGEST_PAUSE)
        while True:
            try:
                found = await self._sharing.answer(identity, source)
                return _read(found, source) if found is not None else await self._sharing.loss(source)
            except (StoreBusyError, StoreFullError) as error:
                _log.warning("shared_call_waits_for_store", reason=str(error), call_id=source.call_id)
                caller.wait(str(error))
            await asyncio.sleep(next(pauses))

    def abandon(self, identity: CallIdentity) -> None:
        """Stop this process's payment of a cancelled call. A paid answer is kept."""
        job = self._jobs.pop(identity.key, None)
        if job is not None:
            job.stop()

    async def drain(self, timeout: float) -> int:  # noqa: ASYNC109 - a bound on the wait, not a cancellation
        """Wait up to ``timeout`` seconds for the payments that are running; how many were left."""
        running = [job.task for job in self._paying if job.task is not None]
        if not running:
            return 0
        _, left = await asyncio.wait(running, timeout=timeout)
        if left:
            _log.warning("payments_left_behind", count=len(left))
        return len(left)

    async def _settled(self, job: Payment) -> Answered | Failed:
        found = await self._lease_or_answer(job)
        if found is not None:
            _log.info("answer_found_in_journal", **job.names)
            await job.caller.find()
            return _read(found, job.identity)
        if not job.is_wanted:
            # Forgotten before anything else happens: a later attempt gets a job of its own.
            self._forget(job)
            await self._lose(job, None)
            raise asyncio.CancelledError
        self._paying.add(job)
        self._beat_while_paying()
        try:
            return await self._pay(job)
        finally:
            self._paying.discard(job)

    async def _lease_or_answer(self, job: Payment) -> bytes | None:
        """Wait until there is an answer (returned) or the lease is ours (``None``)."""
        watch, pauses = LeaseWatch(self._terms), _growing(self._terms.poll_first, self._terms.poll_most)
        look = self._leases.claim
        while job.is_wanted:
            try:
                seen = await look(job.identity, job.owner)
                job.caller.wait("")
                if seen is not None and seen.answer is not None:
                    return seen.answer
                if seen is None or await self._took_over(job, seen, watch):
                    return None
                look = self._leases.look_or_claim
            except (StoreBusyError, StoreFullError) as error:
                _log.warning("call_waits_for_store", reason=str(error), **job.names)
                job.caller.wait(str(error))
            await asyncio.sleep(next(pauses))
        self._forget(job)
        raise asyncio.CancelledError

    async def _took_over(self, job: Payment, seen: LeaseView, watch: LeaseWatch) -> bool:
        # A claim whose confirmation was lost on the way is ours all the same.
        match "free" if seen.owner in {job.owner, LOST} else watch.judge(seen):
            case "alive":
                if watch.has_moved:
                    job.caller.join(seen.owner)
                return False
            case "suspect":
                await self._leases.knock(job.key)
                watch.knocked()
                return False
            case "free" | "dead" as state:
                return await self._inherited(job, seen, job.payer.lost(None) if state == "dead" else None)

    async def _inherited(self, job: Payment, seen: LeaseView, loss: Failed | None) -> bool:
        """Take over ``seen`` and the sum of earlier payments, with the ``loss`` of one that died with its process."""
        earlier = await self._sharing.loss(job.identity)
        before = (Reported.of(earlier) if earlier else job.before).plus(Reported.of(loss))
        if not await self._leases.take_over(job.key, job.owner, seen, _loss_rows(job, loss, before)):
            return False
        if seen.owner not in {job.owner, LOST}:
            _log.warning("dead_lease_taken_over", age=round(seen.age, 1), **job.names)
        job.before = before
        job.caller.take_over(before)
        return True

    async def _pay(self, job: Payment) -> Answered | Failed:
        try:
            own = await job.pay_now()
            answer = written(own)
        except BaseException as error:  # however it ended, the lease must go: it blocks other payers until it expires
            await self._lose(job, job.payer.lost(error))
            raise
        try:
            return await self._stored(job, partial(self._kept, job, own, answer))
        except StoreRefusedError as error:
            # The caller still gets what was paid for; only the next attempt would pay again.
            _log.error("answer_not_stored", reason=str(error), **job.names)
            loss = job.payer.lost(error)
            await self._lose(job, loss and loss.model_copy(update=dict(Reported.of(own))))
            return job.before.before(own)

    async def _kept(self, job: Payment, own: Answered | Failed, answer: bytes) -> Answered | Failed:
        """Store this payment's ``own`` reply with the sum of earlier ones, or add it to one that is there."""
        reply = job.before.before(own)
        answer, rows = answer if reply is own else written(reply), call_rows(job.identity, reply, job.occasion)
        while (before := await self._leases.settle(job.identity, job.owner, answer, rows)) and before.answer:
            first = _read(before.answer, job.identity)
            if before.owner == job.owner:  # what we have stored: its confirmation was lost on the way
                return first
            both = Reported(usage=own.usage, cost=own.cost).before(first)
            left = max(0, first.unanswered_requests - 1)  # ours has an answer after all
            both = both.model_copy(update={"unanswered_requests": left})
            lines = call_rows(job.identity, both, job.occasion)
            if await self._leases.replace(job.key, job.owner, before, written(both), lines):
                _log.warning("call_paid_twice", cost_usd=own.cost.usd, **job.names)
                return both
        return reply

    async def _lose(self, job: Payment, loss: Failed | None) -> None:
        """Give back the lease of a payment without an answer, and write down what it took with those before it."""
        paid = job.before.plus(Reported.of(loss))
        lines = _loss_rows(job, loss, paid) or request_rows(job.identity, job.occasion)  # no answer brings it there
        release = partial(self._leases.release, job.key, job.owner, lines, is_paid=paid not in _NOTHING)
        try:
            await (release() if paid == job.before else self._stored(job, release))
        except StoreError as error:
            _log.warning("lease_left_behind", reason=str(error), **job.names)

    async def _stored(self, job: Payment, keep: Callable[[], Awaitable[T]]) -> T:
        """Store a payment with ``keep``, however long the store takes to be there, and return its result."""
        pauses = _growing(self._terms.poll_first, _LONGEST_PAUSE)
        while True:
            try:
                return await keep()
            except (StoreBusyError, StoreFullError) as error:
                pause = next(pauses)
                _log.warning("answer_waits_for_store", reason=str(error), retry_in=pause, **job.names)
                job.caller.wait(str(error), is_paid=True)
                await asyncio.sleep(pause)

    def _beat_while_paying(self) -> None:
        if self._pulse is None or self._pulse.done():
            self._pulse = asyncio.create_task(self._beats(), name="journal-pulse")

    async def _beats(self) -> None:
        """Renew the leases of all payments of this process once a second; faster calls cost nothing."""
        await asyncio.sleep(self._terms.beat)
        while self._paying:
            try:
                await self._leases.beat({job.key: job.owner for job in self._paying})
            except StoreError as error:
                _log.warning("beat_missed", reason=str(error), payments=len(self._paying))
            await asyncio.sleep(self._terms.beat)

    def _forget(self, job: Payment) -> None:
        if self._jobs.get(job.key) is job:
            del self._jobs[job.key]


def _growing(first: float, most: float) -> Iterator[float]:
    return accumulate(repeat(first), lambda pause, _: min(2 * pause, most))


def _loss_rows(job: Payment, loss: Failed | None, paid: Reported) -> tuple[CallRow, ...]:
    """Return the ledger's lines of a ``loss`` with the sum ``paid`` for its call, if there is one."""
    if loss is None or paid in _NOTHING:
        return ()
    return call_rows(job.identity, loss.model_copy(update=dict(paid)), job.occasion)


def written(reply: Answered | Failed) -> bytes:
    """Return ``reply`` as the journal keeps it.

    Raises:
        UnwritableReplyError: it cannot be written as JSON, or is longer than ``LARGEST_REPLY``.
    """
    try:
        text = type_of_reply.dump_json(reply)
    except (PydanticSerializationError, ValueError, RecursionError) as error:
        raise UnwritableReplyError(reply, "cannot be written as JSON: is its text valid Unicode?") from error
    if len(text) > LARGEST_REPLY:
        raise UnwritableReplyError(reply, f"is {len(text)} bytes as JSON; {LARGEST_REPLY} is the most")
    return packed(text)


def _read(answer: bytes, identity: CallIdentity) -> Answered | Failed:
    try:
        return type_of_reply.validate_json(unpacked(answer))
    except ValidationError as error:
        raise StoreRefusedError(
            f"the journal's answer to {identity.call_id!r} was written by another version and cannot be read"
        ) from error
