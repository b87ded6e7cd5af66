"""``parley batch status`` and ``parley batch list``."""

from typing import TYPE_CHECKING

import click

from parley.notices import notify
from starter.commands.parameters import json_option
from starter.handlers.command_runner import with_settings

if TYPE_CHECKING:
    from runtime.settings import Settings


@click.command("status")
@click.argument("name")
@click.option("--follow", "follows", is_flag=True, help="Until its batch is over.")
@json_option
@with_settings
async def status(settings: "Settings", *, name: str, follows: bool, json: bool) -> None:
    """Show the progress of the study NAME, what it used, and why nothing starts if so."""
    from parley.session import open_session
    from starter.terminal import console, print_result
    from starter.views import batches as views
    from studies.runs.follow import follow
    from studies.runs.status import known_study, study_status

    study = await known_study(settings, name)
    async with open_session(settings, notify, worker="none") as session:
        client = session.parley.client
        if follows:
            with views.BatchScreen(console(to_stderr=json)) as screen:
                async for sight in follow(client, settings, name):
                    screen.show(sight)
        now = await study_status(client, settings, study)
    print_result(now.model_dump(mode="json"), views.as_renderable(now), json=json)
    if not json:
        for step in views.next_steps(now):
            notify(step)


@click.command("list")
@json_option
@with_settings
async def list_(settings: "Settings", *, json: bool) -> None:
    """List the studies of the ledger, the newest first."""
    from ledger.studies.reading import StudyReader
    from parley.session import open_session
    from starter.terminal import print_result
    from starter.views import batches as views
    from studies.runs.status import study_status

    async with StudyReader(settings.database_url) as ledger:
        studies = await ledger.studies()
    async with open_session(settings, notify, worker="none") as session:
        lines = [await study_status(session.parley.client, settings, study) for study in studies]
    print_result({"studies": [line.model_dump(mode="json") for line in lines]}, views.studies(lines), json=json)
