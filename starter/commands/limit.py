"""``parley limit``: allow a running consensus more rounds."""

import click

from starter.commands.update_command import change


@click.command("limit")
@click.argument("deliberation_id", metavar="ID")
@click.argument("rounds", type=int)
def command(deliberation_id: str, rounds: int) -> None:
    """Allow the consensus ID so many ROUNDS in all: more than it was allowed so far, and at most 50."""
    change(
        lambda parley: parley.raise_limit(deliberation_id, rounds),
        f"{deliberation_id} may have {rounds} rounds now",
    )
