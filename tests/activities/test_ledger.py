import json
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, text
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from activities.call_model import ModelCalls
from activities.ledger import DeliberationRecord, LedgerActivities, LostEntry
from ledger.identity import CallIdentity, identity_of
from ledger.journal import Journal
from ledger.store import Store, unpacked
from ledger.tables import CALLS, DELIBERATIONS
from protocols.model_call import Cost, Message, ModelCall, ModelId, ParticipantId, ReaderRef, Spending
from protocols.spending import Reported
from tests.activities.test_call_model import ENVIRON, LAB, Desk
from tests.fakes.calls import model_call
from tests.fakes.payments import Payments, answer, failure, identity
from tests.fakes.postgres import PrivatePostgres
from tests.fakes.readers import InlineReaders
from tests.fakes.upgraded import UpgradedLedgers
from tests.fakes.wire import answering, spoken

LOST = LostEntry(identity=identity("review-p2"), stage="review", round=2, reply=failure())


def record(**changes: Any) -> DeliberationRecord:
    """A council that ended with a verdict and one lost call."""
    whole: dict[str, Any] = {
        "id": "council-why",
        "run_id": "run-1",
        "protocol": "council",
        "protocol_version": "1",
        "prompts": "1@abc",
        "title": "Why",
        "question": "Why is there anything?",
        "verdict": "Because.",
        "stop_reason": "verdict",
        "partial": True,
        "failure_mode": "resilient",
        "models": (ModelId("openrouter:anthropic/claude-opus-4.6"),),
        "spent": Spending(calls=3, prompt_tokens=30, completion_tokens=21, usd=0.002, calls_of_unknown_cost=1),
        "rehearsal": False,
        "started_at": datetime(2026, 5, 1, 12, tzinfo=timezone(timedelta(hours=2))),
        "ended_at": datetime(2026, 5, 1, 10, 5, tzinfo=UTC),
        "result": {"verdict": "Because.", "stages": [1, 2.5, None]},
        "lost": (LOST,),
    }
    return DeliberationRecord.model_validate(whole | changes)


async def written(store: Store, entry: DeliberationRecord) -> None:
    """Run the activity once."""
    await ActivityEnvironment().run(LedgerActivities(store).record_deliberation, entry)


async def only(store: Store) -> Any:
    """The one deliberation in the ledger."""
    (row,) = await store.rows(select(DELIBERATIONS))
    return row


async def test_a_deliberation_has_one_line_with_what_it_was_and_cost(store: Store) -> None:
    """The line holds the question, the outcome, the times in UTC and what was spent."""
    await written(store, record())
    row = await only(store)
    assert (row.question, row.verdict, row.partial, row.models) == (
        "Why is there anything?",
        "Because.",
        True,
        ["openrouter:anthropic/claude-opus-4.6"],
    )
    assert (row.started_at, row.ended_at) == (
        datetime(2026, 5, 1, 10, tzinfo=UTC),
        datetime(2026, 5, 1, 10, 5, tzinfo=UTC),
    )
    assert (row.calls, row.cost_usd, row.calls_of_unknown_cost) == (3, 0.002, 1)


async def test_the_line_has_the_seats_and_the_version(store: Store) -> None:
    """Seats with their settings, the parameters of all calls, and the code that wrote the line."""
    seats = ({"seat": "p1", "name": "sceptic", "model": "lab:one", "settings": {"seed": 4}},)
    entry = record(seats=seats, sampling={"temperature": 0.2})
    await ActivityEnvironment().run(LedgerActivities(store, "0.1.0-gabc").record_deliberation, entry)
    row = await only(store)
    assert (row.version, tuple(row.seats), row.sampling) == ("0.1.0-gabc", seats, {"temperature": 0.2})


async def test_the_result_is_kept_whole(store: Store) -> None:
    """The protocol's own result comes back as it went."""
    await written(store, record())
    assert json.loads(unpacked((await only(store)).result)) == {"verdict": "Because.", "stages": [1, 2.5, None]}


async def test_writing_twice_leaves_the_same_rows(store: Store) -> None:
    """The activity is idempotent: an attempt that is repeated after its write changes nothing."""
    await written(store, record())
    before = [await store.rows(select(table)) for table in (DELIBERATIONS, CALLS)]
    await written(store, record())
    after = [await store.rows(select(table)) for table in (DELIBERATIONS, CALLS)]
    told = [[row[:-1] for row in rows] for rows in before]  # all but the moment it was recorded
    assert told == [[row[:-1] for row in rows] for rows in after]


