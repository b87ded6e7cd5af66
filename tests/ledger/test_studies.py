import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
from pydantic import JsonValue
from sqlalchemy import select

from activities.ledger import LedgerActivities, LostEntry
from activities.studies import StudyActivities
from ledger.journal import Journal
from ledger.store import Store
from ledger.studies.reading import Progress, StoreError, StudyReader
from ledger.studies.records import (
    Entered,
    RejectedRow,
    RowsBefore,
    StudyChangedError,
    StudyDiffersError,
    StudyRowsChangedError,
    StudyUnknownError,
)
from ledger.studies.results import ResultRow
from ledger.studies.writing import append, enter, open_for_entering
from ledger.study_tables import INSTANCES, REJECTED_ROWS, STUDIES, STUDY_ARMS, STUDY_ROWS
from protocols.flaws import FlawKind
from protocols.model_call import Cost, Spending, Usage
from protocols.study.model import Amount, Counts, InstancesRequest, MissingInstance, sum_amounts
from tests.fakes.entered import DAY, Whole, argument, digest, entered, line_of, without_draws
from tests.fakes.payments import Payments, answer, failure, identity

TABLES = (STUDIES, STUDY_ARMS, STUDY_ROWS, INSTANCES, REJECTED_ROWS)


async def everything(store: Store) -> list[Any]:
    """Every line of the studies' tables."""
    return [await store.rows(select(table)) for table in TABLES]


async def held(store: Store, whole: Whole, *numbers: int, **changes: Any) -> None:
    """Write the lines of the instances of those numbers."""
    for number in numbers:
        await LedgerActivities(store).record_deliberation(line_of(whole.instances[number], **changes))


@asynccontextmanager
async def reader_at(url: str) -> AsyncIterator[StudyReader]:
    """The ledger as a user reads it."""
    async with StudyReader(url) as reader:
        yield reader


@pytest.fixture
async def toy(store: Store) -> Whole:
    """A study of three rows and two arms: two held, one of them degraded, one failed, one lost, two open."""
    whole = entered()
    await enter(store, *whole.parts, [RejectedRow(line=9, reason="the question is blank")])
    await held(store, whole, 0)
    await held(store, whole, 2, degraded=True, flaws={"refused": 2, "asked_again": 1})
    flaws = {"lost": 1, "refused": 1}
    await held(store, whole, 3, verdict=None, stop_reason="participant_lost", partial=True, degraded=True, flaws=flaws)
    lost = MissingInstance(
        study="toy", number=1, deliberation_id="toy/q0.consensus", error_type="workflow.terminated", message="by hand"
    )
    await StudyActivities(store).record_missing_instance(lost)
    return whole


async def test_a_study_is_entered_whole(store: Store, url: str) -> None:
    """Study, arms, rows, instances and rejected rows are in the ledger, and say how many they are."""
    whole = entered(rows=600, repeats=2)
    done = await enter(store, *whole.parts, [RejectedRow(line=3, reason="no id")])
    assert done == Entered(is_new=True, rows=600, instances=2400)
    async with reader_at(url) as reader:
        known = await reader.known("toy")
        assert known is not None
        assert (known.rows, known.instances, known.rejected) == (600, 2400, 1)
        assert (known.arms, known.content) == (("council", "consensus"), whole.study.content)
        assert await reader.rejected("toy") == (RejectedRow(line=3, reason="no id"),)
        assert [one.name for one in await reader.studies()] == ["toy"]


async def test_entering_the_same_study_again_changes_nothing(store: Store) -> None:
    """A study that is resumed is entered again as it is; the ledger stays as it was."""
    whole = entered()
    await enter(store, *whole.parts)
    before = await everything(store)
    assert await enter(store, *whole.parts) == Entered(is_new=False, rows=0, instances=0)
    assert before == await everything(store)


