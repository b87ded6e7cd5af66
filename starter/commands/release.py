"""``parley release``: show a turn of a debate that the safety evaluator withheld."""

from typing import TYPE_CHECKING

import click

from parley.notices import notify
from starter.commands.parameters import deliberation_id
from starter.handlers.command_runner import with_worker

if TYPE_CHECKING:
    from parley.session import Session


@click.command("release")
@deliberation_id
@click.argument("agent", metavar="DEBATER")
@click.option(
    "--round", "round_number", type=click.IntRange(1), help="By default the latest round with a withheld turn."
)
@click.option(
    "--note", default="", help="The reason, kept in the result: text or @FILE, 500 characters; by default none."
)
@with_worker
async def command(session: "Session", *, deliberation_id: str, agent: str, round_number: int | None, note: str) -> None:
    """Show a turn of DEBATER (p1, p2 …) in the debate ID that the safety evaluator withheld.

    Every turn from now on sees it, and its claims enter the registries. The withheld turns, with the reasons, are
    listed by: parley show ID. A debate of which no turn may be shown waits for this command.
    """
    from parley.questions import read_argument

    reason = read_argument(note)
    turn = await session.parley.release_turn(deliberation_id, agent, round_number=round_number, note=reason)
    claims = ", ".join(turn.claims_touched.introduced)
    entered = f"; its claims are {claims}" if claims else ""
    notify(f"{deliberation_id}: the turn of {turn.agent} in round {turn.round} is shown from now on{entered}")
