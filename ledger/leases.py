"""Leases in the journal: the owner of a call's payment, and the detection of a dead one.

A lease is a row without an answer. Its owner is unique to one attempt and beats by the database's clock while it
lives. A clock alone does not decide that an owner is dead: clocks jump, machines sleep, and an owner that waits
for a locked database cannot beat. So a waiter takes over in three steps:

1. *suspect*: the beat is older than the lease by the database's clock, or did not move for as long while watched;
2. *knock*: the waiter writes to the row, changing nothing; when that works, a living owner can write too;
3. *dead*: the beat still did not move for ``confirm`` seconds by the waiter's own monotonic clock.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from sqlalchemy import Connection, Delete, Update, select, update

from ledger.call_rows import CallRow
from ledger.group_commits import GroupCommits
from ledger.identity import CallIdentity
from ledger.prepared_inserts import JointStatement, PreparedInsert, prepared_replacement
from ledger.store import Store, Values
from ledger.tables import CALLS, CONSENSUS_ITERATIONS, JOURNAL, REQUESTS
from protocols.model_call import FrozenModel

LOST = "lost"
"""The owner of a call that was paid for in vain, while no attempt pays; what it took is in the ledger's line."""


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


class _Entry(NamedTuple):
    """The beginning of a payment, a row without an answer; or its end, with an answer and the ledger's rows."""

    row: Values
    lines: Sequence[CallRow] | None = None