async def test_another_study_of_the_same_name_is_refused(store: Store) -> None:
    """The refusal carries what is there and what was given, and nothing is written."""
    first, other = entered(), entered(seed=8)
    await enter(store, *first.parts)
    before = await everything(store)
    with pytest.raises(StudyDiffersError, match="another study 'toy'; give this one another name") as differs:
        await enter(store, *other.parts)
    assert (differs.value.entered, differs.value.given) == (first.study.content, other.study.content)
    assert before == await everything(store)


async def test_a_study_that_cannot_be_entered_whole_is_not_entered(store: Store) -> None:
    """Two instances of one deliberation break it off, and no line of the study is left."""
    whole = entered()
    twice = replace(whole.instances[1], deliberation_id=whole.instances[0].deliberation_id)
    with pytest.raises(StoreError):
        await enter(store, whole.study, whole.rows, [whole.instances[0], twice])
    assert await everything(store) == [[]] * len(TABLES)


async def test_two_who_enter_a_study_at_once_enter_it_once(url: str) -> None:
    """One of them writes, the other finds it done."""
    whole = entered()

    async def once() -> Entered:
        async with open_for_entering(url) as store:
            return await enter(store, *whole.parts)

    done = await asyncio.gather(*(once() for _ in range(4)))
    assert sorted(one.is_new for one in done) == [False, False, False, True]


async def test_a_study_is_extended_behind_its_last_row(store: Store) -> None:
    """More rows of the same study are written behind those it has; their deliberations begin as they should."""
    await enter(store, *entered(rows=2).parts)
    longer = entered(rows=5)
    done = await append(store, *longer.parts, [RejectedRow(line=4, reason="no id")])
    assert done == Entered(is_new=True, rows=3, instances=6)
    found = await StudyActivities(store).load_instances(InstancesRequest(study="toy", numbers=tuple(range(10))))
    cells = [(arm, row) for row in range(5) for arm in ("council", "consensus")]
    assert without_draws(found.instances) == [argument(*cell) for cell in cells]
    assert await enter(store, *longer.parts) == Entered(is_new=False, rows=0, instances=0)


async def test_a_study_gets_an_arm_and_repeats(store: Store, url: str) -> None:
    """What is there keeps its number, its id and its line; the rest follows the last number, and again adds nothing."""
    first, grown = entered(rows=2, arms=["council"]), entered(rows=2, repeats=3)
    await enter(store, *first.parts)
    before = await store.rows(select(INSTANCES).order_by(INSTANCES.c.number))

    done = await append(store, *grown.parts, before=RowsBefore(2, digest(2)))
    again = await append(store, *grown.parts, before=RowsBefore(2, digest(2)))

    after = await store.rows(select(INSTANCES).order_by(INSTANCES.c.number))
    async with reader_at(url) as reader:
        known, ids = await reader.known("toy"), await reader.deliberation_ids("toy")
    new = [one for one in grown.instances if one.arm != "council" or one.repeat > 1]
    assert (done, again) == (Entered(is_new=True, rows=0, instances=10), Entered(is_new=True, rows=0, instances=0))
    assert after[:2] == before
    assert [(one.number, one.deliberation_id) for one in after[2:]] == [
        (number, one.deliberation_id) for number, one in enumerate(new, 2)
    ]
    assert known is not None
    assert (known.fingerprint, set(known.arms)) == (grown.study.fingerprint, {"council", "consensus"})
    assert ids == {one.deliberation_id for one in grown.instances}
    found = await StudyActivities(store).load_instances(InstancesRequest(study="toy", numbers=tuple(range(2, 12))))
    assert without_draws(found.instances) == [argument(one.arm, int(one.row_id[1:]), one.repeat) for one in new]


