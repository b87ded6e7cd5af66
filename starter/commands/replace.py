"""``parley replace``: put another model behind a seat while a deliberation runs."""

import click

from runtime.settings import Settings
from starter.changes import work_is_done
from starter.errors import VERDICT
from starter.exits import run, say
from starter.session import open_session


@click.command("replace")
@click.argument("deliberation_id", metavar="ID")
@click.argument("seat")
@click.argument("model")
def command(deliberation_id: str, seat: str, model: str) -> None:
    """Put MODEL behind SEAT (p1, p2 …, or chair) of the deliberation ID, which must be running.

    A call that is being made there is closed and asked of the new model.
    """

    async def work(settings: Settings) -> int:
        async with open_session(settings, say, worker="none") as session:
            await work_is_done(session)
            await session.parley.replace_participant(deliberation_id, seat, model)
        say(f"{model} sits at {seat} of {deliberation_id} now")
        return VERDICT

    run(work)
