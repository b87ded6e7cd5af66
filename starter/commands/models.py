"""``parley models``: show the providers, their keys, and whether a panel's models exist."""

from typing import TYPE_CHECKING

import click

from starter.commands.parameters import json_option
from starter.handlers.command_runner import with_settings

if TYPE_CHECKING:
    from parley.catalogue import Providers
    from runtime.settings import Settings


@click.command("models")
@click.option(
    "--check",
    is_flag=False,
    flag_value="default",
    metavar="[PANEL]",
    help="Ask the providers about a panel's models, by default those of the panel called default.",
)
@json_option
@with_settings
async def command(settings: "Settings", *, check: str | None, json: bool) -> int | None:
    """Show the providers and whether their keys are set (never the keys). The panels: parley panels.

    --check asks the providers' public lists, without a key: which models of the panel exist, what they cost and take,
    and which are retired. Ends with 1 when one is not there.
    """
    import os
    from dataclasses import asdict

    from parley.catalogue import Providers
    from starter.terminal import print_result
    from starter.views.lists import providers

    configured = Providers.of(settings, os.environ)
    if check is not None:
        return await _check(configured, check, json=json)
    lines, panels = configured.lines(), list(configured.panels.panels)
    print_result({"providers": [asdict(line) for line in lines], "panels": panels}, providers(lines, panels), json=json)
    return None


async def _check(configured: "Providers", name: str, *, json: bool) -> int:
    from parley.errors import FAILED, VERDICT
    from parley.panel_check import check_panel
    from starter.terminal import print_result
    from starter.views.panels import model_checks

    checked = await check_panel(configured, name)
    document = {"panel": name, "models": [line.model_dump(mode="json") for line in checked]}
    print_result(document, model_checks(name, checked), json=json)
    return FAILED if any(line.status.is_lost for line in checked) else VERDICT
