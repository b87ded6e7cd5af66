"""Claims and settlements that wait together are committed together, and come out as one at a time."""

import asyncio
import itertools
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import asyncpg
import pytest
from sqlalchemy import Connection, select

from ledger import group_commits
from ledger.call_rows import CallContext, CallRow, call_rows, request_rows
from ledger.group_commits import GroupCommits
from ledger.identity import CallIdentity
from ledger.leases import Leases, LeaseView
from ledger.migrations.upgrade import upgrade
from ledger.store import Store, packed
from ledger.store_errors import StoreBusyError, StoreRefusedError
from ledger.tables import CALLS, CONSENSUS_ITERATIONS, JOURNAL, REQUESTS
from tests.fakes.payments import answer, identity
from tests.fakes.postgres import PrivatePostgres
from tests.fakes.upgraded import UpgradedLedgers

WAITING = "SELECT count(*) FROM pg_locks WHERE NOT granted"
BEATS = select(JOURNAL.c.beat).order_by(JOURNAL.c.key)


class Step(NamedTuple):
    """What one caller does with the journal's row of one call."""

    call: int
    owner: int
    is_settlement: bool


def steps(seed: int) -> list[Step]:
    """Forty steps of three owners over six calls, in an order that ``seed`` decides."""
    drawn = random.Random(seed)
    return [Step(drawn.randrange(6), drawn.randrange(3), drawn.random() < 0.5) for _ in range(40)]


async def take(leases: Leases, step: Step) -> bool:
    """Take a step; whether it was the first of its kind for its call."""
    call, owner = identity(f"opinion-p{step.call}"), f"owner {step.owner}"
    if not step.is_settlement:
        return await leases.claim(call, owner) is None
    reply = answer(owner, tokens=step.owner)
    lines = call_rows(call, reply.model_copy(update={"call_id": call.call_id}), CallContext())
    return await leases.settle(call, owner, packed(owner.encode()), lines) is None


async def rows(store: Store) -> list[list[Any]]:
    """The rows that claims and settlements write, without the times."""
    journal = select(JOURNAL.c.key, JOURNAL.c.owner, JOURNAL.c.answer).order_by(JOURNAL.c.key)
    calls = select(CALLS.c.key, CALLS.c.completion_tokens, CALLS.c.outcome).order_by(CALLS.c.key)
    return [[tuple(row) for row in await store.rows(wanted)] for wanted in (journal, calls)]


@pytest.mark.parametrize("seed", range(8))
async def test_a_group_writes_what_one_at_a_time_writes(store: Store, tmp_path: Path, seed: int) -> None:
    """Steps that wait together give the rows, and each caller the answer, of the same steps one after another."""
    other = Store(f"sqlite:///{tmp_path / 'one-at-a-time.db'}")
    await upgrade(other)
    together, alone = Leases(store), Leases(other)
    expected = [await take(alone, step) for step in steps(seed)]

    assert expected == await asyncio.gather(*(take(together, step) for step in steps(seed)))
    assert await rows(other) == await rows(store)
    await other.close()


