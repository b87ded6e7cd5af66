"""``parley stop``: stop a deliberation and keep the result so far."""

from typing import TYPE_CHECKING

import click

from parley.notices import notify
from starter.commands.parameters import deliberation_id
from starter.handlers.command_runner import with_worker

if TYPE_CHECKING:
    from parley.session import Session


@click.command("stop")
@deliberation_id
@click.option("--after-round", is_flag=True, help="Finish the present round first (consensus).")
@click.option("--reason", default="stopped by a person", help="Kept in the history.")
@with_worker
async def command(session: "Session", *, deliberation_id: str, after_round: bool, reason: str) -> None:
    """Stop the deliberation ID and keep the result so far; nothing more is asked or paid."""
    if after_round:
        await session.parley.stop_after_round(deliberation_id, reason)
        notify(f"{deliberation_id} ends after this round. Follow it: parley watch {deliberation_id}")
    else:
        await session.parley.stop(deliberation_id, reason)
        notify(f"{deliberation_id} is stopped. Its result so far: parley show {deliberation_id}")
