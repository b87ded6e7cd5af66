"""The status of a study while no worker runs."""

from pathlib import Path

from activities.ledger import LedgerActivities, LostEntry
from ledger.store import Store
from ledger.studies.writing import enter
from parley.client import Parley
from studies.runs.start import StudyRuns
from studies.runs.status import known_study, running_studies, study_status
from tests.fakes.entered import entered, line_of
from tests.fakes.payments import failure, identity
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

    assert [("none", 1), ("running", 0)] == [(status.status, status.progress.failed) for status, _ in found]
    assert [frozenset(), {"undecided"}] == [running for _, running in found]
