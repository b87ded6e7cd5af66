"""``parley escalations``: the debates that wait for a person."""

import click

from parley.errors import VERDICT
from parley.notices import notify
from parley.session import open_session
from runtime.settings import Settings
from starter.command_runner import run
from starter.terminal import as_json, console
from starter.views.escalations import standstills


@click.command("escalations")
@click.option("--json", "json_", is_flag=True, help="Print one JSON document.")
def command(json_: bool) -> None:
    """List the debates that wait for a person, with what they wait for and the command that answers.

    Why one waits, and until when, is told by a worker.
    """

    async def work(settings: Settings) -> int:
        async with open_session(settings, notify, worker="none") as session:
            found = await session.parley.escalations()
        if json_:
            click.echo(as_json({"escalations": [one.model_dump(mode="json") for one in found]}))
        else:
            console().print(standstills(found))
        return VERDICT

    run(work, json=json_)
