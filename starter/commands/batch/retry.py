"""``parley batch retry`` and ``parley batch extend``."""

from typing import Any

import click

from parley.notices import notify
from parley.session import Worker, open_session
from runtime.settings import Settings
from starter.commands.batch.output_options import manner_options, run_on_ledger
from starter.commands.batch.run import after, overrides
from studies.definition.load import opened
from studies.runs.control import Steering
from studies.runs.start import Studies
from studies.runs.status import known


@click.command("retry")
@click.argument("name")
@click.option("--failed", is_flag=True, help="What failed or was lost; this is all that can be held again.")
@manner_options
def retry(name: str, failed: bool, **manner: Any) -> None:  # noqa: ARG001 - said for clearness, it is the only way
    """Hold again what failed or was lost of the study NAME.

    What was answered before is neither asked nor paid again.
    """

    async def work(settings: Settings) -> int:
        study = await known(settings, name)
        worker: Worker = "none" if manner["detach"] else "needed"
        async with open_session(settings, notify, worker=worker, rehearse=study.rehearsal) as session:
            begun = await Studies(session.parley.client, settings).retry(name)
            return await after(session, settings, begun, manner)

    run_on_ledger(work, json=manner["json_"])


@click.command("extend")
@click.argument("path", metavar="STUDY.toml")
@click.option("--name", help="Of the study, when it is not the one that the file says.")
@click.option("--limit", "rows", metavar="A-B", help="These records alone, counted from 1.")
@manner_options
def extend(path: str, name: str | None, rows: str | None, **manner: Any) -> None:
    """Add the rows that the dataset of STUDY.toml has got since, and hold them too.

    Rows that the study has must stand there as they were.
    """

    async def work(settings: Settings) -> int:
        study = opened(path, overrides({"name": name, "rows": rows}), settings)
        worker: Worker = "none" if manner["detach"] else "needed"
        async with open_session(study.settings, notify, worker=worker, rehearse=study.is_rehearsal) as session:
            studies = Studies(session.parley.client, study.settings)
            added = await studies.extend(study)
            notify(f"added: {added.rows} rows, {added.instances} deliberations")
            steering = Steering(session.parley.client, study.settings, study.study.name)
            if added.instances:
                await steering.extend(study.instances)
            begun = await studies.go_on(study.study.name, title=study.study.title)
            return await after(session, study.settings, begun, manner)

    run_on_ledger(work, json=manner["json_"])
