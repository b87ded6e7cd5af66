"""``parley doctor``: whether everything is in order."""

import click

from parley.errors import FAILED, VERDICT
from runtime.settings import Settings
from starter.checkup import examine
from starter.command_runner import run
from starter.terminal import as_json, console
from starter.views.lists import checks


@click.command("doctor")
@click.option("--json", "json_", is_flag=True, help="Print one JSON document.")
def command(json_: bool) -> None:
    """See whether everything is in order, and what to do about what is not. Nothing is started or changed.

    Ends with 1 when something is not in order.
    """

    async def work(settings: Settings) -> int:
        found = await examine(settings)
        if json_:
            click.echo(as_json({"ok": all(c.ok for c in found), "checks": [c.model_dump(mode="json") for c in found]}))
        else:
            console().print(checks(found))
        return VERDICT if all(check.ok for check in found) else FAILED

    run(work, json=json_)
