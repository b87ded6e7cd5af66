"""``parley doctor``: check the installation."""

from typing import TYPE_CHECKING

import click

from starter.commands.parameters import json_option
from starter.handlers.command_runner import with_settings

if TYPE_CHECKING:
    from runtime.settings import Settings


@click.command("doctor")
@json_option
@with_settings
async def command(settings: "Settings", *, json: bool) -> int:
    """Check the installation and name the remedy for each problem. Nothing is started or changed.

    Ends with 1 when there is a problem.
    """
    from parley.errors import FAILED, VERDICT
    from starter.doctor.checkup import examine
    from starter.terminal import print_result
    from starter.views.lists import checks

    found = await examine(settings)
    is_ok = all(check.ok for check in found)
    print_result({"ok": is_ok, "checks": [check.model_dump(mode="json") for check in found]}, checks(found), json=json)
    return VERDICT if is_ok else FAILED
