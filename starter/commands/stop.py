"""``parley stop``: end a deliberation with what there is, now or after the round."""

import click

from starter.commands.update_command import change


@click.command("stop")
@click.argument("deliberation_id", metavar="ID")
@click.option("--after-round", is_flag=True, help="Let the present round come to its end first (consensus).")
@click.option("--reason", help="Stands in the history; by default, that a person stopped it.")
def command(deliberation_id: str, *, after_round: bool, reason: str | None) -> None:
    """End the deliberation ID with what there is; nothing more is asked or paid, at once or after the round."""
    given = (deliberation_id,) if reason is None else (deliberation_id, reason)
    if after_round:
        told = f"{deliberation_id} ends after this round. Follow it: parley watch {deliberation_id}"
        change(lambda parley: parley.stop_after_round(*given), told)
    else:
        told = f"{deliberation_id} is stopped. What there is: parley show {deliberation_id}"
        change(lambda parley: parley.stop(*given), told)