class Leases:
    """The journal's rows. Every method is one statement or one transaction; all raise ``StoreError``.

    Claims and settlements are on the path of every call and are committed in groups.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._is_joint = store.dialect == "postgresql"
        self._group: GroupCommits[_Entry] = GroupCommits(store, self._write, is_joint=self._is_joint)
        names, now = ("key", "workflow_id", "call_id", "owner"), {"beat": store.clock}
        first = "(key) DO UPDATE SET answer = excluded.answer, owner = excluded.owner WHERE journal.answer IS NULL"
        self._insert = PreparedInsert(store, JOURNAL, names, "DO NOTHING", now)
        self.keep = PreparedInsert(store, JOURNAL, (*names, "answer"), first, now)
        """Keeps answers where there is none."""
        self._lines = {table.name: prepared_replacement(store, table) for table in (CALLS, CONSENSUS_ITERATIONS)}
        self._lines[REQUESTS.name] = PreparedInsert(store, REQUESTS, REQUESTS.c.keys(), "DO NOTHING")

    async def claim(self, identity: CallIdentity, owner: str) -> LeaseView | None:
        """Take the lease of a call without an owner: ``None`` on success, otherwise the present entry.

        Writes first, because nearly every call is new.
        """
        claim = _Entry(_row(identity, owner))
        while not await self._group.add(identity.key, claim):
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

    async def take_over(self, key: str, owner: str, seen: LeaseView, lines: Sequence[CallRow] = ()) -> bool:
        """Take over the lease ``seen`` and write ``lines``, unless its owner renewed, paid or lost it since."""
        unchanged = (
            JOURNAL.c.key == key,
            JOURNAL.c.owner == seen.owner,
            JOURNAL.c.beat == seen.beat,
            JOURNAL.c.answer.is_(None),
        )
        return await self._changed(update(JOURNAL).where(*unchanged).values(owner=owner, beat=self._store.now), lines)

    async def beat(self, held: dict[str, str]) -> None:
        """Renew the leases of ``held`` (key to owner) in one statement.

        Rows that PostgreSQL is changing are left out: answers on their way could wait for others of these rows. SQLite
        runs it in its thread, so while anything is being paid for, it moves commits into its file once a beat.
        """
        mine = JOURNAL.c.key.in_(tuple(held)) & JOURNAL.c.owner.in_(tuple(held.values()))
        free = select(JOURNAL.c.key).where(mine).with_for_update(skip_locked=True)
        await self._store.change(update(JOURNAL).where(JOURNAL.c.key.in_(free)).values(beat=self._store.now))

    async def release(self, key: str, owner: str, lines: Sequence[CallRow] = (), *, is_paid: bool = False) -> None:
        """Give back a lease without an answer and write ``lines``, if ``owner`` holds it; keep one that ``is_paid``."""
        mine = (JOURNAL.c.key == key, JOURNAL.c.owner == owner, JOURNAL.c.answer.is_(None))
        free = update(JOURNAL).values(owner=LOST) if is_paid else JOURNAL.delete()
        await self._changed(free.where(*mine), lines)

    async def settle(
        self, identity: CallIdentity, owner: str, answer: bytes, lines: Sequence[CallRow]
    ) -> LeaseView | None:
        """Keep the answer and its lines in one transaction, unless there is an answer: the first one stays.

        A line replaces one that records the call as lost: that one was written by a deliberation which had given up
        waiting, and the payment is a fact. Nothing is written twice, because only the first answer gets here.

        Returns:
            ``None`` when this answer was kept, otherwise the row that was there before.
        """
        settlement = _Entry(_row(identity, owner) | {"answer": answer}, lines)
        is_first = await self._group.add(identity.key, settlement)
        return None if is_first else await self.look(identity.key)

    async def replace(self, key: str, owner: str, seen: LeaseView, answer: bytes, lines: Sequence[CallRow]) -> bool:
        """Replace the answer that was ``seen``, and its lines; return whether it was still there."""
        unchanged = (JOURNAL.c.key == key, JOURNAL.c.owner == seen.owner, JOURNAL.c.answer == seen.answer)
        return await self._changed(update(JOURNAL).where(*unchanged).values(answer=answer, owner=owner), lines)

    async def _changed(self, change: Update | Delete, lines: Sequence[CallRow]) -> bool:
        """Run the ``change`` of one row, and write ``lines`` if it was there; return whether it was."""

        def write(connection: Connection) -> bool:
            is_there = connection.execute(change).rowcount == 1
            self._write_lines(connection, lines if is_there else ())
            return is_there

        return await self._store.transaction(write, is_lone=not lines)

    def _write(self, connection: Connection, group: Sequence[_Entry]) -> list[bool]:
        """Write a group, and return for each whether it was the first: its lease is taken, its answer is kept."""
        claims = [one.row for one in group if one.lines is None]
        ends = {one.row["key"]: one for one in group if one.lines is not None}
        if self._is_joint:
            first = self._write_jointly(connection, claims, ends)
        else:
            first = self._insert.run(connection, claims) | self.keep.run(connection, [one.row for one in ends.values()])
            kept = [one for key, one in ends.items() if key in first]
            self._write_lines(connection, [line for one in kept for line in one.lines or ()])
        return [one.row["key"] in first for one in group]

    def _write_jointly(self, connection: Connection, claims: Sequence[Values], ends: Mapping[str, _Entry]) -> set[str]:
        joint = JointStatement()
        parts = [self._insert.join(joint, claims)] if claims else []
        if ends:
            parts.append(self.keep.join(joint, [one.row for one in ends.values()]))
        for name, insert in self._lines.items():
            lines = [
                (line.values, key) for key, one in ends.items() for line in one.lines or () if line.table.name == name
            ]
            if lines:
                rows, keys = zip(*lines, strict=True)
                insert.join(joint, rows, among=(parts[-1], keys))
        return joint.run(connection, parts) if parts else set()

    def _write_lines(self, connection: Connection, lines: Sequence[CallRow]) -> None:
        for name, insert in self._lines.items():
            insert.run(connection, [line.values for line in lines if line.table.name == name])


class LeaseWatch:
    """One waiter's observations of one lease, by its own monotonic clock; the steps are those at the top."""

    def __init__(self, terms: LeaseTerms) -> None:
        self._terms = terms
        self._last: tuple[str, float] | None = None
        self._since = 0.0
        self._has_knocked = False
        self.has_moved = False
        """Whether an owner renewed the lease while it was watched."""

    def judge(self, seen: LeaseView) -> Literal["alive", "suspect", "dead"]:
        """Return the state of the lease ``seen``; ``suspect`` asks for one probing write."""
        if self._last != (seen.owner, seen.beat):
            self.has_moved = self._last is not None and self._last[0] == seen.owner
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
