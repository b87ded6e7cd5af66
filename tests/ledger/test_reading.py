from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import func, select

from activities.ledger import DeliberationRecord, LedgerActivities, LostEntry
from ledger.call_rows import CallContext
from ledger.journal import Journal
from ledger.migrations.upgrade import upgrade
from ledger.reading import LedgerReader
from ledger.store import Store
from ledger.store_errors import StoreAddressError
from ledger.studies.exports import ExportReader
from ledger.studies.reading import StudyReader
from ledger.tables import CALLS
from protocols.model_call import ModelId, Spending
from tests.fakes.payments import Payments, answer, failure, identity

DAY = datetime(2026, 5, 1, tzinfo=UTC)


def record(n: int, *, protocol: str = "council", batch_id: str | None = None) -> DeliberationRecord:
    """The ``n``-th deliberation of a day."""
    return DeliberationRecord(
        id=f"{protocol}-{n}",
        run_id="run",
        protocol=protocol,
        protocol_version="1",
        prompts="1@abc",
        title=f"Question {n}",
        question="Why?",
        verdict="Because.",
        stop_reason="verdict",
        partial=False,
        failure_mode="resilient",
        models=(ModelId("openrouter:x/y"),),
        spent=Spending(calls=1, usd=0.001),
        rehearsal=False,
        batch_id=batch_id,
        started_at=DAY + timedelta(minutes=n),
        ended_at=DAY + timedelta(minutes=n + 1),
        result={"n": n},
        lost=(),
    )


@pytest.fixture
async def url(tmp_path: Path) -> str:
    """A ledger of three deliberations, one call answered and one lost, that no one has open."""
    address = f"sqlite:///{tmp_path / 'books.db'}"
    store = Store(address)
    await upgrade(store)
    await Journal(store).once(identity(workflow_id="council-1"), Payments(quick=True), CallContext(stage="opinion"))
    lost = LostEntry(identity=identity("review-p1", workflow_id="council-1"), stage="review", round=2, reply=failure())
    reader = LedgerActivities(store)
    await reader.record_deliberation(
        record(1).model_copy(update={"lost": (lost,), "degraded": True, "flaws": {"lost": 1}})
    )
    await reader.record_deliberation(record(2, batch_id="b1"))
    await reader.record_deliberation(record(3, protocol="debate"))
    await store.close()
    return address


async def test_deliberations_come_newest_first(url: str) -> None:
    """The list begins with what was started last, and stops at the limit."""
    async with StudyReader(url) as ledger:
        assert [line.deliberation_id for line in await ledger.deliberations(limit=2)] == ["debate-3", "council-2"]


async def test_one_deliberation_is_read_with_its_result(url: str) -> None:
    """A deliberation can be shown from the ledger alone."""
    async with LedgerReader(url) as ledger, StudyReader(url) as reader:
        line, result = await reader.result("council-1"), await ledger.result("council-1")
    assert line is not None
    assert (line.title, line.started_at, line.upstreams, result) == (
        "Question 1",
        DAY + timedelta(minutes=1),
        ("Anthropic",),
        {"n": 1},
    )


async def test_a_deliberation_that_is_not_there_is_nothing(url: str) -> None:
    """An unknown id has no line, no result and no calls."""
    async with LedgerReader(url) as ledger, ExportReader(url) as reader:
        found = (await reader.result("x"), await ledger.result("x"), await reader.calls_of(["x"]))
    assert found == (None, None, {})


async def test_calls_of_a_deliberation_come_by_round(url: str) -> None:
    """Answered and lost calls are in one list, each with what it cost or why it was lost."""
    async with ExportReader(url) as ledger:
        lines = (await ledger.calls_of(["council-1"]))["council-1"]
    assert [tuple(line[name] for name in ("stage", "outcome", "cost_usd", "error_type")) for line in lines] == [
        ("opinion", "answered", 0.001, None),
        ("review", "api_error", None, "provider.bad_request"),
    ]


async def test_absurd_counts_still_add_up(url: str) -> None:
    """Token counts that no database could add are stopped before they get there."""
    store = Store(url)
    for call in ("a", "b"):
        await Journal(store).once(identity(call, workflow_id="absurd"), Payments(answer(tokens=2**70), quick=True))
    mine = CALLS.c.deliberation_id == "absurd"
    ((total,),) = await store.rows(select(func.sum(CALLS.c.completion_tokens)).where(mine))
    await store.close()
    assert total == 2**54


async def test_reading_while_a_worker_writes_is_possible(url: str) -> None:
    """A reader sees what was committed, also while another process has the ledger open."""
    store = Store(url)
    async with StudyReader(url) as ledger:
        await LedgerActivities(store).record_deliberation(record(4))
        assert (await ledger.deliberations(limit=1))[0].deliberation_id == "council-4"
    await store.close()


def test_a_ledger_that_is_not_there_is_named(tmp_path: Path) -> None:
    """A request for a ledger that was never made names the place where it was looked for."""
    with pytest.raises(StoreAddressError, match=r"none\.db"):
        LedgerReader(f"sqlite:///{tmp_path / 'none.db'}")


async def test_the_line_states_what_a_deliberation_measured(url: str) -> None:
    """Beside the outcome are who answered of those that were asked, and where its cost is known from."""
    async with StudyReader(url) as ledger:
        line = await ledger.result("council-1")
    assert line is not None
    assert line.quorum == {"opinion": {"asked": 1, "answered": 1}, "review": {"asked": 1, "answered": 0}}
    assert (line.scores, line.votes, line.cost_source) == ({}, {}, "provider")
    assert (line.degraded, line.flaws) == (True, {"lost": 1})
