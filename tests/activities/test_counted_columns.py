"""The columns of a deliberation in the ledger that are counted when it ends."""

from typing import Any

import pytest
from sqlalchemy import select
from temporalio.testing import ActivityEnvironment

from activities.ledger import LedgerActivities, LostEntry
from ledger.call_rows import CallContext
from ledger.journal import Journal
from ledger.store import Store
from ledger.tables import DELIBERATIONS
from protocols.model_call import Cost, ParticipantId, Usage
from protocols.spending import FREE
from tests.fakes.entered import entered, line_of
from tests.fakes.payments import Payments, answer, failure, identity


async def recorded(store: Store, **changes: Any) -> Any:
    """The line of a council after it was recorded."""
    line = line_of(entered().instances[0], **changes)
    await ActivityEnvironment().run(LedgerActivities(store).record_deliberation, line)
    (row,) = await store.rows(select(DELIBERATIONS))
    return row


async def paid(
    store: Store, seat: str, stage: str = "opinion", *, call: str = "", salt: str = "", **changes: Any
) -> None:
    """An answer of ``seat`` in the ledger."""
    whose = identity(f"{call or stage}-{seat}", workflow_id="toy/q0.council", salt=salt)
    reply = answer().model_copy(update={"participant": ParticipantId(seat), **changes})
    await Journal(store).once(whose, Payments(reply, quick=True), CallContext(stage=stage))


def loss(seat: str, stage: str = "opinion", *, call: str = "") -> LostEntry:
    """A call of ``seat`` that was lost."""
    whose = identity(f"{call or stage}-{seat}", workflow_id="toy/q0.council")
    reply = failure().model_copy(update={"participant": ParticipantId(seat)})
    return LostEntry(identity=whose, stage=stage, reply=reply)


async def test_the_quorum_counts_who_was_asked_and_who_answered(store: Store) -> None:
    """Stage by stage, over all turns."""
    for seat in ("p1", "p2"):
        await paid(store, seat)
    await paid(store, "p1", "review")
    row = await recorded(store, lost=(loss("p3"),))
    assert row.quorum == {"opinion": {"asked": 3, "answered": 2}, "review": {"asked": 1, "answered": 1}}


async def test_a_seat_that_answered_when_asked_again_is_not_lost(store: Store) -> None:
    """Asked again with more room, or with another model behind the seat, it was asked once and answered."""
    await paid(store, "p1", call="opinion-again")
    row = await recorded(store, lost=(loss("p1"),))
    assert row.quorum == {"opinion": {"asked": 1, "answered": 1}}


@pytest.mark.parametrize(
    ("salt", "seats", "served"), [("again", 1, ["new"]), ("", 2, ["old"]), (None, 2, ["new", "old"])]
)
async def test_what_an_id_was_asked_before_does_not_count(
    store: Store, salt: str | None, seats: int, served: list[str]
) -> None:
    """Under an id that is used again the calls of its earlier use are there too, with another salt."""
    for seat in ("p1", "p2"):
        await paid(store, seat, served_model="old")
    await paid(store, "p1", salt="again", served_model="new")
    row = await recorded(store, salt=salt)
    assert (seats, served) == (row.quorum["opinion"]["answered"], row.served_models)


async def test_an_answer_that_came_too_late_was_no_answer(store: Store) -> None:
    """What the deliberation gave up it continued without, though the answer was paid for in the end."""
    await paid(store, "p1")
    row = await recorded(store, lost=(loss("p1"),))
    assert row.quorum == {"opinion": {"asked": 1, "answered": 0}}


async def test_a_line_has_the_flaws_of_its_result_by_kind(sqlite_store: Store) -> None:
    """Whether it is degraded, and what was refused apart from what was lost; being partial is another thing."""
    whole = await recorded(sqlite_store, partial=True)
    assert (whole.degraded, whole.flaws) == (False, {})
    row = await recorded(sqlite_store, degraded=True, flaws={"lost": 1, "refused": 2})
    assert (row.degraded, row.flaws) == (True, {"lost": 1, "refused": 2})


@pytest.mark.parametrize(
    ("costs", "source"),
    [
        ([], "unknown"),
        ([Cost(usd=0.1, source="provider")] * 2, "provider"),
        ([Cost(usd=0.1, source="price_list")], "price_list"),
        ([Cost(usd=0.1, source="price_list"), Cost(usd=0.1, source="provider")], "mixed"),
        ([Cost(), Cost(usd=0.1, source="provider")], "mixed"),
        ([Cost()], "unknown"),
    ],
)
async def test_the_source_of_the_costs_is_reported(sqlite_store: Store, costs: list[Cost], source: str) -> None:
    """One source is named, several are mixed, and an answer of unknown cost is a source of its own."""
    for number, cost in enumerate(costs):
        await paid(sqlite_store, f"p{number}", cost=cost)
    assert (await recorded(sqlite_store, lost=(loss("p9"),))).cost_source == source


async def test_a_lost_call_that_was_paid_for_has_a_source(sqlite_store: Store) -> None:
    """What a lost call wrote was billed, so its cost being unknown is reported."""
    one = loss("p1")
    billed = one.reply.model_copy(update={"usage": Usage(completion_tokens=9)})
    await paid(sqlite_store, "p2")
    row = await recorded(sqlite_store, lost=(one.model_copy(update={"reply": billed}),))
    assert row.cost_source == "mixed"


async def test_a_refused_call_is_no_source_of_costs(sqlite_store: Store) -> None:
    """What was refused before a model saw it costs nothing, so the source is that of the answers."""
    one = loss("p1")
    free = one.reply.model_copy(update={"usage": FREE.usage, "cost": FREE.cost})
    await paid(sqlite_store, "p2", cost=Cost(usd=0.1, source="price_list"))
    row = await recorded(sqlite_store, lost=(one.model_copy(update={"reply": free}),))
    assert row.cost_source == "price_list"
