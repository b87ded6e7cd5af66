"""A deliberation that continues in another run: its chapters, and the calls a consensus lost, in the ledger."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, text, update
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from activities.ledger import ChapterRecord, LedgerActivities, LostEntry, RecallRequest
from ledger.migrations.upgrade import upgrade
from ledger.store import Store
from ledger.tables import CALLS, CONSENSUS_ITERATIONS, TURNS
from protocols.transcript import Transcript, Turn
from tests.fakes.consensus_runs import ACCEPTED, MODELS, call_of, lost, occasion, said, settled
from tests.fakes.ledger import FakeLedger

KEY = "chapters-of-why"
CHECK = call_of("refiner", "consensus_check", 2)
LOST = LostEntry(identity=CHECK, stage="consensus_check", round=2, reply=lost("refiner"))


def turn(number: int, **changes: Any) -> Turn:
    """The turn of that number, one round in which only the generator speaks."""
    whole = {
        "participant": "generator",
        "model": MODELS["generator"],
        "round": number + 1,
        "stage": "generator",
        "text": f"Draft {number}.",
    }
    return Turn.model_validate(whole | changes)


def chapter(first: int = 0, turns: tuple[Turn, ...] | None = None, **changes: Any) -> ChapterRecord:
    """A chapter of two turns that lost nothing."""
    whole = {
        "deliberation_id": "consensus-why",
        "run_id": "run-1",
        "protocol": "consensus",
        "chapter_key": KEY,
        "first": first,
        "turns": (turn(first), turn(first + 1)) if turns is None else turns,
    }
    return ChapterRecord.model_validate(whole | changes)


async def written(ledger: LedgerActivities | FakeLedger, *entries: ChapterRecord) -> None:
    """Run the activity once per entry."""
    for entry in entries:
        await ActivityEnvironment().run(ledger.record_chapter, entry)


async def recalled(ledger: LedgerActivities | FakeLedger, key: str = KEY, count: int = 99) -> Transcript:
    """Run the activity that recalls."""
    return await ActivityEnvironment().run(ledger.recall_turns, RecallRequest(chapter_key=key, count=count))


@pytest.fixture(params=["sqlite", "postgresql", "fake"])
async def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[LedgerActivities | FakeLedger]:
    """The ledger's activities on both databases, and the fake that is in for them."""
    if request.param == "fake":
        yield FakeLedger()
        return
    url = f"sqlite:///{tmp_path / 'books.db'}"
    if request.param == "postgresql":
        url = await request.getfixturevalue("postgres").database()
    store = Store(url)
    await upgrade(store)
    yield LedgerActivities(store)
    await store.close()


async def test_what_was_said_is_recalled_in_order(ledger: LedgerActivities | FakeLedger) -> None:
    """Chapters come back as one transcript, in the order of their turns and not of their writing."""
    await written(ledger, chapter(2), chapter(0))
    assert Transcript(turns=tuple(turn(number) for number in range(4))) == await recalled(ledger)


async def test_a_chapter_that_is_written_twice_is_there_once(ledger: LedgerActivities | FakeLedger) -> None:
    """An attempt that is repeated after its write changes nothing."""
    await written(ledger, chapter(0), chapter(2), chapter(0))
    assert [f"Draft {number}." for number in range(4)] == [told.text for told in (await recalled(ledger)).turns]


async def test_a_chapter_that_is_reported_again_replaces_itself(ledger: LedgerActivities | FakeLedger) -> None:
    """A run that was rewound and said something else has the last word on its turns."""
    await written(ledger, chapter(), chapter(0, (turn(0, text="Another."), turn(1))))
    assert ["Another.", "Draft 1."] == [told.text for told in (await recalled(ledger)).turns]


async def test_only_so_many_turns_are_recalled(ledger: LedgerActivities | FakeLedger) -> None:
    """What a run said that was reset later, beyond the turns that are asked for, is not mixed in."""
    await written(ledger, chapter(0), chapter(2))
    assert ["Draft 0.", "Draft 1.", "Draft 2."] == [told.text for told in (await recalled(ledger, count=3)).turns]


async def test_chapters_of_another_key_are_not_mixed_in(ledger: LedgerActivities | FakeLedger) -> None:
    """Only the turns under the key are recalled; under an unknown key there are none."""
    await written(ledger, chapter(), chapter(chapter_key="other"))
    assert 2 == len((await recalled(ledger)).turns)
    assert Transcript() == await recalled(ledger, "unknown")


async def test_a_chapter_without_a_turn_can_be_written(ledger: LedgerActivities | FakeLedger) -> None:
    """A run in which no one said anything continues all the same."""
    await written(ledger, chapter(0, ()))
    assert Transcript() == await recalled(ledger)


@pytest.mark.parametrize("said_so", ["", "a\x00b", "🜚 «naïve»", "words " * 200_000], ids=["empty", "nul", "uni", "big"])
async def test_any_text_comes_back_as_it_went(store: Store, said_so: str) -> None:
    """NUL, every script and a million characters survive; the label does too."""
    told = turn(0, text=said_so, label="Response A")
    await written(LedgerActivities(store), chapter(0, (told,)))
    assert (told,) == (await recalled(LedgerActivities(store))).turns


