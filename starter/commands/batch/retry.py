"""``parley batch retry`` and ``parley batch extend``."""

from typing import TYPE_CHECKING, Any

import click

from parley.notices import notify
from starter.commands.parameters import detach_option, json_option
from starter.handlers.command_runner import with_settings

if TYPE_CHECKING:
    from parley.session import Worker
    from runtime.settings import Settings


@click.command("retry")
@click.argument("name")
@detach_option
@json_option
@with_settings
async def retry(settings: "Settings", /, *, name: str, **output: Any) -> int:
    """Run again what failed or is missing of the study NAME.

    What was answered before is neither asked nor paid again.
    """
    from parley.session import open_session
    from starter.commands.batch.run import after
    from studies.runs.start import StudyRuns
    from studies.runs.status import known_study

    study = await known_study(settings, name)
    async with open_session(settings, notify, worker=_worker(output), rehearse=study.rehearsal) as session:
        begun = await StudyRuns(session.parley.client, settings).retry(name)
        return await after(session, settings, begun, output)


@click.command("extend")
@click.argument("path", metavar="STUDY.toml")
@click.option("--name", help="The study's name; by default that of the file.")
@click.option("--limit", "rows", metavar="A-B", help="These records alone, counted from 1; by default all.")
@detach_option
@json_option
@with_settings
async def extend(settings: "Settings", /, *, path: str, name: str | None, rows: str | None, **output: Any) -> int:
    """Add the rows that the dataset of STUDY.toml has got since, and run them too.

    Rows that the study has must be there as they were.
    """
    from parley.session import open_session
    from starter.commands.batch.run import after, overrides
    from studies.definition.load import load_study
    from studies.runs.control import StudyControl
    from studies.runs.start import StudyRuns

    study = load_study(path, overrides({"name": name, "rows": rows}), settings)
    async with open_session(study.settings, notify, worker=_worker(output), rehearse=study.is_rehearsal) as session:
        studies = StudyRuns(session.parley.client, study.settings)
        added = await studies.extend(study)
        notify(f"added: {added.rows} rows, {added.instances} deliberations")
        steering = StudyControl(session.parley.client, study.settings, study.study.name)
        if added.instances:
            await steering.extend(study.instances)
        begun = await studies.go_on(study.study.name, title=study.study.title)
        return await after(session, study.settings, begun, output)


def _worker(output: dict[str, Any]) -> "Worker":
    return "none" if output["detach"] else "needed"
