"""The ledger's lines for calls, and the second line that a call of a consensus has (seed 004, "Database Tracking")."""

import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, get_args

import pytest
from sqlalchemy import Connection, select, text, update

from ledger.call_rows import CallContext, CallRow, call_rows
from ledger.journal import Journal
from ledger.leases import Leases
from ledger.store import Store, packed
from ledger.store_errors import StoreRefusedError
from ledger.tables import CALLS, CONSENSUS_ITERATIONS, JOURNAL
from protocols.consensus import rules
from protocols.consensus.model import Evaluation
from protocols.consensus.readers import read_evaluation
from protocols.model_call import Usage
from tests.fakes.consensus_runs import (
    ACCEPTED,
    CORRECTED,
    DOUBTFUL,
    OBJECTED,
    call_of,
    held,
    lost,
    occasion,
    said,
    settled,
)
from tests.fakes.payments import Payments, answer, identity

CHECK = call_of("validator", "consensus_check")
SEED_ROUNDS = [("YES", "YES", "NO"), ("NO", "NO", "NO")]
"""The example rounds of seed 004, "Expected Behavior"."""

DAILY = """
SELECT DATE(datetime) as day, COUNT(DISTINCT consensus_id) as conversations
FROM consensus_iterations
GROUP BY DATE(datetime);
"""
ROUNDS = """
SELECT AVG(max_rounds) as avg_rounds_needed
FROM (
  SELECT consensus_id, MAX(round_number) as max_rounds
  FROM consensus_iterations
  GROUP BY consensus_id
){alias};
"""
VOTES = """
SELECT model_id, 
       SUM(CASE WHEN flag = 1 THEN 1 ELSE 0 END) as no_votes,
       COUNT(*) as total_votes
FROM consensus_iterations
WHERE stage_name LIKE 'consensus_check_%'
GROUP BY model_id;
"""  # noqa: W291 - byte for byte as in the seed


