"""A study that is entered once more under another name."""

from typing import Any

import pytest
from sqlalchemy import select, text
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from activities.studies import MISSING, StudyActivities
from activities.study_copies import StudyCopies
from ledger.call_rows import call_row
from ledger.identity import identity_of
from ledger.store import Store
from ledger.studies.reading import Progress, StudyReader
from ledger.studies.records import RejectedRow
from ledger.studies.settings import SavedSettings, change_settings
from ledger.studies.writing import enter
from ledger.study_tables import INSTANCES, REJECTED_ROWS, STUDIES, STUDY_ARMS, STUDY_ROWS
from ledger.tables import CALLS
from protocols.model_call import Answered
from protocols.study.model import Amount, Budget, InstancesRequest, RunSettings
from protocols.study.scheduled import CopiedStudy, StudyCopy
from tests.fakes.calls import model_call
from tests.fakes.entered import argument, entered, without_draws

NAME = "toy-20260501-030000"
TABLES = (STUDIES, STUDY_ARMS, STUDY_ROWS, INSTANCES, REJECTED_ROWS)


async def copied(store: Store, name: str = NAME, pattern: str = "toy") -> CopiedStudy:
    """What the activity returns."""
    return await ActivityEnvironment().run(StudyCopies(store).copy_study, StudyCopy(pattern=pattern, name=name))


async def everything(store: Store) -> list[Any]:
    """Every line of the studies' tables."""
    return [await store.rows(select(table)) for table in TABLES]


async def test_a_copy_has_every_instance_under_its_own_name(store: Store) -> None:
    """Deliberations get ids of their own and belong to the copy's batch; what they are asked stays as it was."""
    await enter(store, *entered(rows=2, repeats=2).parts)
    done = await copied(store)
    request = InstancesRequest(study=NAME, numbers=tuple(range(8)))
    found = (await ActivityEnvironment().run(StudyActivities(store).load_instances, request)).instances
    cells = [(arm, row, repeat) for row in range(2) for repeat in (1, 2) for arm in ("council", "consensus")]
    assert done == CopiedStudy(instances=8, terms=RunSettings())
    assert without_draws(found) == [argument(*cell) | {"batch_id": NAME} for cell in cells]
    assert [one.deliberation_id for one in found[:4]] == [
        f"{NAME}/q0.council",
        f"{NAME}/q0.consensus",
        f"{NAME}/q0.council.r2",
        f"{NAME}/q0.consensus.r2",
    ]


async def test_a_copy_made_before_has_used_what_its_calls_took(store: Store) -> None:
    """A firing that is reset copies again; its batch counts from what was paid before the reset."""
    await enter(store, *entered(rows=2).parts)
    fresh = await copied(store)
    answer = {"call_id": "opinion-p1", "participant": "p1", "model": "lab:a", "provider": "lab", "text": "Because."}
    used = {"prompt_tokens": 10, "completion_tokens": 5}
    paid = Answered.model_validate(answer | {"usage": used, "cost": {"usd": 0.25, "source": "provider"}})
    row = call_row(identity_of(f"{NAME}/q0.council", model_call()), paid, stage="opinion", round_number=1)
    await store.change(store.insert(CALLS), row)
    assert (Amount(), Amount(usd=0.25, tokens=15)) == (fresh.used, (await copied(store)).used)


async def test_a_copy_is_a_study_like_any_other(store: Store, url: str) -> None:
    """It is listed with the content, rows and labels of its pattern, and nothing of it runs yet."""
    whole = entered()
    await enter(store, *whole.parts)
    await copied(store)
    async with StudyReader(url) as reader:
        copy = await reader.known(NAME)
        assert copy is not None
        assert (copy.content, copy.fingerprint, copy.rows, copy.arms) == (
            whole.study.content,
            whole.study.fingerprint,
            3,
            ("council", "consensus"),
        )
        assert await reader.progress(NAME) == Progress(total=6, completed=0, failed=0, missing=0)


async def test_a_second_attempt_changes_nothing(store: Store) -> None:
    """An activity may run twice; the copy is made once, and says the same each time."""
    await enter(store, *entered(rows=600).parts)
    first = await copied(store)
    before = await everything(store)
    assert await copied(store) == first == CopiedStudy(instances=1200, terms=RunSettings())
    assert await everything(store) == before


async def test_the_pattern_stays_as_it_was(store: Store) -> None:
    """Copying only adds lines, each under the copy's name."""
    await enter(store, *entered().parts, [RejectedRow(line=9, reason="no id")])
    before = await everything(store)
    await copied(store)
    kept = [[row for row in rows if row[0] == "toy"] for rows in await everything(store)]
    assert kept == before


async def test_each_firing_has_a_copy_of_its_own(store: Store) -> None:
    """Two copies of one pattern share no deliberation."""
    await enter(store, *entered().parts)
    for name in (NAME, "toy-20260502-030000"):
        await copied(store, name)
    ids = [row.deliberation_id for row in await store.rows(select(INSTANCES.c.deliberation_id))]
    assert (len(ids), len(set(ids))) == (18, 18)


async def test_a_copy_goes_on_with_the_terms_of_its_pattern(store: Store, url: str) -> None:
    """What a user set for the pattern holds for every firing, and is in its ledger too."""
    await enter(store, *entered().parts)
    now = RunSettings(window=3, cap=Budget(usd=2.0))
    await change_settings(store, "toy", lambda _: SavedSettings(said=RunSettings(), now=now))
    assert (await copied(store)).terms == now
    async with StudyReader(url) as reader:
        copy = await reader.known(NAME)
    assert copy is not None
    assert copy.terms == now


async def test_a_pattern_that_is_gone_is_a_final_error(store: Store) -> None:
    """The error names the study and the remedy, is not tried again, and leaves no line."""
    with pytest.raises(ApplicationError, match="no study 'toy' any more; make the schedule anew: parley") as error:
        await copied(store)
    assert (error.value.type, error.value.non_retryable) == (MISSING, True)
    assert await everything(store) == [[]] * len(TABLES)


async def test_a_copy_that_breaks_off_leaves_nothing(sqlite_store: Store) -> None:
    """A damaged template is refused for good, and no half of a study is left behind."""
    await enter(sqlite_store, *entered().parts)
    await sqlite_store.change(text("update study_arms set template = x'00ff'"))
    before = await everything(sqlite_store)
    with pytest.raises(ApplicationError, match="restore the database") as error:
        await copied(sqlite_store)
    assert (error.value.type, error.value.non_retryable) == ("store.refused", True)
    assert await everything(sqlite_store) == before
