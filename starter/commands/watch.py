"""``parley watch``: follow a deliberation that runs."""

import click

from parley.notices import notify
from parley.session import open_session
from runtime.settings import Settings
from starter.command_runner import run
from starter.show_result import conclude, follow
from starter.terminal import console


@click.command("watch")
@click.argument("deliberation_id", metavar="ID")
@click.option(
    "--json", "json_", is_flag=True, help="Print one JSON document at the end; the bars go to standard error."
)
def command(deliberation_id: str, json_: bool) -> None:
    """Follow the deliberation ID until it is over, then show how it came out.

    On this machine a worker is started for it when none runs.
    """

    async def work(settings: Settings) -> int:
        async with open_session(settings, notify, of=deliberation_id) as session:
            deliberation = session.parley.deliberation(deliberation_id)
            await follow(deliberation, console(to_stderr=json_))
            return await conclude(session, deliberation, json=json_)

    run(work, json=json_)
