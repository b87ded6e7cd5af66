"""``parley batch status`` and ``parley batch list``."""

import click

from ledger.studies.reading import StudyReader
from parley.errors import VERDICT
from parley.notices import notify
from parley.session import open_session
from runtime.settings import Settings
from starter.commands.batch.output_options import run_on_ledger
from starter.terminal import as_json, console
from starter.views import batches as views
from studies.runs.follow import follow
from studies.runs.status import known, standing


@click.command("status")
@click.argument("name")
@click.option("--follow", "follows", is_flag=True, help="Until its batch is over.")
@click.option("--json", "json_", is_flag=True, help="Print one JSON document.")
def status(name: str, follows: bool, json_: bool) -> None:
    """Show how far the study NAME is, what it used, and why nothing begins if so."""

    async def work(settings: Settings) -> int:
        study = await known(settings, name)
        async with open_session(settings, notify, worker="none") as session:
            client = session.parley.client
            if follows:
                with views.BatchScreen(console(to_stderr=json_)) as screen:
                    async for sight in follow(client, settings, name):
                        screen.show(sight)
            now = await standing(client, settings, study)
        if json_:
            click.echo(as_json(now.model_dump(mode="json")))
        else:
            console().print(views.drawn(now))
            for step in views.next_steps(now):
                notify(step)
        return VERDICT

    run_on_ledger(work, json=json_)


@click.command("list")
@click.option("--json", "json_", is_flag=True, help="Print one JSON document.")
def list_(json_: bool) -> None:
    """List the studies of the ledger, the newest first."""

    async def work(settings: Settings) -> int:
        async with StudyReader(settings.database_url) as books:
            there = await books.studies()
        async with open_session(settings, notify, worker="none") as session:
            lines = [await standing(session.parley.client, settings, study) for study in there]
        if json_:
            click.echo(as_json({"studies": [line.model_dump(mode="json") for line in lines]}))
        else:
            console().print(views.studies(lines))
        return VERDICT

    run_on_ledger(work, json=json_)
