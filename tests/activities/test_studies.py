import asyncio
from typing import Any

import pytest
from sqlalchemy import select, text
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from activities.ledger import LedgerActivities
from activities.studies import MISSING, StudyActivities
from ledger.journal import Journal
from ledger.migrations.upgrade import upgrade
from ledger.store import Store
from ledger.studies.reading import StudyReader
from ledger.studies.writing import enter
from ledger.study_tables import MISSING_INSTANCES
from ledger.tables import DELIBERATIONS
from protocols.model_call import Cost, Usage
from protocols.study.model import Amount, Instances, InstancesRequest, MissingInstance
from tests.fakes.entered import Whole, argument, entered, line_of, without_draws
from tests.fakes.payments import Payments, answer, identity

LOSS = MissingInstance(
    study="toy", number=1, deliberation_id="toy/q0.consensus", error_type="workflow.terminated", message="by hand"
)


async def brought(store: Store, *numbers: int, study: str = "toy") -> Instances:
    """What the activity brings."""
    request = InstancesRequest(study=study, numbers=numbers)
    return await ActivityEnvironment().run(StudyActivities(store).load_instances, request)


@pytest.fixture
async def toy(store: Store) -> Whole:
    """A study of three rows, two arms and two repeats, entered."""
    whole = entered(repeats=2)
    await enter(store, *whole.parts)
    return whole


async def test_an_instance_comes_with_the_whole_argument_of_its_workflow(store: Store, toy: Whole) -> None:
    """Template and changes together are what the deliberation begins with."""
    (last,) = (await brought(store, 11)).instances
    assert last.model_dump() | {"input": without_draws([last])} == {
        "number": 11,
        "deliberation_id": "toy/q2.consensus.r2",
        "workflow": "Consensus",
        "title": "Why 2?",
        "arm": "consensus",
        "estimate": Amount(usd=0.01, tokens=1000).model_dump(),
        "input": [argument("consensus", 2, repeat=2)],
        "charged": Amount().model_dump(),
        "is_free": False,
    }


@pytest.mark.parametrize(
    ("ended", "is_free"),
    [({}, True), ({"degraded": True}, False), ({"partial": True}, False), ({"verdict": None}, False)],
)
async def test_an_instance_with_a_whole_verdict_is_free(
    store: Store, toy: Whole, ended: dict[str, Any], *, is_free: bool
) -> None:
    """Only where nothing was lost, left out or stopped, each of its calls is in the journal."""
    await LedgerActivities(store).record_deliberation(line_of(toy.instances[0], **ended))
    assert [is_free, False] == [one.is_free for one in (await brought(store, 0, 1)).instances]


async def test_an_instance_states_what_it_was_charged_already(store: Store, toy: Whole) -> None:
    """Calls that were paid when it ran before are its own alone, and their unknown costs count nothing."""
    for call, cost in (("opinion-p1", Cost(usd=0.1, source="provider")), ("opinion-p2", Cost())):
        reply = answer().model_copy(update={"cost": cost})
        await Journal(store).once(identity(call, workflow_id="toy/q0.council"), Payments(reply, quick=True))
    first, second = (await brought(store, 0, 1)).instances
    assert (first.charged, second.charged) == (Amount(usd=0.1, tokens=34), Amount())


async def test_an_instance_was_charged_what_the_budget_of_its_study_counts(store: Store, url: str, toy: Whole) -> None:
    """Where tokens of it are unknown that is its plan, and when it has run again that is not charged twice."""
    reply = answer().model_copy(update={"usage": Usage(), "cost": Cost()})
    await Journal(store).once(identity("opinion-p1", workflow_id="toy/q0.council"), Payments(reply, quick=True))
    (first,) = (await brought(store, 0)).instances
    async with StudyReader(url) as reader:
        assert first.estimate == first.charged == await reader.charged("toy")


async def test_a_cancelled_instance_that_runs_again_was_charged_its_calls(store: Store, toy: Whole) -> None:
    """Its plan counted until then; its new end says what it took."""
    await LedgerActivities(store).record_deliberation(line_of(toy.instances[0], verdict=None, stop_reason="cancelled"))
    await Journal(store).once(identity("opinion-p1", workflow_id="toy/q0.council"), Payments(answer(), quick=True))
    (first,) = (await brought(store, 0)).instances
    assert first.charged == Amount(usd=0.001, tokens=17)


