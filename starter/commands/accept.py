"""``parley accept``: a person takes the present draft for the verdict."""

import click

from starter.commands.update_command import change


@click.command("accept")
@click.argument("deliberation_id", metavar="ID")
@click.option("--reason", default="accepted by a person", show_default=True, help="Stands in the result.")
def command(deliberation_id: str, reason: str) -> None:
    """Take the present draft of the consensus ID for its verdict, now; nothing more is asked or paid."""
    change(
        lambda parley: parley.accept_draft(deliberation_id, reason),
        f"the draft of {deliberation_id} is accepted. Read it: parley show {deliberation_id}",
    )