@pytest.fixture
def far_east(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """This process lives where it is fourteen hours later than in UTC."""
    before = os.environ.get("TZ")
    monkeypatch.setenv("TZ", "Pacific/Kiritimati")
    time.tzset()
    yield "Pacific/Kiritimati"
    monkeypatch.undo()
    assert before == os.environ.get("TZ")
    time.tzset()


async def iterations(store: Store) -> list[Any]:
    """All lines of ``consensus_iterations``, in the order of their calls."""
    ordered = select(CONSENSUS_ITERATIONS).order_by(CONSENSUS_ITERATIONS.c.call_id)
    return list(await store.rows(ordered))


def iteration(reply: Any, when: CallContext) -> dict[str, Any]:
    """The second line of a call of a consensus."""
    _, line = call_rows(CHECK, reply, when)
    return dict(line.values)


async def test_a_call_of_a_consensus_has_a_row_with_the_seeds_columns(store: Store) -> None:
    """Who spoke as what, in which round, with how many tokens and how it voted (seed 004, "What Gets Tracked")."""
    await settled(store, CHECK, said("validator", ACCEPTED), occasion("consensus_check", 3))
    (row,) = await iterations(store)
    assert ("consensus-why", "gpt-oss-120b", "consensus_check_validator", 17, 1, 3) == (
        row.consensus_id,
        row.model_id,
        row.stage_name,
        row.tokens_used,
        row.flag,
        row.round_number,
    )


async def test_beside_them_stands_where_the_row_comes_from(store: Store) -> None:
    """A row names the opinion, the provider, the call, the run, the attempt, the outcome, and whether it was played."""
    reply = said("validator", CORRECTED, attempts=2)
    await settled(store, CHECK, reply, occasion("consensus_check", run_id="run-7"))
    (row,) = await iterations(store)
    told = (row.key, row.opinion, row.provider, row.call_id, row.run_id, row.attempt, row.outcome, row.rehearsal)
    assert (CHECK.key, "YES", "cerebras", CHECK.call_id, "run-7", 2, "answered", False) == told


async def test_a_call_of_another_protocol_has_no_row_there(store: Store) -> None:
    """The council's calls are in ``calls`` alone."""
    await settled(store, identity(), answer(), occasion("opinion", protocol="council"))
    assert [] == await iterations(store)
    assert 1 == len(await store.rows(select(CALLS)))


@pytest.mark.parametrize(
    ("stage", "participant", "name"),
    [
        ("generator", "generator", "generator"),
        ("refiner", "refiner", "refiner"),
        ("validator", "validator", "validator"),
        ("consensus_check", "generator", "consensus_check_generator"),
        ("consensus_check", "refiner", "consensus_check_refiner"),
        ("consensus_check", "validator", "consensus_check_validator"),
        ("curator", "curator", "curator"),
    ],
)
def test_the_stages_have_the_seeds_names(stage: str, participant: str, name: str) -> None:
    """The seven stage names of seed 004, "Tracking Points"."""
    assert name == iteration(said(participant), occasion(stage))["stage_name"]


@pytest.mark.parametrize(
    ("stage", "reply", "expected"),
    [
        ("consensus_check", said("refiner", ACCEPTED), (1, "NO", "accept")),
        ("consensus_check", said("refiner", CORRECTED), (0, "YES", "correction")),
        ("consensus_check", said("refiner", OBJECTED), (0, "YES", "objection")),
        ("consensus_check", said("refiner", DOUBTFUL), (0, None, "doubtful")),
        ("consensus_check", said("refiner", ACCEPTED, finish="truncated"), (0, None, None)),
        ("consensus_check", said("refiner", CORRECTED, finish="truncated"), (0, None, None)),
        ("consensus_check", lost("refiner"), (0, None, None)),
        ("consensus_check", lost("refiner", kind="refused", text="ACCEPT"), (0, None, None)),
        ("generator", said("generator", ACCEPTED), (0, None, None)),
        ("refiner", said("refiner", OBJECTED), (0, None, None)),
        ("validator", said("validator", CORRECTED), (0, None, None)),
        ("curator", said("curator", {"text": "Polished."}), (0, None, None)),
    ],
)
def test_only_a_check_votes_and_only_acceptance_is_flagged(
    stage: str, reply: Any, expected: tuple[int, str | None, str | None]
) -> None:
    """ACCEPT, NO and flag 1 are one thing; a turn, a curator, a cut and a lost check have no opinion and no stance."""
    row = iteration(reply, occasion(stage))
    assert expected == (row["flag"], row["opinion"], row["stance"])


@pytest.mark.parametrize("finish", ["complete", "truncated"])
@pytest.mark.parametrize("text", ["ACCEPT", "Hm.", "I cannot ACCEPT: it is wrong.", "The sky is blue because of air."])
def test_the_stance_is_the_spaces_own(text: str, finish: str) -> None:
    """What the rules of the consensus make of a reply is what the ledger states, a doubtful one by its own word."""
    reading = read_evaluation(text, {"shown": "The sky is green because of air."}).model_dump(mode="json")
    reply = said("refiner", reading, finish=finish)
    names = {"unread": "doubtful", "cut": None}
    given = rules.stance(reply)
    assert names.get(str(given), given) == iteration(reply, occasion("consensus_check"))["stance"]


@pytest.mark.parametrize("found_as", get_args(Evaluation.model_fields["found_as"].annotation))
def test_every_form_of_an_evaluation_has_a_stance(found_as: str) -> None:
    """The ledger knows each word by which the protocol says how a reply was read."""
    reading = {"accepted": found_as not in {"correction", "objection", "doubtful"}, "found_as": found_as}
    assert iteration(said("refiner", reading), occasion("consensus_check"))["stance"] is not None


@pytest.mark.parametrize("reading", [None, [], "ACCEPT", {}, {"accepted": None}, {"accepted": "true"}])
def test_a_check_without_a_verdict_is_no_vote(reading: Any) -> None:
    """Whatever is no verdict is neither NO nor YES, and a paid answer is kept all the same."""
    row = iteration(said("refiner", reading), occasion("consensus_check"))
    assert (0, None, None) == (row["flag"], row["opinion"], row["stance"])


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        (Usage(), None),
        (Usage(prompt_tokens=10), 10),
        (Usage(prompt_tokens=10, completion_tokens=7, reasoning_tokens=5), 17),
    ],
)
def test_unknown_tokens_are_never_zero(usage: Usage, tokens: int | None) -> None:
    """Reasoning is in the completion already; what the provider did not count is null."""
    assert tokens == iteration(said(usage=usage), occasion("generator"))["tokens_used"]


async def test_absurd_tokens_are_kept(store: Store) -> None:
    """A count beyond every database stops at the largest that can be kept."""
    await settled(store, CHECK, said(usage=Usage(prompt_tokens=2**70)), occasion("generator"))
    (row,) = await iterations(store)
    assert 2**53 == row.tokens_used


def test_a_lost_call_of_a_rehearsal_is_no_real_one() -> None:
    """No one received a lost call, so its model's provider states whether it was played; both lines say the same."""
    reply = lost(model="rehearsal:openai/gpt-4")
    assert [True, True] == [line.values["rehearsal"] for line in call_rows(CHECK, reply, occasion("generator"))]