async def test_a_deliberation_that_was_rewound_replaces_its_line(store: Store) -> None:
    """One workflow id has one line: the last run's."""
    await written(store, record())
    await written(store, record(run_id="run-2", verdict=None))
    row = await only(store)
    assert (row.run_id, row.verdict) == ("run-2", None)


async def test_a_line_that_replaces_another_has_nothing_of_it(store: Store) -> None:
    """Every column is that of the later record, those without a value too, as if it had been the only one."""
    bare = record(verdict=None, batch_id=None, scores={}, votes={})
    await written(store, bare)
    expected = dict((await only(store))._mapping)
    await written(store, record(verdict="another", batch_id="b", scores={"agreement": 0.5}, votes={"p1": "yes"}))
    assert (await only(store)).verdict == "another"

    await written(store, bare)
    replaced = dict((await only(store))._mapping)
    assert expected.pop("recorded_at") <= replaced.pop("recorded_at")
    assert expected == replaced


async def test_lost_calls_are_written_with_the_deliberation(store: Store) -> None:
    """A call that no one answered has a line with the kind of its failure."""
    await written(store, record())
    (row,) = await store.rows(select(CALLS))
    assert (row.call_id, row.stage, row.round, row.outcome, row.error_type) == (
        "review-p2",
        "review",
        2,
        "api_error",
        "provider.bad_request",
    )


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"lost": ()}, ["SELECT", "INSERT"]),
        ({}, ["BEGIN", "INSERT", "SELECT", "INSERT", "COMMIT;"]),
        (
            {"lost": (), "protocol": "fire-circle", "result": {"patterns": []}},
            ["BEGIN", "SELECT", "INSERT", "DELETE", "COMMIT;"],
        ),
    ],
)
async def test_a_deliberation_is_a_transaction_where_it_writes_more_than_its_line(
    postgres: PrivatePostgres, upgraded: UpgradedLedgers, changes: dict[str, Any], expected: list[str]
) -> None:
    """On PostgreSQL its line alone is read and written without one, because its begin and its end are journeys."""
    url = await upgraded.database(postgres)
    await postgres.log(url.partition("@/")[2].partition("?")[0])
    store = Store(url)
    await store.rows(select(DELIBERATIONS.c.id))
    before = len(postgres.logged())
    await written(store, record(**changes))

    statements = postgres.logged()[before:]
    assert expected == [statement.split()[0] for statement in statements]
    (read,) = (statement for statement in statements if statement.startswith("SELECT"))
    assert ("outcome" in read, "message" in read) == (True, False)
    await store.close()


async def test_a_paid_answer_is_not_overwritten_by_a_loss(store: Store) -> None:
    """A call that was answered after the deliberation gave it up stays answered in the ledger."""
    await Journal(store).once(LOST.identity, Payments(quick=True))
    await written(store, record())
    assert [row.outcome for row in await store.rows(select(CALLS))] == ["answered"]


async def test_a_call_that_is_lost_again_has_its_latest_cause(store: Store) -> None:
    """A retry may fail for another reason than the first run; what the first one cost stays."""
    billed = LOST.reply.model_copy(update={"cost": Cost(usd=0.25, source="provider")})
    await written(store, record(lost=(LOST.model_copy(update={"reply": billed}),)))
    refused = LOST.reply.model_copy(update={"error_type": "provider.auth", "message": "no such key"})
    await written(store, record(lost=(LOST.model_copy(update={"reply": refused}),)))
    (row,) = await store.rows(select(CALLS))
    assert (row.error_type, row.message, row.cost_usd) == ("provider.auth", "no such key", 0.25)


async def test_a_call_that_is_asked_again_after_its_loss_has_the_cost_of_both(store: Store) -> None:
    """What a lost call cost in one run counts in the next one, whether it is lost again there or answered."""
    call, costs = model_call(), list[float | None]()
    mine = identity_of("council-1", call)
    for words in ((), (), ("Blue.",)):
        desk = Desk(answering(*spoken(*words)))
        desk.calls = ModelCalls(LAB, ENVIRON, Journal(store), desk.wire.pool(), InlineReaders())
        if words:
            await desk.ask(call)
        else:
            with pytest.raises(ApplicationError) as failed:
                await desk.ask(call, 2, told={"tries": {"provider.empty": 1}})
            paid = Reported.model_validate(failed.value.details[0]["paid"])
            reply = failure().model_copy(update={"usage": paid.usage, "cost": paid.cost})
            await written(store, record(lost=(LostEntry(identity=mine, stage="opinion", reply=reply),)))
        costs += (one.cost_usd for one in await store.rows(select(CALLS)))
    assert [0.25, 0.5, 0.75] == costs
    (row,) = await store.rows(select(CALLS))
    assert ("answered", 21, 9) == (row.outcome, row.prompt_tokens, row.completion_tokens)


