"""``parley cancel``: end a deliberation without a verdict."""

from typing import TYPE_CHECKING

import click

from parley.notices import notify
from starter.commands.parameters import deliberation_id
from starter.handlers.command_runner import with_session

if TYPE_CHECKING:
    from parley.session import Session


@click.command("cancel")
@deliberation_id
@with_session
async def command(session: "Session", *, deliberation_id: str) -> None:
    """End the deliberation ID without a verdict. It takes effect as soon as a worker runs."""
    await session.parley.cancel(deliberation_id)
    notify(f"{deliberation_id} was asked to end")
