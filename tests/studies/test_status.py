"""The status of a study while no worker runs."""

import asyncio
import re
from pathlib import Path

from temporalio.exceptions import ApplicationError

from activities.ledger import LedgerActivities, LostEntry
from ledger.store import Store
from ledger.studies.writing import enter
from parley.client import Parley
from protocols.task_queues import TASK_QUEUE
from studies.runs import status
from studies.runs.start import StudyRuns
from studies.runs.status import known_study, running_studies, study_status
from tests.fakes.councils import council_input
from tests.fakes.entered import entered, line_of
from tests.fakes.models import ScriptedModels
from tests.fakes.payments import failure, identity
from tests.fakes.staff import staff
from tests.fakes.upgraded import UpgradedLedgers


async def test_what_an_outage_has_lost_is_open_until_the_batch_ends(
    parley: Parley, upgraded: UpgradedLedgers, tmp_path: Path
) -> None:
    """Without a worker too: the batch decides whether it runs again, and status and comparison count it alike."""
    url, whole = await upgraded.file(tmp_path / "books.db"), entered("undecided")
    store = Store(url)
    await enter(store, *whole.parts, [])
    lost = [{"model": "lab:small", "error_type": "provider.unavailable", "message": "no"}]
    result = {"stop_reason": "no_answers", "failed": lost, "spent": {"calls": 1}}
    first = whole.instances[0]
    reply = failure().model_copy(update={"error_type": "provider.unavailable"})
    entry = LostEntry(identity=identity(workflow_id=first.deliberation_id), stage="opinion", reply=reply)
    failed = line_of(first, verdict=None, stop_reason="no_answers", result=result, lost=(entry,))
    await LedgerActivities(store).record_deliberation(failed)
    await store.close()
    settings = parley.settings.model_copy(update={"database_url": url})
    study, client = await known_study(settings, "undecided"), parley.client
    found = [(await study_status(client, settings, study), await running_studies(settings, "undecided"))]
    await StudyRuns(client, settings).go_on("undecided")
    found.append((await study_status(client, settings, study), await running_studies(settings, "undecided")))
    await client.get_workflow_handle("undecided").terminate()

    assert [("none", 1), ("running", 0)] == [(one.status, one.progress.failed) for one, _ in found]
    assert [frozenset(), {"undecided"}] == [running for _, running in found]


async def test_a_study_that_waits_for_the_ledger_shows_why(parley: Parley) -> None:
    """While a call of its newest deliberation waits, the note has the reason; without one, there is none."""
    full = ApplicationError("the ledger has no space left", type="store.full")
    async with staff(parley.client, ScriptedModels(lambda _: full)):
        started = await parley.client.start_workflow(
            "Council", council_input(), id="night/1.council", task_queue=TASK_QUEUE
        )
        while not (note := await status._wait_for_ledger(parley.client, "night")):  # noqa: ASYNC110 - another one acts
            await asyncio.sleep(0.05)
        await started.terminate()

    assert re.fullmatch(r"the ledger away since \d\d:\d\d UTC \(the ledger has no space left\)", note)
    assert await status._wait_for_ledger(parley.client, "night") == ""