@pytest.mark.parametrize(
    ("changed", "differing"),
    [
        ({"arms": ["council"]}, "arms"),
        ({"repeats": 1}, "repeats"),
        ({"label": {"read": "number"}}, "label"),
    ],
)
async def test_an_extension_takes_nothing_away(store: Store, changed: dict[str, Any], differing: str) -> None:
    """An arm that is left out, fewer repeats, another label: each is refused with what differs, and leaves no trace."""
    await enter(store, *entered(rows=2, repeats=2).parts)
    before = await everything(store)
    with pytest.raises(StudyChangedError, match="gets rows, arms and repeats") as refused:
        await append(store, *entered(**{"rows": 3, "repeats": 2, **changed}).parts)
    assert [key for key in refused.value.given if refused.value.given[key] != refused.value.entered.get(key)] == [
        differing
    ]
    assert before == await everything(store)


async def test_a_panel_with_another_name_is_extended(store: Store) -> None:
    """The name of a panel is beside its models, which are what an arm asks; the content has the name of now."""
    named: list[JsonValue] = [
        {arm: {"protocol": arm, "panel": panel} for arm in ("council", "consensus")} for panel in ("old", "new")
    ]
    await enter(store, *entered(rows=1).parts)
    for rows, arms in enumerate(named, 2):
        whole = entered(rows=rows)
        study = replace(whole.study, content={**whole.study.content, "arms": arms})
        assert await append(store, study, whole.rows, whole.instances) == Entered(is_new=True, rows=1, instances=2)


async def test_an_extension_whose_old_rows_have_other_files_is_refused(store: Store) -> None:
    """A hash that is not the one of the rows that are there says that something beside the question differs."""
    await enter(store, *entered(rows=2).parts)
    before = await everything(store)
    with pytest.raises(StudyRowsChangedError, match=r"first 2 rows .* files, turns, layers or kept columns differ"):
        await append(store, *entered(rows=3).parts, before=RowsBefore(2, digest(9)))
    assert before == await everything(store)


async def test_an_extension_that_met_another_names_it(store: Store) -> None:
    """Rows that another command added since the study was read are no change of its rows, and nothing is written."""
    await enter(store, *entered(rows=2).parts)
    await append(store, *entered(rows=3).parts, before=RowsBefore(2, digest(2)))
    before = await everything(store)
    with pytest.raises(StudyRowsChangedError, match="by another command just now; try again"):
        await append(store, *entered(rows=3).parts, before=RowsBefore(2, digest(2)))
    assert before == await everything(store)


async def test_an_extension_with_other_templates_begins_as_it_states(store: Store) -> None:
    """A newer version may prepare an argument with more in it: what was prepared is what begins."""
    await enter(store, *entered(rows=1).parts)
    longer = entered(rows=2)
    arms = tuple(replace(arm, template={**arm.template, "newer": 1}) for arm in longer.study.arms)
    await append(store, replace(longer.study, arms=arms), longer.rows, longer.instances)
    found = (await StudyActivities(store).load_instances(InstancesRequest(study="toy", numbers=(2,)))).instances
    assert without_draws(found) == [argument("council", 1) | {"newer": 1}]


async def test_an_extension_that_changes_something_is_refused(store: Store) -> None:
    """Earlier rows, fewer rows, other settings and a study that is not there: each is refused and leaves no trace."""
    whole = entered(rows=2)
    await enter(store, *whole.parts)
    before, longer = await everything(store), entered(rows=3)
    edited = (longer.rows[0], replace(longer.rows[1], question="Why not?"), longer.rows[2])
    with pytest.raises(StudyRowsChangedError, match=r"line 3: the row 'q1' .*: its question differs"):
        await append(store, longer.study, edited, longer.instances)
    with pytest.raises(StudyRowsChangedError, match="has 2 rows and the dataset only 1"):
        await append(store, *entered(rows=1).parts)
    with pytest.raises(StudyDiffersError):
        await append(store, *entered(rows=3, seed=8).parts)
    with pytest.raises(StudyUnknownError, match="no study 'other'"):
        await append(store, *entered("other").parts)
    assert before == await everything(store)


