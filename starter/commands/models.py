"""``parley models``: the providers and whether their keys are set."""

import os
from dataclasses import asdict

import click

from runtime.settings import Settings
from starter.catalogue import Providers
from starter.errors import VERDICT
from starter.exits import run
from starter.terminal import as_json, console
from starter.views.lists import providers


@click.command("models")
@click.option("--json", "json_", is_flag=True, help="Print one JSON document.")
def command(json_: bool) -> None:
    """Show the providers and whether their keys are set (never the keys). Who takes part: parley panels."""

    async def work(settings: Settings) -> int:
        configured = Providers.of(settings, os.environ)
        lines = configured.lines()
        panels = list(configured.panels.panels)
        if json_:
            click.echo(as_json({"providers": [asdict(line) for line in lines], "panels": panels}))
        else:
            console().print(providers(lines, panels))
        return VERDICT

    run(work, json=json_)
