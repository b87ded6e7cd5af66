"""``parley prompts``: print the prompts that a deliberation has sent."""

from typing import TYPE_CHECKING

import click

from starter.commands.parameters import deliberation_id, json_option
from starter.handlers.command_runner import with_session

if TYPE_CHECKING:
    from parley.session import Session


@click.command("prompts")
@deliberation_id
@click.option("--seat", help="Of this seat alone; by default of all.")
@click.option("--round", "round_number", type=click.IntRange(min=1), help="Of this round alone; by default of all.")
@click.option("--stage", help="Of this stage alone; by default of all.")
@click.option("--arrived", is_flag=True, help="The requests of a rehearsal, byte for byte as they arrived.")
@json_option
@with_session
async def command(
    session: "Session",
    *,
    deliberation_id: str,
    seat: str | None,
    round_number: int | None,
    stage: str | None,
    arrived: bool,
    json: bool,
) -> None:
    """Print the prompts that the deliberation ID has sent, word for word.

    They come from its history, so no worker is needed. With --json no character is left out. With --arrived they are
    the whole requests, parameters included, that the server of parley up --rehearse has kept.
    """
    from parley.arrived_requests import arrived_requests
    from parley.prompts import selected, sent_prompts
    from starter.views.prompts import print_prompts, print_requests

    if arrived:
        requests = await arrived_requests(session.parley.settings.rehearsal_address, deliberation_id)
        print_requests(
            selected(requests, deliberation_id, seat=seat, round_number=round_number, stage=stage), json=json
        )
        return
    client = session.parley.client
    found = await sent_prompts(client, deliberation_id, seat=seat, round_number=round_number, stage=stage)
    print_prompts(found, json=json)
