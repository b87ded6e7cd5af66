"""``parley replace``: put another model behind a seat while a deliberation runs."""

from typing import TYPE_CHECKING

import click

from parley.notices import notify
from starter.commands.parameters import deliberation_id
from starter.handlers.command_runner import with_worker

if TYPE_CHECKING:
    from parley.session import Session


@click.command("replace")
@deliberation_id
@click.argument("seat")
@click.argument("model")
@with_worker
async def command(session: "Session", *, deliberation_id: str, seat: str, model: str) -> None:
    """Put MODEL behind SEAT of the running deliberation ID.

    The seats of a council are p1, p2 … and chair; those of a consensus generator, refiner, validator and curator; those
    of a debate p1, p2 …, evaluator, summariser, judge and synthesiser. A call that is being made there is closed and
    asked of the new model.
    """
    await session.parley.replace_participant(deliberation_id, seat, model)
    notify(f"{model} sits at {seat} of {deliberation_id} now")
