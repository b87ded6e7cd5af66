"""``parley rounds``: allow a running deliberation more rounds."""

from typing import TYPE_CHECKING

import click

from parley.notices import notify
from starter.commands.parameters import deliberation_id
from starter.handlers.command_runner import with_worker

if TYPE_CHECKING:
    from parley.session import Session


@click.command("rounds")
@deliberation_id
@click.argument("more", metavar="+N", type=click.IntRange(1, 50))
@click.option("--focus", default="", help="The question for the first of them (debate); by default none.")
@with_worker
async def command(session: "Session", *, deliberation_id: str, more: int, focus: str) -> None:
    """Allow the consensus or debate ID that many more rounds, as in +2, and at most 50 in all."""
    progress = await session.parley.add_rounds(deliberation_id, more, focus=focus)
    notify(f"{deliberation_id} may have {progress.rounds} rounds now")
