"""The status of a study while no worker runs."""

from pathlib import Path

from activities.ledger import LedgerActivities
from ledger.store import Store
from ledger.studies.writing import enter
from parley.client import Parley
from studies.runs.start import StudyRuns
from studies.runs.status import known_study, study_status
from tests.fakes.entered import entered, line_of
from tests.fakes.upgraded import UpgradedLedgers


async def test_failed_ones_may_run_again_while_no_worker_runs(
    parley: Parley, upgraded: UpgradedLedgers, tmp_path: Path
) -> None:
    """The batch decides whether one that lost its provider runs again, and the ledger has it as it ended."""
    url, whole = await upgraded.file(tmp_path / "books.db"), entered("undecided")
    store = Store(url)
    await enter(store, *whole.parts, [])
    failed = line_of(whole.instances[0], verdict=None, stop_reason="no_answers")
    await LedgerActivities(store).record_deliberation(failed)
    await store.close()
    settings = parley.settings.model_copy(update={"database_url": url})
    study, client = await known_study(settings, "undecided"), parley.client
    before = await study_status(client, settings, study)
    await StudyRuns(client, settings).go_on("undecided")
    now = await study_status(client, settings, study)
    await client.get_workflow_handle("undecided").terminate()

    assert ("none", 1, "") == (before.status, before.progress.failed, before.note)
    assert ("running", 1) == (now.status, now.progress.failed)
    assert now.note.endswith("Of the failed ones, those that a provider which was away has lost may run again")
