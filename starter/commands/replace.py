"""``parley replace``: put another model behind a seat while a deliberation runs."""

import click

from starter.commands.update_command import change


@click.command("replace")
@click.argument("deliberation_id", metavar="ID")
@click.argument("seat")
@click.argument("model")
def command(deliberation_id: str, seat: str, model: str) -> None:
    """Put MODEL behind SEAT of the deliberation ID, which must be running.

    The seats of a council are p1, p2 … and chair; those of a consensus generator, refiner, validator and curator; those
    of a debate p1, p2 …, evaluator, summariser, judge and synthesiser. A call that is being made there is closed and
    asked of the new model.
    """
    change(
        lambda parley: parley.replace_participant(deliberation_id, seat, model),
        f"{model} sits at {seat} of {deliberation_id} now",
    )