async def test_an_answer_that_comes_late_replaces_the_loss(store: Store) -> None:
    """Money shows the truth: an answer paid for after the deliberation ended takes the place of its loss."""
    await written(store, record())
    await Journal(store).once(LOST.identity, Payments(quick=True))
    (row,) = await store.rows(select(CALLS))
    assert (row.outcome, row.error_type, row.cost_usd) == ("answered", None, 0.001)


async def test_who_served_is_read_from_the_calls(store: Store) -> None:
    """Served models and upstreams are those of this deliberation's calls, each once."""
    for call in ("opinion-p1", "opinion-p2"):
        await Journal(store).once(identity(call), Payments(quick=True))
    other = answer().model_copy(update={"served_model": "another"})
    await Journal(store).once(identity(workflow_id="council-other"), Payments(other, quick=True))
    await written(store, record())
    row = await only(store)
    assert (row.served_models, row.upstreams) == (["anthropic/claude-opus-4.6"], ["Anthropic"])


@pytest.mark.parametrize(
    ("spent", "cost"),
    [
        (Spending(), 0.0),
        (Spending(calls=2, calls_of_unknown_cost=2), None),
        (Spending(calls=2, usd=0.5, calls_of_unknown_cost=1), 0.5),
    ],
)
async def test_an_unknown_cost_is_never_zero(sqlite_store: Store, spent: Spending, cost: float | None) -> None:
    """When no call's cost is known the sum is null; nothing asked cost nothing."""
    await written(sqlite_store, record(spent=spent))
    assert (await only(sqlite_store)).cost_usd == cost


async def test_hostile_text_is_stored(store: Store) -> None:
    """NUL in a question, a verdict or a result does not stop the ledger."""
    await written(store, record(question="a\x00b", verdict="c\x00", result={"x": "\x00"}))
    row = await only(store)
    assert (row.question, json.loads(unpacked(row.result))) == ("a\ufffdb", {"x": "\x00"})


async def test_a_broken_ledger_is_a_final_error_without_values(sqlite_store: Store) -> None:
    """What the database refuses for good is not tried again, and the message holds nothing of the deliberation."""
    await sqlite_store.change(text("drop table deliberations"))
    with pytest.raises(ApplicationError) as refused:
        await written(sqlite_store, record(question="canary"))
    assert (refused.value.type, refused.value.non_retryable) == ("store.refused", True)
    assert "canary" not in repr(refused.value)


async def test_a_ledger_that_is_away_is_tried_again(tmp_path: Path) -> None:
    """A database that cannot be reached is a retryable error of type ``store.busy``."""
    away = Store(f"postgresql://nobody@/books?host={tmp_path}")
    with pytest.raises(ApplicationError) as busy:
        await written(away, record())
    assert (busy.value.type, busy.value.non_retryable) == ("store.busy", False)
    await away.close()


async def test_a_record_travels_through_temporal_unchanged() -> None:
    """What the workflow sends is what the activity gets."""
    payloads = await pydantic_data_converter.encode([record()])
    assert await pydantic_data_converter.decode(payloads, [DeliberationRecord]) == [record()]


def test_an_identity_has_one_key_however_its_parts_are_cut() -> None:
    """Parts are framed: moving a character from one to the next makes another call."""
    one = CallIdentity(workflow_id="a", call_id="bc", salt="", fingerprint="")
    other = CallIdentity(workflow_id="ab", call_id="c", salt="", fingerprint="")
    assert one.key != other.key
    assert len(one.key) == 64


def test_a_lost_call_and_its_payment_have_one_identity() -> None:
    """The workflow that reports a loss and the activity that got the call over the wire name it alike."""
    call = ModelCall(
        call_id="opinion-p1",
        participant=ParticipantId("p1"),
        model=ModelId("rehearsal:parrot"),
        stage="opinion",
        messages=(Message(role="user", content="Why?"),),
        read_as=ReaderRef(reader="council.opinion", needs={"b": 1, "a": 2}),
    )
    again = ModelCall.model_validate_json(call.model_dump_json())
    assert identity_of("w", call) == identity_of("w", again)


def test_another_question_is_another_call() -> None:
    """The fingerprint holds what is asked."""
    calls = [
        ModelCall(
            call_id="opinion-p1",
            participant=ParticipantId("p1"),
            model=ModelId("rehearsal:parrot"),
            stage="opinion",
            messages=(Message(role="user", content=content),),
            read_as=ReaderRef(reader="council.opinion"),
        )
        for content in ("Why?", "How?")
    ]
    assert len({identity_of("w", call).key for call in calls}) == 2
