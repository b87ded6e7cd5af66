"""``parley release``: a person has a withheld turn of a debate shown."""

import click

from parley.questions import read_argument
from protocols.debate.model.turn import AgentResponse
from starter.commands.update_command import change


@click.command("release")
@click.argument("deliberation_id", metavar="ID")
@click.argument("agent", metavar="DEBATER")
@click.option("--round", "round_number", type=click.IntRange(1), help="By default the latest that is withheld.")
@click.option("--note", default="", help="Text or @FILE, 500 characters: why; it stands in the result.")
def command(deliberation_id: str, agent: str, round_number: int | None, note: str) -> None:
    """Show a turn of DEBATER (p1, p2 …) in the debate ID that the safety evaluator withheld.

    All who speak from now on see it, and what it claims enters the registries. Which turns are withheld, and why, is
    listed by: parley show ID. A debate of which no turn may be shown waits for this command.
    """

    def told(turn: AgentResponse) -> str:
        claims = ", ".join(turn.claims_touched.introduced)
        entered = f"; its claims are {claims}" if claims else ""
        return f"{deliberation_id}: the turn of {turn.agent} in round {turn.round} is shown from now on{entered}"

    change(
        lambda parley: parley.release_turn(deliberation_id, agent, round_number=round_number, note=read_argument(note)),
        told,
    )
