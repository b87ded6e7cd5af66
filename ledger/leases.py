"""Leases in the journal: the owner of a call's payment, and the detection of a dead one.

A lease is a row without an answer. Its owner is unique to one attempt and beats by the database's clock while it
lives. A clock alone does not decide that an owner is dead: clocks jump, machines sleep, and an owner that waits
for a locked database cannot beat. So a waiter takes over in three steps:

1. *suspect*: the beat is older than the lease by the database's clock, or did not move for as long while watched;
2. *knock*: the waiter writes to the row, changing nothing; when that works, a living owner can write too;
3. *dead*: the beat still did not move for ``confirm`` seconds by the waiter's own monotonic clock.
"""

import asyncio
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from sqlalchemy import Connection, select, update

from ledger.call_rows import CallRow
from ledger.identity import CallIdentity
from ledger.store import Store
from ledger.tables import CALLS, CONSENSUS_ITERATIONS, JOURNAL
from protocols.model_call import FrozenModel


class LeaseTerms(FrozenModel):
    """The intervals and limits of leases, in seconds."""

    lease: float = 5.0
    """A lease whose beat is older than this is suspect."""
    beat: float = 1.0
    """An owner says this often that it lives."""
    confirm: float = 1.5
    """So long a suspect gets to show that it lives; more than one beat."""
    poll_first: float = 0.05
    """A waiter looks again after this, and then less and less often."""
    poll_most: float = 0.5


class LeaseView(NamedTuple):
    """A row of the journal, as a waiter sees it."""

    answer: bytes | None
    owner: str
    beat: float
    age: float
    """Seconds since the last beat, by the database's clock."""


class Leases:
    """The journal's rows. Every method is one statement or one transaction; all raise ``StoreError``."""

    def __init__(self, store: Store) -> None:
        self._store = store
        # Built once: building a statement costs more than running it, and every call needs these two.
        row = store.insert(JOURNAL).values(beat=store.now)
        self._insert = row.on_conflict_do_nothing()
        self._keep = row.on_conflict_do_update(
            index_elements=[JOURNAL.c.key],
            set_={"answer": row.excluded.answer, "owner": row.excluded.owner},
            where=JOURNAL.c.answer.is_(None),
        )
        self._lines = {table.name: store.replacement(table) for table in (CALLS, CONSENSUS_ITERATIONS)}

    async def claim(self, identity: CallIdentity, owner: str) -> LeaseView | None:
        """Take the lease of a call without an owner: ``None`` on success, otherwise the present entry.

        Writes first, because nearly every call is new.
        """
        while await self._store.change(self._insert, _row(identity, owner)) != 1:
            seen = await self.look(identity.key)
            if seen is not None:
                return seen
        return None

    async def look_or_claim(self, identity: CallIdentity, owner: str) -> LeaseView | None:
        """Look for an entry first and claim only without one, because during a payment there is a row."""
        return await self.look(identity.key) or await self.claim(identity, owner)

    async def look(self, key: str) -> LeaseView | None:
        """Return the journal's entry under ``key``."""
        age = (self._store.now - JOURNAL.c.beat).label("age")
        wanted = select(JOURNAL.c.answer, JOURNAL.c.owner, JOURNAL.c.beat, age).where(JOURNAL.c.key == key)
        return next((LeaseView._make(row) for row in await self._store.rows(wanted)), None)

    async def knock(self, key: str) -> None:
        """Write without changing anything: when this returns, the database takes writes."""
        await self._store.change(update(JOURNAL).where(JOURNAL.c.key == key).values(owner=JOURNAL.c.owner))

    async def take_over(self, key: str, owner: str, seen: LeaseView) -> bool:
        """Take over the lease ``seen``, unless its owner renewed, paid or lost it since."""
        unchanged = (
            JOURNAL.c.key == key,
            JOURNAL.c.owner == seen.owner,
            JOURNAL.c.beat == seen.beat,
            JOURNAL.c.answer.is_(None),
        )
        taken = update(JOURNAL).where(*unchanged).values(owner=owner, beat=self._store.now)
        return await self._store.change(taken) == 1

    async def beat(self, held: dict[str, str]) -> None:
        """Renew the leases of ``held`` (key to owner) in one statement."""
        mine = JOURNAL.c.key.in_(tuple(held)) & JOURNAL.c.owner.in_(tuple(held.values()))
        await self._store.change(update(JOURNAL).where(mine).values(beat=self._store.now))

    async def release(self, key: str, owner: str) -> None:
        """Give back a lease that was not paid for, if ``owner`` still holds it."""
        mine = (JOURNAL.c.key == key, JOURNAL.c.owner == owner, JOURNAL.c.answer.is_(None))
        await self._store.change(JOURNAL.delete().where(*mine))

    async def settle(
        self, identity: CallIdentity, owner: str, answer: bytes, lines: Sequence[CallRow]
    ) -> LeaseView | None:
        """Keep the answer and its lines in one transaction, unless there is an answer: the first one stays.

        A line replaces one that records the call as lost: that one was written by a deliberation which had given up
        waiting, and the payment is a fact. Nothing is written twice, because only the first answer gets here.

        Returns:
            ``None`` when this answer was kept, otherwise the row that was there before.
        """
        row = _row(identity, owner) | {"answer": answer}

        def keep(connection: Connection) -> bool:
            is_first = connection.execute(self._keep, row).rowcount == 1
            for line in lines if is_first else ():
                connection.execute(self._lines[line.table.name], line.values)
            return is_first

        return None if await self._store.transaction(keep) else await self.look(identity.key)


class LeaseWatch:
    """One waiter's observations of one lease, by its own monotonic clock; the steps are those at the top."""

    def __init__(self, terms: LeaseTerms) -> None:
        self._terms = terms
        self._last: tuple[str, float] | None = None
        self._since = 0.0
        self._has_knocked = False

    def judge(self, seen: LeaseView) -> Literal["alive", "suspect", "dead"]:
        """Return the state of the lease ``seen``; ``suspect`` asks for one probing write."""
        if self._last != (seen.owner, seen.beat):
            self._last, self._since, self._has_knocked = (seen.owner, seen.beat), _monotonic(), False
        watched = _monotonic() - self._since
        if self._has_knocked:
            return "dead" if watched >= self._terms.confirm else "alive"
        return "suspect" if max(seen.age, watched) > self._terms.lease else "alive"

    def knocked(self) -> None:
        """Record a successful write: from now on the owner has its chance."""
        self._since, self._has_knocked = _monotonic(), True


def _monotonic() -> float:
    return asyncio.get_running_loop().time()


def _row(identity: CallIdentity, owner: str) -> dict[str, Any]:
    return {"key": identity.key, "workflow_id": identity.workflow_id, "call_id": identity.call_id, "owner": owner}