async def test_a_chapter_names_its_deliberation(store: Store) -> None:
    """The rows of ``turns`` can be found by the deliberation too."""
    await written(LedgerActivities(store), chapter())
    rows = await store.rows(select(TURNS.c.deliberation_id, TURNS.c.number).order_by(TURNS.c.number))
    assert [("consensus-why", 0), ("consensus-why", 1)] == [tuple(row) for row in rows]


async def test_calls_lost_in_a_chapter_have_both_lines(store: Store) -> None:
    """A call of a consensus that no one answered is a line in ``calls`` and a row of flag 0 and no opinion."""
    await written(LedgerActivities(store), chapter(lost=(LOST,)), chapter(lost=(LOST,)))
    (call,) = await store.rows(select(CALLS))
    (row,) = await store.rows(select(CONSENSUS_ITERATIONS))
    assert ("api_error", 2) == (call.outcome, call.round)
    assert ("consensus_check_refiner", "api_error", 0, None, None, "run-1", 3) == (
        row.stage_name,
        row.outcome,
        row.flag,
        row.opinion,
        row.tokens_used,
        row.run_id,
        row.attempt,
    )


async def test_a_call_lost_by_another_protocol_has_one_line(store: Store) -> None:
    """Only a consensus writes ``consensus_iterations``."""
    await written(LedgerActivities(store), chapter(protocol="council", lost=(LOST,)))
    assert (1, 0) == (
        len(await store.rows(select(CALLS))),
        len(await store.rows(select(CONSENSUS_ITERATIONS))),
    )


async def test_a_loss_does_not_overwrite_a_vote(store: Store) -> None:
    """A check that was answered after the consensus had given it up keeps its vote."""
    await settled(store, CHECK, said("refiner", ACCEPTED), occasion("consensus_check", 2))
    await written(LedgerActivities(store), chapter(lost=(LOST,)))
    assert [("answered", 1)] == [(row.outcome, row.flag) for row in await store.rows(select(CONSENSUS_ITERATIONS))]


async def test_a_vote_that_comes_late_replaces_the_loss(store: Store) -> None:
    """One row, the paid one; the moment at which the call was first written down stays."""
    await written(LedgerActivities(store), chapter(lost=(LOST,)))
    (before,) = await store.rows(select(CONSENSUS_ITERATIONS))
    await settled(store, CHECK, said("refiner", ACCEPTED), occasion("consensus_check", 2, run_id="run-2"))
    (row,) = await store.rows(select(CONSENSUS_ITERATIONS))
    told = (row.outcome, row.flag, row.opinion, row.tokens_used, row.run_id)
    assert ("answered", 1, "NO", 17, "run-2") == told
    assert before.datetime == row.datetime


async def test_a_ledger_that_refuses_is_a_final_error_without_values(sqlite_store: Store) -> None:
    """What the database refuses for good is not tried again, writing or reading, and no message quotes its content."""
    await sqlite_store.change(text("drop table turns"))
    for attempt in (
        written(LedgerActivities(sqlite_store), chapter(0, (turn(0, text="canary"),))),
        recalled(LedgerActivities(sqlite_store)),
    ):
        with pytest.raises(ApplicationError) as refused:
            await attempt
        assert ("store.refused", True) == (refused.value.type, refused.value.non_retryable)
        assert "canary" not in repr(refused.value)


async def test_a_damaged_text_is_a_final_error(store: Store) -> None:
    """A stored text that cannot be read names the remedy, and is not tried for ever."""
    await written(LedgerActivities(store), chapter())
    await store.change(update(TURNS).values(text=b"damaged"))
    with pytest.raises(ApplicationError, match="restore the database") as refused:
        await recalled(LedgerActivities(store))
    assert refused.value.non_retryable


async def test_a_ledger_that_is_away_is_tried_again(tmp_path: Path) -> None:
    """A database that cannot be reached is a retryable error of type ``store.busy``, writing or reading."""
    away = Store(f"postgresql://nobody@/books?host={tmp_path}")
    for attempt in (written(LedgerActivities(away), chapter()), recalled(LedgerActivities(away))):
        with pytest.raises(ApplicationError) as busy:
            await attempt
        assert ("store.busy", False) == (busy.value.type, busy.value.non_retryable)
    await away.close()


async def test_a_chapter_travels_through_temporal_unchanged() -> None:
    """What the workflow sends is what the activity gets."""
    entry = chapter(lost=(LOST,))
    payloads = await pydantic_data_converter.encode([entry])
    assert [entry] == await pydantic_data_converter.decode(payloads, [ChapterRecord])


async def test_what_is_to_be_known_of_a_turn_is_recalled_too(ledger: LedgerActivities) -> None:
    """That a reply was cut, or gave way to another, is the same in the next run."""
    asked_again = turn(0, note="could not be used; asked again: Write the text.", counts=False)
    await written(ledger, chapter(turns=(asked_again, turn(1, note="cut off by its length"))))
    assert (await recalled(ledger)).turns == (asked_again, turn(1, note="cut off by its length"))
