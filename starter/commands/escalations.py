"""``parley escalations``: list the debates that wait for a person."""

from typing import TYPE_CHECKING

import click

from starter.commands.parameters import json_option
from starter.handlers.command_runner import with_session

if TYPE_CHECKING:
    from parley.session import Session


@click.command("escalations")
@json_option
@with_session
async def command(session: "Session", *, json: bool) -> None:
    """List the debates that wait for approval, with their answering commands.

    The reason and the deadline come from a worker; without one they are left out.
    """
    from starter.terminal import print_result
    from starter.views.escalations import standstills

    found = await session.parley.escalations()
    print_result({"escalations": [one.model_dump(mode="json") for one in found]}, standstills(found), json=json)
