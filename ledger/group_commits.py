"""Group commits: everything that waits to be written becomes durable in one transaction.

A commit costs more than the rows in it. So the rows that come within a few turns of the event loop, and those that
come while a group is being committed, are one group. Each waiter continues only after the commit of its own row. A
group that the database refuses is written again row by row, so that the row at fault fails alone. A task is made only
for what the event loop cannot write itself.

Where a group is one statement, the next one does not wait for a group with a long way to the database: rows that came a
few milliseconds later would take as long again. No row is on its way beside another one of the same key.
"""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Generic, NamedTuple, TypeVar

from sqlalchemy import Connection

from ledger.store import Store
from ledger.store_errors import StoreBusyError

Row = TypeVar("Row")

_TURNS = 5
"""Turns of the event loop in which a group gathers: an idle loop takes no time for them, a busy one brings rows."""
_LONG_WAY = 0.005
"""Seconds that the next group waits for each group on its way, at most; a commit nearby takes less."""
_MOST_ON_WAY = 4  # each on a connection of its own


class _Waiting(NamedTuple):
    """A row that is to be written, and its waiter."""

    key: str
    row: Any
    done: "asyncio.Future[Any]"


class GroupCommits(Generic[Row]):
    """The rows that wait to be written. ``write`` writes some of different keys, and returns a result for each.

    ``is_joint`` says that it is a single statement. Without that the event loop must be able to wait for it.
    """

    def __init__(
        self, store: Store, write: Callable[[Connection, Sequence[Row]], Sequence[Any]], *, is_joint: bool = False
    ) -> None:
        self._store = store
        self._write = write
        self._is_joint = is_joint
        self._waiting: list[_Waiting] = []
        self._is_due = False
        self._writer: asyncio.Task[None] | None = None
        self._on_way: dict[asyncio.Task[None], Sequence[_Waiting]] = {}

    async def add(self, key: str, row: Row) -> Any:
        """Write ``row`` with others and return its result after the commit.

        It is written even when the caller is cancelled meanwhile.

        Raises:
            StoreError: it is not written.
        """
        entry = _Waiting(key, row, asyncio.get_running_loop().create_future())
        self._waiting.append(entry)
        self._write_soon()
        return await entry.done

    def _write_soon(self) -> None:
        if self._waiting and not self._is_due:
            self._is_due = True
            asyncio.get_running_loop().call_soon(self._write_after, _TURNS)

    def _write_after(self, turns: int) -> None:
        if turns:
            asyncio.get_running_loop().call_soon(self._write_after, turns - 1)
            return
        while group := self._next_group():
            results = None
            with suppress(Exception):  # nothing was written then, and the task finds out whose fault it is
                results = self._store.at_once(self._work(group))
            if results is None:
                self._writer = asyncio.create_task(self._send(group), name="group-commits")
                return
            _answer(group, results)
        self._is_due = False

    async def _send(self, group: Sequence[_Waiting]) -> None:
        """Commit ``group``, and write the next one when it may follow."""
        sent = asyncio.create_task(self._commit(group), name="group-commit")
        self._on_way[sent] = group
        sent.add_done_callback(self._end)
        may_follow = self._is_joint and len(self._on_way) < _MOST_ON_WAY
        await asyncio.wait({sent}, timeout=_LONG_WAY * len(self._on_way) if may_follow else None)
        self._write_after(0)

    def _end(self, sent: asyncio.Task[None]) -> None:
        del self._on_way[sent]
        self._write_soon()  # what has waited for a row of the same key

    def _next_group(self) -> Sequence[_Waiting]:
        # In the order of their keys, so that two processes never wait for each other's rows.
        on_way = {entry.key for group in self._on_way.values() for entry in group}
        first = {entry.key: entry for entry in reversed(self._waiting) if entry.key not in on_way}
        self._waiting = [entry for entry in self._waiting if entry is not first.get(entry.key)]
        return [first[key] for key in sorted(first)]

    async def _commit(self, group: Sequence[_Waiting]) -> None:
        written = self._store.transaction(self._work(group), is_lone=self._is_joint)
        outcome: Sequence[Any] | BaseException = (await asyncio.gather(written, return_exceptions=True))[0]
        if isinstance(outcome, BaseException) and len(group) > 1 and not isinstance(outcome, StoreBusyError):
            for entry in group:
                await self._commit([entry])
        else:
            _answer(group, outcome)

    def _work(self, group: Sequence[_Waiting]) -> Callable[[Connection], Sequence[Any]]:
        rows = [entry.row for entry in group]
        return lambda connection: self._write(connection, rows)


def _answer(group: Sequence[_Waiting], outcome: Sequence[Any] | BaseException) -> None:
    for number, entry in enumerate(group):
        if entry.done.done():
            continue
        if isinstance(outcome, BaseException):
            entry.done.set_exception(outcome)
        else:
            entry.done.set_result(outcome[number])
