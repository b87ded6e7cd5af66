"""``parley add-round``: allow a running debate more rounds."""

import click

from protocols.debate.model.io import MOST_ROUNDS
from starter.commands.update_command import change


@click.command("add-round")
@click.argument("deliberation_id", metavar="ID")
@click.option("--rounds", type=click.IntRange(1, MOST_ROUNDS), default=1, show_default=True, help="How many more.")
@click.option("--focus", default="", help="The question for the first of them.")
def command(deliberation_id: str, rounds: int, focus: str) -> None:
    """Allow the debate ID more rounds than it was allowed so far, and at most 50 in all."""
    change(
        lambda parley: parley.add_round(deliberation_id, rounds, focus=focus),
        lambda stands: f"{deliberation_id} may have {stands.rounds} rounds now",
    )
