"""The work of ``parley validate``."""

from typing import Any

import click

from ledger.studies.reading import StudyReader
from parley.errors import FAILED, VERDICT
from parley.notices import notify
from runtime.settings import Settings
from starter.commands.batch.run import run_loaded
from starter.terminal import as_json, console
from starter.views.batches import next_steps
from starter.views.tables import REHEARSAL
from starter.views.validation import validation
from studies.runs.status import StudyStatus
from studies.validation.cases import trial_of
from studies.validation.opening import open_validation
from studies.validation.report import Measured, Report, report


async def run_validation(settings: Settings, given: dict[str, Any], switches: dict[str, Any]) -> int:
    """Run the shipped study with the options of the command line, and print what it measured."""
    with open_validation(given, settings) as (study, measured):

        async def show(last: StudyStatus) -> int:
            async with StudyReader(settings.database_url) as ledger:
                trials = [trial_of(row) async for row in ledger.results(last.study, whole=True)]
            return _shown(report(measured, trials), measured, last, json=switches["json"])

        return await run_loaded(study, {**switches, "show_prompts": False}, show)


def _shown(found: Report, measured: Measured, last: StudyStatus, *, json: bool) -> int:
    if json:
        label = REHEARSAL if found.rehearsal else None
        click.echo(as_json({"label": label, "study": last.study, **dict(found)}))
    else:
        console().print(validation(found, measured.cases))
        notify(f"parley compare {last.study}   parley report {last.study}   parley export {last.study}")
    for step in next_steps(last):
        notify(step)
    return VERDICT if found.passed else FAILED
