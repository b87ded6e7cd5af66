"""Group commits: everything that waits to be written becomes durable in one transaction.

A commit costs more than the rows in it. So the rows that come within a few turns of the event loop, and those that
come while a group is being committed, are one group. Each waiter continues only after the commit of its own row. A
group that the database refuses is written again row by row, so that the row at fault fails alone. A task is made only
for what the event loop cannot write itself.
"""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from sqlalchemy import Connection

from ledger.store import Store
from ledger.store_errors import StoreBusyError

Row = TypeVar("Row")

_TURNS = 5
"""Turns of the event loop in which a group gathers: an idle loop takes no time for them, a busy one brings rows."""


@dataclass(slots=True)
class _Waiting(Generic[Row]):
    """A row that is to be written, and its waiter."""

    key: str
    row: Row
    is_lone: bool
    is_joint: bool
    is_brief: bool
    done: "asyncio.Future[Any]"


class GroupCommits(Generic[Row]):
    """The rows that wait to be written. ``write`` writes some of different keys, and returns a result for each."""

    def __init__(self, store: Store, write: Callable[[Connection, Sequence[Row]], Sequence[Any]]) -> None:
        self._store = store
        self._write = write
        self._waiting: list[_Waiting[Row]] = []
        self._is_due = False
        self._writer: asyncio.Task[None] | None = None

    async def add(
        self, key: str, row: Row, *, is_lone: bool = False, is_joint: bool = False, is_brief: bool = False
    ) -> Any:
        """Write ``row`` with others and return its result after the commit.

        It is written even when the caller is cancelled meanwhile. ``is_lone`` says that it is a single statement, which
        needs no transaction where nothing else waits, ``is_joint`` that it is one together with other joint rows,
        ``is_brief`` that the event loop may wait for it.

        Raises:
            StoreError: it is not written.
        """
        loop = asyncio.get_running_loop()
        entry = _Waiting(key, row, is_lone, is_joint, is_brief, loop.create_future())
        self._waiting.append(entry)
        if not self._is_due:
            self._is_due = True
            loop.call_soon(self._write_after, _TURNS)
        return await entry.done

    def _write_after(self, turns: int) -> None:
        if turns:
            asyncio.get_running_loop().call_soon(self._write_after, turns - 1)
            return
        while self._waiting:
            group, results = self._next_group(), None
            if all(entry.is_brief for entry in group):
                with suppress(Exception):  # nothing was written then, and the task finds out whose fault it is
                    results = self._store.at_once(self._work(group), is_lone=_is_lone(group))
            if results is None:
                self._writer = asyncio.create_task(self._write_all(group), name="group-commits")
                return
            _answer(group, results)
        self._is_due = False

    async def _write_all(self, group: Sequence[_Waiting[Row]]) -> None:
        try:
            await self._commit(group)
            while self._waiting:
                await self._commit(self._next_group())
        finally:
            self._is_due = False

    def _next_group(self) -> Sequence[_Waiting[Row]]:
        # In the order of their keys, so that two processes never wait for each other's rows.
        group = {entry.key: entry for entry in reversed(self._waiting)}
        self._waiting = [entry for entry in self._waiting if entry is not group[entry.key]]
        return [group[key] for key in sorted(group)]

    async def _commit(self, group: Sequence[_Waiting[Row]]) -> None:
        written = self._store.transaction(self._work(group), is_lone=_is_lone(group))
        outcome: Sequence[Any] | BaseException = (await asyncio.gather(written, return_exceptions=True))[0]
        if isinstance(outcome, BaseException) and len(group) > 1 and not isinstance(outcome, StoreBusyError):
            for entry in group:
                await self._commit([entry])
        else:
            _answer(group, outcome)

    def _work(self, group: Sequence[_Waiting[Row]]) -> Callable[[Connection], Sequence[Any]]:
        rows = [entry.row for entry in group]
        return lambda connection: self._write(connection, rows)


def _is_lone(group: Sequence[_Waiting[Any]]) -> bool:
    return all(entry.is_joint for entry in group) or (len(group) == 1 and group[0].is_lone)


def _answer(group: Sequence[_Waiting[Any]], outcome: Sequence[Any] | BaseException) -> None:
    for number, entry in enumerate(group):
        if entry.done.done():
            continue
        if isinstance(outcome, BaseException):
            entry.done.set_exception(outcome)
        else:
            entry.done.set_result(outcome[number])