async def test_instances_come_in_the_order_asked_for(store: Store, toy: Whole) -> None:
    """A retry that names some of them gets them in its own order, not by number."""
    assert [one.number for one in (await brought(store, 7, 0, 3)).instances] == [7, 0, 3]


async def test_every_instance_comes_as_it_was_prepared(store: Store, toy: Whole) -> None:
    """Nothing is lost or mixed up between the arms."""
    found = (await brought(store, *range(12))).instances
    cells = [(arm, row, repeat) for row in range(3) for repeat in (1, 2) for arm in ("council", "consensus")]
    assert without_draws(found) == [argument(*cell) for cell in cells]


async def test_each_run_of_an_instance_draws_the_same(store: Store, toy: Whole) -> None:
    """An instance that is loaded again has its random draws again; another one, also of another ledger, has others."""
    first, second = (await brought(store, 0, 1)).instances
    assert (first,) == (await brought(store, 0)).instances
    await store.change(text("update installation set id = 'another'"))
    (elsewhere,) = (await brought(store, 0)).instances
    drawn: list[Any] = [one.input for one in (first, second, elsewhere)]
    assert 3 == len({one["draws"]["secret"] for one in drawn})
    nonces = [nonce for one in drawn for nonce in one["draws"]["nonces"].values()]
    assert len(nonces) == len(set(nonces))


@pytest.mark.parametrize(("study", "number"), [("toy", 12), ("other", 0)])
async def test_an_instance_that_is_not_there_is_a_final_error(
    store: Store, toy: Whole, study: str, number: int
) -> None:
    """The error names the number, the study and what to do, and is not tried again."""
    with pytest.raises(ApplicationError, match=rf"no instance {number} of the study '{study}'.*batch run") as error:
        await brought(store, number, study=study)
    assert (error.value.type, error.value.non_retryable) == (MISSING, True)


async def test_a_damaged_template_is_a_final_error(sqlite_store: Store) -> None:
    """What cannot be unpacked is refused with the remedy."""
    await enter(sqlite_store, *entered().parts)
    await sqlite_store.change(text("update study_arms set template = x'00ff'"))
    with pytest.raises(ApplicationError, match="restore the database") as error:
        await brought(sqlite_store, 0)
    assert (error.value.type, error.value.non_retryable) == ("store.refused", True)


async def test_a_loss_is_written_once(store: Store) -> None:
    """An attempt that is repeated leaves one line, the last one that was written."""
    for told in (LOSS, LOSS, LOSS.model_copy(update={"message": "again"})):
        await ActivityEnvironment().run(StudyActivities(store).record_missing_instance, told)
    (row,) = await store.rows(select(MISSING_INSTANCES))
    assert (row.number, row.error_type, row.message) == (1, "workflow.terminated", "again")


async def test_a_ledger_without_studies_is_refused_clearly(sqlite_store: Store) -> None:
    """A table that is not there is no reason to try for ever."""
    await sqlite_store.change(text("drop table missing_instances"))
    with pytest.raises(ApplicationError) as error:
        await ActivityEnvironment().run(StudyActivities(sqlite_store).record_missing_instance, LOSS)
    assert (error.value.type, error.value.non_retryable) == ("store.refused", True)


async def test_recording_under_race_leaves_one_line(url: str) -> None:
    """Attempts that write the same deliberation at once, from several workers, leave one line with what it was."""
    stores = [Store(url) for _ in range(4)]
    await upgrade(stores[0])
    line = line_of(entered().instances[0])
    await asyncio.gather(*(LedgerActivities(store).record_deliberation(line) for store in stores * 3))
    (row,) = await stores[0].rows(select(DELIBERATIONS))
    told: Any = row
    assert (told.id, told.scores, told.calls) == ("toy/q0.council", {"kendall_w": 0.75}, 3)
    for store in stores:
        await store.close()