async def test_results_come_by_number_with_their_place_in_the_study(url: str, toy: Whole) -> None:
    """Only what ended with a line of its own is a result, and it knows its row, arm and label."""
    async with reader_at(url) as reader:
        found = [row async for row in reader.results("toy")]
    assert [row.number for row in found] == [0, 2, 3]
    first, _, failed = found
    assert (first.row_id, first.arm, first.repeat, first.expected, first.extra) == (
        "q0",
        "council",
        1,
        "B",
        {"topic": "x"},
    )
    assert (first.scores, first.seconds, first.tokens, first.is_failed) == ({"kendall_w": 0.75}, 90.0, 42, False)
    assert (first.started_at, first.result) == (DAY, None)
    assert (failed.stop_reason, failed.is_failed, failed.degraded) == ("participant_lost", True, True)
    assert failed.flaws == {"lost": 1, "refused": 1}


async def test_pages_join_without_a_seam(store: Store, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many lines are read at a time, every result comes once and in order."""
    whole = entered(rows=6)
    await enter(store, *whole.parts)
    await held(store, whole, *range(0, 12, 2), 11)
    monkeypatch.setattr("ledger.studies.reading._PAGE", 3)
    async with reader_at(url) as reader:
        assert [row.number async for row in reader.results("toy")] == [0, 2, 4, 6, 8, 10, 11]
        assert [row.number async for row in reader.results("other")] == []


async def test_the_whole_result_comes_when_it_is_asked_for(url: str, toy: Whole) -> None:
    """Transcripts are large; they are read only on request."""
    async with reader_at(url) as reader:
        rows = [row async for row in reader.results("toy", whole=True)]
    assert rows[0].result == {"stop_reason": "verdict", "tally": {"agreement": 0.75}, "said": "because"}


async def test_one_deliberation_is_read_alone(store: Store, url: str, toy: Whole) -> None:
    """A deliberation of a study knows its place; one that ran alone counts alone; another one is none."""
    await held(store, toy, 0, id="council-why")
    async with reader_at(url) as reader:
        of_study, alone = await reader.result("toy/q1.council", whole=True), await reader.result("council-why")
        assert await reader.result("nobody") is None
    assert isinstance(of_study, ResultRow)
    assert isinstance(alone, ResultRow)
    assert (of_study.study, of_study.number, of_study.result is not None) == ("toy", 2, True)
    assert (alone.study, alone.number, alone.row_id, alone.arm, alone.repeat) == ("", 0, "council-why", "council", 1)


async def test_progress_counts_every_instance_once(url: str, toy: Whole) -> None:
    """Completed, failed, missing and open together are all of them."""
    async with reader_at(url) as reader:
        found = await reader.progress("toy")
        assert found == Progress(total=6, completed=2, failed=1, missing=1)
        assert found.open == 2
        assert await reader.numbers("toy", "failed", "missing") == (1, 3)
        assert await reader.numbers("toy", "open") == (4, 5)
        assert [loss.message for loss in await reader.losses("toy")] == ["by hand"]


async def test_a_lost_instance_that_was_held_after_all_is_held(store: Store, url: str, toy: Whole) -> None:
    """What the ledger has a line for is no loss, whatever was thought before."""
    await held(store, toy, 1)
    async with reader_at(url) as reader:
        assert await reader.progress("toy") == Progress(total=6, completed=3, failed=1, missing=0)


async def test_what_was_cancelled_is_open(store: Store, url: str, toy: Whole) -> None:
    """A batch that was cancelled continues: its deliberations in flight run again, and count nowhere until then."""
    await held(store, toy, 1, 4, verdict=None, stop_reason="cancelled")
    async with reader_at(url) as reader:
        assert await reader.progress("toy") == Progress(total=6, completed=2, failed=1, missing=0)
        assert (await reader.numbers("toy", "failed", "missing"), await reader.numbers("toy", "open")) == (
            (3,),
            (1, 4, 5),
        )
        assert ((await reader.tally("toy")).ended, (await reader.tally("toy")).cancelled) == (5, 2)
    await held(store, toy, 4)
    async with reader_at(url) as reader:
        assert await reader.numbers("toy", "open") == (1, 5)


@pytest.mark.parametrize(
    ("verdict", "error_types", "is_open"),
    [
        (None, ["provider.auth"], True),
        (None, ["provider.quota_exhausted", "config.missing_key"], True),
        ("B", ["provider.payment_required", "provider.timeout"], True),
        (None, ["provider.auth", "provider.timeout"], False),
        ("B", ["provider.timeout"], False),
    ],
)
async def test_what_waits_for_a_key_or_credit_is_open(
    store: Store, url: str, toy: Whole, verdict: str | None, error_types: list[str], *, is_open: bool
) -> None:
    """What a batch runs again once a user has repaired the cause counts nowhere until then, by the batch's own rule."""
    lost = [{"error_type": one, "message": "no"} for one in error_types]
    entries = [
        LostEntry(
            identity=identity(one, workflow_id="toy/q2.council"),
            stage="opinion",
            reply=failure().model_copy(update={"error_type": one}),
        )
        for one in error_types
    ]
    result = {"stop_reason": "verdict", "failed": lost}
    async with reader_at(url) as reader:
        before = await reader.tally("toy"), await reader.learned("toy")
        await held(store, toy, 4, verdict=verdict, result=result, lost=entries)
        assert (4 in await reader.numbers("toy", "open")) == is_open == ((await reader.progress("toy")).open == 2)
        assert [row.status == "open" async for row in reader.every("toy") if row.number == 4] == [is_open]
        assert (before == (await reader.tally("toy"), await reader.learned("toy"))) == is_open
        assert (await reader.why_failed("toy") == ()) == (is_open or verdict is not None)


@pytest.mark.parametrize(
    ("verdict", "error_type", "is_undecided"),
    [
        (None, "provider.unavailable", True),
        (None, "provider.not_found", True),
        (None, "provider.timeout", False),
        ("B", "provider.unavailable", False),
    ],
)
async def test_what_an_outage_has_lost_is_open_while_the_batch_runs(
    store: Store, url: str, toy: Whole, verdict: str | None, error_type: str, *, is_undecided: bool
) -> None:
    """Whether a failed one that lost every call of a provider runs again is the batch's decision until it ends."""
    lost = [{"model": "lab:small", "error_type": error_type, "message": "no"}]
    result = {"stop_reason": "no_answers", "failed": lost, "spent": {"calls": 1}}
    reply = failure().model_copy(update={"error_type": error_type})
    entry = LostEntry(identity=identity(workflow_id="toy/q2.council"), stage="opinion", reply=reply)
    await held(store, toy, 4, verdict=verdict, result=result, lost=[entry])
    found = []
    for running in ((), ("another",), ("toy",)):
        async with StudyReader(url, running) as reader:
            found.append([row.status == "open" async for row in reader.every("toy") if row.number == 4])
            assert (await reader.tally("toy")).failed + (await reader.progress("toy")).open == 3 - bool(verdict)
    assert [[False], [False], [is_undecided]] == found


async def test_what_failed_before_it_waits_for_a_key_is_open(store: Store, url: str, toy: Whole) -> None:
    """A retry whose key is refused loses a call that the first run lost for another reason."""
    for error_type in ("provider.unavailable", "provider.auth"):
        reply = failure().model_copy(update={"error_type": error_type})
        entry = LostEntry(identity=identity(workflow_id="toy/q2.council"), stage="opinion", reply=reply)
        result = {"stop_reason": "lost", "failed": [{"error_type": error_type}]}
        await held(store, toy, 4, verdict=None, result=result, lost=[entry])
    async with reader_at(url) as reader:
        assert await reader.numbers("toy", "open") == (4, 5)


async def test_a_loss_of_an_earlier_run_keeps_nothing_open(store: Store, url: str, toy: Whole) -> None:
    """A call that was lost for want of a key and is not asked any more leaves its line; the result is what counts."""
    refused = failure().model_copy(update={"error_type": "provider.auth"})
    entry = LostEntry(identity=identity(workflow_id="toy/q2.council"), stage="opinion", reply=refused)
    await held(store, toy, 4, verdict=None, lost=[entry])
    await held(store, toy, 4)
    async with reader_at(url) as reader:
        assert await reader.progress("toy") == Progress(total=6, completed=3, failed=1, missing=1)


async def test_the_tally_can_leave_instances_out(url: str, toy: Whole) -> None:
    """Those that are to run again do not count."""
    async with reader_at(url) as reader:
        whole = await reader.tally("toy")
        rest = await reader.tally("toy", excluding=await reader.numbers("toy", "failed", "missing"))
    flaws: dict[FlawKind, int] = {"refused": 2, "asked_again": 1}
    assert rest == Counts(completed=2, degraded=1, flaws=flaws, calls=6, used=Amount(usd=0.004, tokens=84))
    used = Amount(usd=0.006, tokens=126)
    flaws = {"lost": 1, "refused": 3, "asked_again": 1}
    assert whole == Counts(completed=2, failed=1, missing=1, degraded=1, flaws=flaws, calls=9, used=used)


async def test_an_arm_is_known_by_what_its_completed_deliberations_took(url: str, toy: Whole) -> None:
    """Plan and spending of those with a verdict, by arm; one that failed or is missing teaches nothing."""
    async with reader_at(url) as reader:
        learned = await reader.learned("toy")
        assert await reader.learned("other") == {}
    assert sum(use.tokens.count for use in learned.values()) == 2
    assert sum(use.used.tokens for use in learned.values()) == 84
    assert sum(use.used.usd for use in learned.values()) == pytest.approx(0.004)


async def test_what_was_used_is_what_all_calls_took(store: Store, url: str, toy: Whole) -> None:
    """Also the calls of deliberations that were lost or still run; those of others do not count."""
    for deliberation in ("toy/q0.council", "toy/q0.consensus", "toy/q2.council", "council-why"):
        await Journal(store).once(identity(workflow_id=deliberation), Payments(answer(), quick=True))
    async with reader_at(url) as reader:
        spent = Spending(calls=3, prompt_tokens=30, completion_tokens=21, usd=0.003)
        assert await reader.spent("toy") == spent
        assert await reader.spent("other") == Spending()
        plan_of_the_lost = Amount(usd=0.01, tokens=1000)
        assert await reader.charged("toy") == sum_amounts(plan_of_the_lost, Amount(usd=0.002, tokens=34))


async def test_a_call_that_was_given_up_is_of_unknown_cost(store: Store, url: str, toy: Whole) -> None:
    """One that was stopped in flight is in its deliberation's result alone, and in what the study used, too."""
    await held(store, toy, 4, spent=Spending(calls=3, usd=0.002, calls_of_unknown_cost=1))
    async with reader_at(url) as reader:
        assert (await reader.spent("toy")).calls_of_unknown_cost == 1


async def test_a_call_that_was_answered_after_it_was_given_up_counts_once(store: Store, url: str, toy: Whole) -> None:
    """Its answer is in the ledger, with its cost."""
    await held(store, toy, 4, spent=Spending(calls=1, calls_of_unknown_cost=1))
    place = identity(workflow_id=toy.instances[4].deliberation_id)
    await Journal(store).once(place, Payments(answer(), quick=True))
    async with reader_at(url) as reader:
        spent = await reader.spent("toy")
        assert (spent.calls, spent.calls_of_unknown_cost, spent.usd) == (1, 0, 0.001)


@pytest.mark.parametrize(("usd", "charged"), [(0.001, 0.01), (0.1, 0.1)])
async def test_what_ended_without_a_report_is_charged_at_least_its_plan(
    store: Store, url: str, toy: Whole, usd: float, charged: float
) -> None:
    """Calls in flight of a cancelled or lost one may be billed; when it runs again, its calls alone count before."""
    cost = Cost(usd=usd, source="provider")
    await held(store, toy, 4, verdict=None, stop_reason="cancelled")
    for number in (1, 4):
        place = identity(workflow_id=toy.instances[number].deliberation_id)
        await Journal(store).once(place, Payments(answer().model_copy(update={"cost": cost}), quick=True))
    async with reader_at(url) as reader:
        assert await reader.charged("toy") == Amount(usd=2 * charged, tokens=2000)
        assert await reader.charged("toy", again=(1, 4)) == Amount(usd=2 * usd, tokens=34)


async def test_one_that_never_began_is_charged_nothing(store: Store, url: str) -> None:
    """Another run had its id, so nothing was asked for it."""
    await enter(store, *entered().parts)
    lost = {"study": "toy", "number": 0, "deliberation_id": "toy/q0.council", "message": "it runs"}
    entry = MissingInstance.model_validate({**lost, "error_type": "study.already_run"})
    await StudyActivities(store).record_missing_instance(entry)
    async with reader_at(url) as reader:
        assert await reader.charged("toy") == Amount()


@pytest.mark.usefixtures("toy")
async def test_requests_that_may_be_billed_beside_a_cost_are_read(store: Store, url: str) -> None:
    """Of what ended and of what is missing; those of a call of unknown cost are a part of that."""
    priced = answer().model_copy(update={"unanswered_requests": 2})
    for place in ("toy/q0.council", "toy/q0.consensus"):
        unpriced = priced.model_copy(update={"cost": Cost()})
        for call, reply in (("a", priced), ("b", unpriced)):
            await Journal(store).once(identity(call, workflow_id=place), Payments(reply, quick=True))
    async with reader_at(url) as reader:
        rows = {row.deliberation_id: row.unanswered_requests async for row in reader.every("toy")}
        assert {place: count for place, count in rows.items() if count} == {"toy/q0.council": 2, "toy/q0.consensus": 2}
        gaps = {"calls_of_unknown_cost": 0, "calls_of_unknown_tokens": 0, "unanswered_requests": 2}
        assert await reader.gaps(["toy/q0.council", "x"]) == {"run": {"run_id": "run", **gaps}}


async def test_an_answer_without_a_count_is_charged_by_the_plan(store: Store, url: str, toy: Whole) -> None:
    """A study that continues counts at least the plan of its deliberation, which teaches nothing of its arm."""
    counted, uncounted = answer(), answer().model_copy(update={"usage": Usage()})
    for deliberation, reply in (("toy/q2.council", counted), ("toy/q1.council", uncounted)):
        await Journal(store).once(identity(workflow_id=deliberation), Payments(reply, quick=True))
    async with reader_at(url) as reader:
        lost = Amount(usd=0.01, tokens=1000)
        assert await reader.charged("toy") == sum_amounts(lost, Amount(usd=0.011, tokens=1017))
        assert (await reader.tally("toy")).calls_of_unknown_tokens == 1
        assert sum(use.tokens.count for use in (await reader.learned("toy")).values()) == 1


@pytest.mark.usefixtures("toy")
async def test_38_what_has_no_line_of_its_own_is_read_too(url: str) -> None:
    """A lost instance and two that are open, with their place, and with what ended they are all six."""
    async with reader_at(url) as reader:
        missing = await reader.missing("toy")
        every = [row async for row in reader.every("toy")]

    assert [(1, "missing"), (4, "open"), (5, "open")] == [(row.number, row.status) for row in missing]
    assert ("q0", "consensus", "B", None, None) == (
        *(missing[0].row_id, missing[0].arm, missing[0].expected),
        *(missing[0].verdict, missing[0].seconds),
    )
    assert ["completed", "completed", "failed", "missing", "open", "open"] == sorted(row.status for row in every)


async def test_what_has_no_line_of_its_own_has_the_protocol_of_the_others_of_its_arm(store: Store, url: str) -> None:
    """A study calls it by its preset: with that beside the protocol of the ended ones, an arm would have two."""
    whole = entered(rows=1, arms=["council"])
    arms = tuple(replace(arm, protocol="parallel", workflow="FireCircleBaseline") for arm in whole.study.arms)
    await enter(store, replace(whole.study, arms=arms), whole.rows, whole.instances)
    async with reader_at(url) as reader:
        assert [row.protocol for row in await reader.missing("toy")] == ["fire-circle-baseline"]


async def test_a_deliberation_that_ends_while_its_study_is_read_is_there_once(
    store: Store, url: str, toy: Whole
) -> None:
    """One whose number was read past before it ended, and one whose number was not, are both there, each once."""
    numbers: list[int] = []
    async with reader_at(url) as reader:
        async for row in reader.every("toy"):
            if not numbers:
                await held(store, toy, 1, 4)
            numbers.append(row.number)

    assert [0, 1, 2, 3, 4, 5] == sorted(numbers)


async def test_38_a_lost_instance_has_what_its_calls_took(store: Store, url: str, toy: Whole) -> None:
    """Its calls were paid for: tokens and known dollars are summed, and what is not known is counted."""
    told = identity(workflow_id=toy.instances[1].deliberation_id)
    await Journal(store).once(told, Payments(answer(), quick=True))
    async with reader_at(url) as reader:
        (lost, *_) = await reader.missing("toy")

    assert (1, 17, 0.001, 0) == (lost.calls, lost.tokens, lost.cost_usd, lost.calls_of_unknown_cost)
    assert lost.calls_of_unknown_tokens == 0


@pytest.mark.parametrize("number", [0, 1])
async def test_answers_without_counts_of_tokens_are_counted(store: Store, url: str, toy: Whole, number: int) -> None:
    """Of deliberations with a line and without one; a lost call has no answer to count."""
    place = toy.instances[number].deliberation_id
    for call, usage in (("a", Usage()), ("b", Usage(prompt_tokens=3)), ("c", answer().usage)):
        reply = answer().model_copy(update={"usage": usage})
        await Journal(store).once(identity(workflow_id=place, call_id=call), Payments(reply, quick=True))
    await Journal(store).once(identity(workflow_id=place, call_id="d"), Payments(failure(), quick=True))
    async with reader_at(url) as reader:
        (row,) = [row async for row in reader.every("toy") if row.number == number]

    assert row.calls_of_unknown_tokens == 2


async def test_what_lost_the_calls_of_failed_deliberations_is_reported(store: Store, url: str) -> None:
    """The most frequent reason first; what a deliberation lost that gave a verdict all the same is no reason."""
    whole = entered()
    await enter(store, *whole.parts)
    for number, call, verdict in ((0, "p1", None), (1, "p1", None), (1, "p2", None), (2, "p1", "B")):
        deliberation = whole.instances[number].deliberation_id
        told = identity(call, workflow_id=deliberation)
        error = "provider.auth" if call == "p2" else "provider.unavailable"
        reply = failure("it is away").model_copy(update={"error_type": error, "call_id": call})
        lost = (LostEntry(identity=told, stage="opinion", reply=reply),)
        await held(store, whole, number, verdict=verdict, lost=lost)
    async with reader_at(url) as reader:
        found = await reader.why_failed("toy")
        assert [(why.error_type, why.calls, why.message) for why in found] == [
            ("provider.unavailable", 2, "it is away"),
            ("provider.auth", 1, "it is away"),
        ]
        assert await reader.why_failed("other") == ()


async def test_a_study_that_is_not_there_is_none(url: str, store: Store) -> None:
    """A request for a name that the ledger does not have gets no study, no instance and no money."""
    async with reader_at(url) as reader:
        assert (await reader.known("other"), await reader.studies()) == (None, ())
        assert await reader.progress("other") == Progress(total=0, completed=0, failed=0, missing=0)
