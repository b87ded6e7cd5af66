"""``parley cancel``: end a deliberation without a verdict."""

import click

from parley.errors import VERDICT
from parley.notices import notify
from parley.session import open_session
from runtime.settings import Settings
from starter.command_runner import run


@click.command("cancel")
@click.argument("deliberation_id", metavar="ID")
def command(deliberation_id: str) -> None:
    """End the deliberation ID without a verdict. It takes effect as soon as a worker runs."""

    async def work(settings: Settings) -> int:
        async with open_session(settings, notify, worker="none") as session:
            await session.parley.cancel(deliberation_id)
        notify(f"{deliberation_id} was asked to end")
        return VERDICT

    run(work)
