"""The status of a study while no worker runs, and which of its failures are open until its batch ends."""

import asyncio
import re
from pathlib import Path
from typing import NamedTuple

import pytest
from temporalio.api.common.v1 import Payloads, WorkflowExecution
from temporalio.api.workflowservice.v1 import PauseActivityRequest, RespondActivityTaskCompletedByIdRequest
from temporalio.exceptions import ApplicationError

from activities.ledger import LedgerActivities, LostEntry
from ledger.store import Store
from ledger.studies.writing import enter
from parley.client import Parley
from protocols.task_queues import TASK_QUEUE
from runtime.settings import Settings
from studies.exports.study_tables import StudyTables
from studies.runs import status as statuses
from studies.runs.start import StudyRuns
from studies.runs.status import known_study, running_studies, study_status
from tests.fakes.councils import agreeable, council_input
from tests.fakes.entered import entered, line_of
from tests.fakes.models import ScriptedModels
from tests.fakes.payments import failure, identity
from tests.fakes.staff import staff
from tests.fakes.upgraded import UpgradedLedgers

FIRING = "undecided-20261121-180511"


class Undecided(NamedTuple):
    """A client, and the settings of a ledger with a study that is a firing: an outage has lost its first instance."""

    parley: Parley
    settings: Settings


@pytest.fixture
async def undecided(parley: Parley, upgraded: UpgradedLedgers, tmp_path: Path) -> Undecided:
    """The study in the ledger; its batch does not run yet."""
    url, whole = await upgraded.file(tmp_path / "books.db"), entered(FIRING)
    store = Store(url)
    await enter(store, *whole.parts, [])
    lost = [{"participant": "p1", "model": "lab:small", "error_type": "provider.unavailable", "message": "no"}]
    result = {"stop_reason": "no_answers", "failed": lost, "spent": {"calls": 1}}
    first = whole.instances[0]
    reply = failure().model_copy(update={"error_type": "provider.unavailable"})
    entry = LostEntry(identity=identity(workflow_id=first.deliberation_id), stage="opinion", reply=reply)
    failed = line_of(first, verdict=None, stop_reason="no_answers", result=result, lost=(entry,))
    await LedgerActivities(store).record_deliberation(failed)
    await store.close()
    return Undecided(parley, parley.settings.model_copy(update={"database_url": url}))


async def test_what_an_outage_has_lost_is_open_until_the_batch_ends(undecided: Undecided) -> None:
    """Status, comparison and Arrow tables count it alike, of a study and of a schedule's firing, without a worker."""
    settings, client = undecided.settings, undecided.parley.client
    study, found = await known_study(settings, FIRING), []
    for names in ((FIRING,), ("undecided", "another")):
        status = await study_status(client, settings, study)
        running = await running_studies(settings, *names, client=client)
        ends = (await StudyTables(FIRING, settings, client).deliberations()).column("status").to_pylist()
        found.append((status.status, status.progress.failed, running, ends.count("failed")))
        if status.status == "none":
            await StudyRuns(client, settings).go_on(FIRING)
    await client.get_workflow_handle(FIRING).terminate()

    assert [("none", 1, frozenset(), 1), ("running", 0, {FIRING}, 0)] == found


async def test_a_server_that_cannot_be_asked_is_named(
    undecided: Undecided, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A copy of a ledger has no server: what an outage has lost is failed there, and a notice says so."""
    copied = undecided.settings.model_copy(update={"home": tmp_path / "none"})
    assert frozenset() == await running_studies(copied, FIRING)
    said = capsys.readouterr().err
    assert f"{FIRING}: it is not known whether it still runs ({tmp_path / 'none'} does not exist" in said


async def test_a_study_that_waits_for_the_ledger_shows_why(parley: Parley) -> None:
    """While a call of its newest deliberation waits, the note has the reason; without one, there is none."""
    full = ApplicationError("the ledger has no space left", type="store.full")
    async with staff(parley.client, ScriptedModels(lambda _: full)):
        started = await parley.client.start_workflow(
            "Council", council_input(), id="night/1.council", task_queue=TASK_QUEUE
        )
        while not (note := await statuses._why_it_waits(parley.client, "night")):  # noqa: ASYNC110 - another one acts
            await asyncio.sleep(0.05)
        await started.terminate()

    assert re.fullmatch(r"the ledger away since \d\d:\d\d UTC \(the ledger has no space left\)", note)
    assert await statuses._why_it_waits(parley.client, "night") == ""


async def test_a_study_names_what_was_paused_or_completed_by_hand(parley: Parley) -> None:
    """A call that is not of the newest deliberation is named with its remedy, and so is a result that is none."""
    models, client = ScriptedModels(agreeable), parley.client
    models.hold |= {"opinion-p1"}
    async with staff(client, models):
        runs = [
            await client.start_workflow("Council", council_input(), id=f"held/{number}.council", task_queue=TASK_QUEUE)
            for number in (1, 2)
        ]
        while len(models.calls) < 2 * len(council_input().panel.participants):  # noqa: ASYNC110 - as below
            await asyncio.sleep(0.05)
        first, call = WorkflowExecution(workflow_id=runs[0].id), "opinion-p1"
        pause = PauseActivityRequest(namespace=client.namespace, execution=first, id=call)
        await client.workflow_service.pause_activity(pause)
        while not (paused := await statuses._why_it_waits(client, "held")):  # noqa: ASYNC110 - another one acts
            await asyncio.sleep(0.05)
        await runs[0].terminate()
        rubbish = Payloads(payloads=await client.data_converter.encode(["rubbish"]))
        done = RespondActivityTaskCompletedByIdRequest(
            namespace=client.namespace, workflow_id=runs[1].id, activity_id=call, result=rubbish
        )
        await client.workflow_service.respond_activity_task_completed_by_id(done)
        while not (failing := await statuses._why_it_waits(client, "held")):  # noqa: ASYNC110 - as above
            await asyncio.sleep(0.05)
        await runs[1].terminate()

    assert "held/1.council opinion-p1: paused, see temporal activity unpause" == paused
    assert re.match(r"held/2.council: its workflow task fails .*the result of an activity cannot be used: ", failing)
    assert "temporal workflow reset --type LastWorkflowTask" in failing