def groups_of(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The groups that are written from now on, each as its rows."""
    groups: list[Any] = []
    write = Leases._write

    def noted(self: Leases, connection: Connection, group: Any) -> Any:
        groups.append(group)
        return write(self, connection, group)

    monkeypatch.setattr(Leases, "_write", noted)
    return groups


async def claim_later(leases: Leases, number: int, turns: int) -> LeaseView | None:
    """Claim after some turns of the loop."""
    for _ in range(turns):
        await asyncio.sleep(0)
    return await leases.claim(identity(f"opinion-p{number}"), "me")


@pytest.mark.parametrize("apart", [0, 1])
async def test_what_waits_together_is_one_transaction(
    store: Store, monkeypatch: pytest.MonkeyPatch, apart: int
) -> None:
    """Many claims of one turn of the loop cost one commit, and so do claims of turns that follow each other."""
    groups = groups_of(monkeypatch)
    leases = Leases(store)
    claims = [claim_later(leases, number, apart * (number % 4)) for number in range(20)]
    assert [None] * 20 == await asyncio.gather(*claims)
    assert [len(group) for group in groups] == [20]


async def test_a_group_of_brief_rows_needs_no_task(sqlite_store: Store) -> None:
    """A claim and a settlement in a free file are written without any other task of the loop."""
    leases, call = Leases(sqlite_store), identity("opinion-p1")
    assert await leases.claim(call, "me") is None
    steps = (leases.claim(identity("opinion-p2"), "me"), leases.settle(call, "me", packed(b"{}"), ()))
    tasks = [asyncio.create_task(step) for step in steps]
    present = asyncio.all_tasks()
    for _ in range(20):
        await asyncio.sleep(0)
        assert asyncio.all_tasks() <= present
    assert [None, None] == await asyncio.gather(*tasks)


async def test_a_group_is_one_statement_of_postgresql(postgres: PrivatePostgres, upgraded: UpgradedLedgers) -> None:
    """Claims that wait together are one statement, and so are answers with all rows, because each is a journey."""
    url = await upgraded.database(postgres)
    await postgres.log(url.partition("@/")[2].partition("?")[0])
    store = Store(url)
    context = CallContext(protocol="consensus", stage="consensus_check", request=b"asked")

    async def pay(leases: Leases, *call_ids: str) -> None:
        calls = [identity(one) for one in call_ids]
        await asyncio.gather(*(leases.claim(call, "me") for call in calls))
        lines = {call: call_rows(call, answer(), context) for call in calls}
        await asyncio.gather(*(leases.settle(call, "me", packed(b"{}"), lines[call]) for call in calls))

    leases = Leases(store)
    await pay(leases, "opinion-p1")  # asyncpg asks once what the types of the arrays are
    before = len(postgres.logged())
    await pay(leases, "opinion-p2", "opinion-p3", "opinion-p4")

    assert ["WITH part0 AS"] * 2 == [statement[:13] for statement in postgres.logged()[before:]]
    counts = [len(await store.rows(select(table.c.key))) for table in (CALLS, REQUESTS, CONSENSUS_ITERATIONS)]
    assert [4, 1, 4] == counts
    await store.close()


class DistantStore(Store):
    """A store to which every group is on its way until ``arrived`` is set."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.sent = 0
        self.arrived = asyncio.Event()

    def at_once(self, work: Callable[[Connection], Any]) -> None:
        """Write nothing before it has travelled."""

    async def transaction(self, work: Callable[[Connection], Any], *, is_lone: bool = False) -> Any:
        """Write when the group has arrived."""
        self.sent += 1
        await self.arrived.wait()
        return await super().transaction(work, is_lone=is_lone)


@pytest.mark.parametrize(("is_joint", "on_way"), [(True, 4), (False, 1)])
async def test_a_group_does_not_wait_for_those_with_a_long_way(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch, is_joint: bool, on_way: int
) -> None:
    """Up to four single statements are on their way at once, or one transaction; what comes then is one group."""
    monkeypatch.setattr(group_commits, "_LONG_WAY", 0)
    store, written = DistantStore(sqlite_url), list[Sequence[int]]()

    def write(_: Connection, rows: Sequence[int]) -> Sequence[int]:
        written.append(rows)
        return rows

    group: GroupCommits[int] = GroupCommits(store, write, is_joint=is_joint)
    added = []
    for number in range(6):
        added.append(asyncio.create_task(group.add(str(number), number)))
        for _ in range(50):
            await asyncio.sleep(0)
    assert on_way == store.sent

    store.arrived.set()
    assert [*range(6)] == await asyncio.gather(*added)
    assert [[number] for number in range(on_way)] + [[*range(on_way, 6)]] == written
    await store.close()


async def test_what_concerns_one_call_is_written_in_the_order_in_which_it_came(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A row waits while another one of the same key is on its way, and others pass it."""
    monkeypatch.setattr(group_commits, "_LONG_WAY", 0)
    store = DistantStore(sqlite_url)
    group: GroupCommits[int] = GroupCommits(store, lambda _, rows: rows, is_joint=True)
    added = []
    for number, key in enumerate("aab"):
        added.append(asyncio.create_task(group.add(key, number)))
        for _ in range(50):
            await asyncio.sleep(0)
        assert (1, 1, 2)[number] == store.sent

    store.arrived.set()
    assert [0, 1, 2] == await asyncio.gather(*added)
    await store.close()


async def test_an_answer_does_not_wait_for_a_claim_that_waits_in_postgresql(
    postgres: PrivatePostgres, upgraded: UpgradedLedgers
) -> None:
    """A row that another worker locks keeps its own call waiting, and no other call of this worker."""
    url = await upgraded.database(postgres)
    store, other = Store(url), await asyncpg.connect(url)
    leases, (locked, free) = Leases(store), (identity(f"opinion-p{number}") for number in (1, 2))
    transaction = other.transaction()
    await transaction.start()
    await other.execute("INSERT INTO journal VALUES ($1, 'w', 'c', 'another', 0, NULL)", locked.key)
    waiting = asyncio.create_task(leases.claim(locked, "me"))
    while not await other.fetchval(WAITING):  # noqa: ASYNC110 - another process
        await asyncio.sleep(0.01)

    assert await leases.claim(free, "me") is None
    assert await leases.settle(free, "me", packed(b"{}"), ()) is None
    assert not waiting.done()
    await transaction.rollback()
    assert await waiting is None
    await other.close()
    await store.close()


async def test_a_renewal_leaves_out_a_row_that_is_being_changed(
    postgres: PrivatePostgres, upgraded: UpgradedLedgers
) -> None:
    """The leases of a process are renewed though one of them waits for its answer to be written."""
    url = await upgraded.database(postgres)
    store, other = Store(url), await asyncpg.connect(url)
    leases, calls = Leases(store), [identity(f"opinion-p{number}") for number in (1, 2)]
    for call in calls:
        await leases.claim(call, "me")
    before = [row.beat for row in await store.rows(BEATS)]
    async with other.transaction():
        await other.execute("UPDATE journal SET answer = '' WHERE key = $1", min(call.key for call in calls))
        await leases.beat(dict.fromkeys((call.key for call in calls), "me"))
    await other.close()

    after = [row.beat for row in await store.rows(BEATS)]
    assert (after[0], after[1] > before[1]) == (before[0], True)
    await store.close()


async def test_two_writers_of_the_same_requests_do_not_wait_for_each_other(
    postgres: PrivatePostgres, upgraded: UpgradedLedgers
) -> None:
    """Requests are written in the order of their keys, also where the calls that ask them are in another order."""
    url = await upgraded.database(postgres)
    store = Store(url)
    leases, (first, last) = Leases(store), calls_against_the_order_of_their_requests()
    other = await asyncpg.connect(url)
    written = "INSERT INTO requests (key, request) VALUES ($1, $2)"

    async with other.transaction():
        await other.execute(written, last.fingerprint, b"asked")
        context = CallContext(request=b"asked")
        settled = asyncio.gather(
            *(leases.settle(call, "me", packed(b"{}"), call_rows(call, answer(), context)) for call in (first, last))
        )
        while not await other.fetchval(WAITING):  # noqa: ASYNC110 - another process
            await asyncio.sleep(0.01)
        await other.execute(written, first.fingerprint, b"asked")
    await other.close()

    assert [None, None] == await settled
    await store.close()


def calls_against_the_order_of_their_requests() -> tuple[CallIdentity, CallIdentity]:
    """Two calls, in the order of their keys, of which the second asks the first request."""
    calls = (
        tuple(CallIdentity(workflow_id=f"{n}", call_id="c", salt="", fingerprint=asked) for asked in ("f2", "f1"))
        for n in itertools.count()
    )
    return next((one, two) for one, two in calls if one.key < two.key)


async def test_an_answer_that_is_not_kept_leaves_no_rows(store: Store) -> None:
    """Where the call has an answer, neither the rows of another one nor its request are written."""
    leases, call = Leases(store), identity("opinion-p1")
    lines = call_rows(call, answer(tokens=1), CallContext())
    assert await leases.settle(call, "first", packed(b"{}"), lines) is None
    late = call_rows(call, answer(tokens=2), CallContext())
    asked = request_rows(call, CallContext(request=b"asked otherwise"))
    assert await leases.settle(call, "second", packed(b"[]"), [*late, *asked]) is not None
    assert [1] == [row.completion_tokens for row in await store.rows(select(CALLS))]
    assert [] == await store.rows(select(REQUESTS))


async def test_a_row_at_fault_fails_alone(store: Store) -> None:
    """A settlement that the database refuses fails, and those that waited beside it are kept."""
    leases, good, bad = Leases(store), identity("opinion-p1"), identity("opinion-p2")
    (line,) = call_rows(good, answer(), CallContext())
    broken = CallRow(line.table, {**line.values, "key": bad.key, "stage": None})
    kept, refused = await asyncio.gather(
        leases.settle(good, "me", packed(b"{}"), [line]),
        leases.settle(bad, "me", packed(b"{}"), [broken]),
        return_exceptions=True,
    )
    assert (kept, type(refused)) == (None, StoreRefusedError)
    assert [[good.key], [good.key]] == [[row[0] for row in table] for table in await rows(store)]


async def test_a_group_is_there_whole_or_not_at_all(store: Store) -> None:
    """When the database goes away in the middle, no row of the group is there, and every waiter learns it."""

    def write(connection: Connection, keys: Any) -> list[None]:
        connection.execute(JOURNAL.insert(), [_row(key) for key in keys[:2]])
        raise StoreBusyError("it went away")

    group: GroupCommits[str] = GroupCommits(store, write)
    outcomes = await asyncio.gather(*(group.add(key, key) for key in "abc"), return_exceptions=True)
    assert [StoreBusyError] * 3 == [type(outcome) for outcome in outcomes]
    assert [] == await store.rows(select(JOURNAL.c.key))


async def test_a_row_is_written_though_its_waiter_was_cancelled(store: Store) -> None:
    """A caller that gives up takes nothing back, and keeps no one else waiting."""
    leases = Leases(store)
    given_up = asyncio.create_task(leases.claim(identity("opinion-p1"), "me"))
    await asyncio.sleep(0)
    given_up.cancel()
    assert await leases.claim(identity("opinion-p2"), "me") is None
    assert await leases.look(identity("opinion-p1").key) is not None


def _row(key: str) -> dict[str, Any]:
    return {"key": key, "workflow_id": "w", "call_id": "c", "owner": "me", "beat": 0.0}