async def test_a_failure_that_was_paid_for_has_a_row(store: Store) -> None:
    """A refusal is final and cost money: it is there with the kind of failure."""
    await settled(store, CHECK, lost("validator", kind="refused"), occasion("consensus_check"))
    (row,) = await iterations(store)
    assert ("refused", 0, None, "cerebras") == (row.outcome, row.flag, row.opinion, row.provider)


async def test_however_often_it_is_asked_a_call_has_one_row(store: Store) -> None:
    """Attempts, runs and processes that ask for the same call share its payment and its row."""
    payments = Payments(said("validator", ACCEPTED), quick=True)
    for run in ("run-1", "run-2", "run-3"):
        await Journal(store).once(CHECK, payments, occasion("consensus_check", run_id=run))
    rows = await iterations(store)
    assert (1, ["run-1"]) == (payments.begun, [row.run_id for row in rows])


async def test_a_second_answer_writes_no_line(store: Store) -> None:
    """A process that settles after another changes nothing: the first answer's rows stay."""
    leases = Leases(store)
    for reply in (said("validator", ACCEPTED), said("validator", CORRECTED)):
        told = call_rows(CHECK, reply, occasion("consensus_check"))
        await leases.settle(CHECK, "owner", packed(b"{}"), told)
    assert ["NO"] == [row.opinion for row in await iterations(store)]


async def test_an_answer_and_all_its_lines_are_one_transaction(store: Store) -> None:
    """When one line cannot be written, neither the answer nor the other line is there."""
    call, row = call_rows(CHECK, said("validator", ACCEPTED), occasion("consensus_check"))
    broken = CallRow(row.table, {**row.values, "flag": None})
    with pytest.raises(StoreRefusedError):
        await Leases(store).settle(CHECK, "owner", packed(b"{}"), [call, broken])
    assert ([], []) == (await store.rows(select(JOURNAL)), await store.rows(select(CALLS)))


async def test_a_new_day_begins_at_midnight_in_utc(store: Store) -> None:
    """``DATE(datetime)`` is the UTC day on both databases, whatever zone the session has."""
    late = datetime(2026, 5, 1, 23, 59, 59, tzinfo=UTC).replace(tzinfo=None)
    await held(store, "consensus-a", SEED_ROUNDS)
    await store.change(update(CONSENSUS_ITERATIONS).values(datetime=late))

    def days(connection: Connection) -> list[Any]:
        _move(connection, "Pacific/Kiritimati")
        return list(connection.execute(text(DAILY)))

    assert [("2026-05-01", 1)] == [(str(day), count) for day, count in await store.transaction(days)]


async def test_the_database_fills_in_the_moment_in_utc(store: Store, far_east: str) -> None:
    """A database and a process that live fourteen hours ahead still write the UTC time."""
    row = dict(call_rows(CHECK, said(), occasion("generator"))[1].values)

    def written(connection: Connection) -> tuple[datetime, float]:
        _move(connection, far_east)
        connection.execute(CONSENSUS_ITERATIONS.insert(), row)
        found = connection.execute(select(CONSENSUS_ITERATIONS.c.datetime, store.now)).one()
        return found[0], found[1]

    moment, now = await store.transaction(written)
    assert moment.tzinfo is None
    assert abs(moment.replace(tzinfo=UTC).timestamp() - now) < 3600


async def test_the_seeds_analytics_queries_work_as_they_stand(store: Store) -> None:
    """The three queries of seed 004, "Analytics Queries"; PostgreSQL 15 only wants a name for the inner one."""
    await held(store, "consensus-a", SEED_ROUNDS)
    await held(store, "consensus-b", [("NO", "NO", "NO")])
    alias = " as rounds" if store.dialect == "postgresql" else ""
    (day,) = await store.rows(text(DAILY))
    (average,) = await store.rows(text(ROUNDS.format(alias=alias)))
    votes = await store.rows(text(VOTES))
    assert (2, 1.5) == (day.conversations, float(average.avg_rounds_needed))
    assert [("anthropic/claude-opus-4.6", 2, 3), ("gpt-oss-120b", 3, 3), ("openai/gpt-4", 2, 3)] == sorted(
        tuple(row) for row in votes
    )


async def test_a_consensus_has_one_row_per_model_execution(store: Store) -> None:
    """Two rounds of three turns and three checks, and one curator: thirteen rows under one id."""
    await held(store, "consensus-a", SEED_ROUNDS)
    rows = await iterations(store)
    assert (13, {"consensus-a"}) == (len(rows), {row.consensus_id for row in rows})


def _move(connection: Connection, zone: str) -> None:
    if connection.dialect.name == "postgresql":
        connection.execute(text(f"set local time zone '{zone}'"))
