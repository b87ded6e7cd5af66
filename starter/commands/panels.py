"""``parley panels``: the named panels, and who takes part in each protocol by one of them."""

import os
from typing import Any

import click

from parley.catalogue import Providers
from parley.errors import VERDICT, RequestError
from protocols.named_panel import NamedPanel, UnknownPanelError
from runtime.settings import Settings
from starter.command_runner import run
from starter.terminal import as_json, console
from starter.views.panels import all_panels, one_panel


@click.command("panels")
@click.argument("name", required=False)
@click.option("--json", "json_", is_flag=True, help="Print one JSON document.")
def command(name: str | None, json_: bool) -> None:
    """List the named panels, or show who takes part in each protocol by the panel NAME.

    Every command that asks takes --panel NAME; without it the panel "default" is used. Panels of your own go into
    panels.toml, in the working directory or the home, or into the file that PARLEY_PANELS_FILE names.
    """

    async def work(settings: Settings) -> int:
        providers = Providers.of(settings, os.environ)
        if name is None:
            found = providers.panels.panels
            missing = {key: providers.missing_keys(panel.unique_models()) for key, panel in found.items()}
            if json_:
                click.echo(as_json({key: _as_dict(panel) for key, panel in found.items()}))
            else:
                console().print(all_panels(found, missing))
            return VERDICT
        panel = _panel(providers, name)
        if json_:
            click.echo(as_json(_as_dict(panel)))
        else:
            console().print(one_panel(name, panel))
        return VERDICT

    run(work, json=json_)


def _panel(providers: Providers, name: str) -> NamedPanel:
    try:
        return providers.panels.panel(name)
    except UnknownPanelError as error:
        raise RequestError(str(error)) from None


def _as_dict(panel: NamedPanel) -> dict[str, Any]:
    roles: dict[str, dict[str, list[str]]] = {}
    for seat in panel.seated():
        roles.setdefault(seat.protocol, {}).setdefault(seat.role, []).append(seat.model)
    return {"description": panel.description, "protocols": roles}
