"""``parley stop``: end a deliberation now with what there is."""

import click

from runtime.settings import Settings
from starter.changes import work_is_done
from starter.errors import VERDICT
from starter.exits import run, say
from starter.session import open_session


@click.command("stop")
@click.argument("deliberation_id", metavar="ID")
@click.option("--reason", default="stopped by a person", show_default=True, help="Stands in the history.")
def command(deliberation_id: str, reason: str) -> None:
    """End the deliberation ID now with what there is; nothing more is asked or paid."""

    async def work(settings: Settings) -> int:
        async with open_session(settings, say, worker="none") as session:
            await work_is_done(session)
            await session.parley.stop(deliberation_id, reason)
        say(f"{deliberation_id} is stopped. What there is: parley show {deliberation_id}")
        return VERDICT

    run(work)
