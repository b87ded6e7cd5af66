"""Group commits: everything that waits to be written becomes durable in one transaction.

A commit costs more than the rows in it. So the rows that come in one turn of the event loop, and those that come while
a group is being committed, are one group. Each waiter continues only after the commit of its own row. A group that the
database refuses is written again row by row, so that the row at fault fails alone.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from sqlalchemy import Connection

from ledger.store import Store
from ledger.store_errors import StoreBusyError

Row = TypeVar("Row")


@dataclass
class _Waiting(Generic[Row]):
    """A row that is to be written, and its waiter."""

    key: str
    row: Row
    is_lone: bool
    is_brief: bool
    done: "asyncio.Future[Any]" = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class GroupCommits(Generic[Row]):
    """The rows that wait to be written. ``write`` writes some of different keys, and returns a result for each."""

    def __init__(self, store: Store, write: Callable[[Connection, Sequence[Row]], Sequence[Any]]) -> None:
        self._store = store
        self._write = write
        self._waiting: list[_Waiting[Row]] = []
        self._writer: asyncio.Task[None] | None = None

    async def add(self, key: str, row: Row, *, is_lone: bool = False, is_brief: bool = False) -> Any:
        """Write ``row`` with others and return its result after the commit.

        It is written even when the caller is cancelled meanwhile. ``is_lone`` says that it is a single statement, which
        needs no transaction where nothing else waits, ``is_brief`` that the event loop may wait for it.

        Raises:
            StoreError: it is not written.
        """
        entry = _Waiting(key, row, is_lone, is_brief)
        self._waiting.append(entry)
        if self._writer is None or self._writer.done():
            self._writer = asyncio.create_task(self._write_all(), name="group-commits")
        return await entry.done

    async def _write_all(self) -> None:
        while self._waiting:
            # In the order of their keys, so that two processes never wait for each other's rows.
            group = {entry.key: entry for entry in reversed(self._waiting)}
            self._waiting = [entry for entry in self._waiting if entry is not group[entry.key]]
            await self._commit([group[key] for key in sorted(group)])

    async def _commit(self, group: Sequence[_Waiting[Row]]) -> None:
        rows = [entry.row for entry in group]
        written = self._store.transaction(
            lambda connection: self._write(connection, rows),
            is_lone=len(group) == 1 and group[0].is_lone,
            is_brief=all(entry.is_brief for entry in group),
        )
        outcome: Sequence[Any] | BaseException = (await asyncio.gather(written, return_exceptions=True))[0]
        if not isinstance(outcome, BaseException):
            for entry, result in zip(group, outcome, strict=True):
                if not entry.done.done():
                    entry.done.set_result(result)
        elif len(group) > 1 and not isinstance(outcome, StoreBusyError):
            for entry in group:
                await self._commit([entry])
        else:
            for entry in group:
                if not entry.done.done():
                    entry.done.set_exception(outcome)
