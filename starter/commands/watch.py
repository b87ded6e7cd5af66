"""``parley watch``: follow a running deliberation."""

from typing import TYPE_CHECKING

import click

from parley.notices import notify
from starter.commands.parameters import deliberation_id, json_option
from starter.handlers.command_runner import with_settings

if TYPE_CHECKING:
    from runtime.settings import Settings


@click.command("watch")
@deliberation_id
@json_option
@with_settings
async def command(settings: "Settings", *, deliberation_id: str, json: bool) -> int:
    """Follow the deliberation ID until it is over, then show its result.

    On this machine a worker is started for it when none runs. With --json the progress goes to standard error.
    """
    from parley.session import open_session
    from starter.handlers.show_result import conclude, follow
    from starter.terminal import console

    async with open_session(settings, notify, of=deliberation_id) as session:
        deliberation = session.parley.deliberation(deliberation_id)
        await follow(deliberation, console(to_stderr=json))
        return await conclude(session, deliberation, json=json)
