"""``parley models``: the providers, whether their keys are set, and whether a panel's models exist."""

import os
from dataclasses import asdict

import click

from parley.catalogue import Providers
from parley.errors import FAILED, VERDICT
from parley.panel_check import check_panel
from protocols.named_panel import DEFAULT
from runtime.settings import Settings
from starter.command_runner import run
from starter.terminal import as_json, console
from starter.views.lists import providers
from starter.views.panels import model_checks


@click.command("models")
@click.option(
    "--check", is_flag=False, flag_value=DEFAULT, metavar="[PANEL]", help="Ask the providers about a panel's models."
)
@click.option("--json", "json_", is_flag=True, help="Print one JSON document.")
def command(check: str | None, json_: bool) -> None:
    """Show the providers and whether their keys are set (never the keys). Who takes part: parley panels.

    --check asks the providers' public lists, without a key: which models of the panel exist, what they cost and take,
    and which are retired. Ends with 1 when one is not there.
    """

    async def work(settings: Settings) -> int:
        configured = Providers.of(settings, os.environ)
        if check is not None:
            return await _check(configured, check, json=json_)
        lines = configured.lines()
        panels = list(configured.panels.panels)
        if json_:
            click.echo(as_json({"providers": [asdict(line) for line in lines], "panels": panels}))
        else:
            console().print(providers(lines, panels))
        return VERDICT

    run(work, json=json_)


async def _check(configured: Providers, name: str, *, json: bool) -> int:
    checked = await check_panel(configured, name)
    if json:
        click.echo(as_json({"panel": name, "models": [line.model_dump(mode="json") for line in checked]}))
    else:
        console().print(model_checks(name, checked))
    return FAILED if any(line.status.is_lost for line in checked) else VERDICT
