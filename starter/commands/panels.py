"""``parley panels``: list the named panels, or show the seats of one."""

from typing import TYPE_CHECKING, Any

import click

from starter.commands.parameters import json_option
from starter.handlers.command_runner import with_settings

if TYPE_CHECKING:
    from protocols.named_panel import NamedPanel
    from runtime.settings import Settings


@click.command("panels")
@click.argument("name", required=False)
@json_option
@with_settings
async def command(settings: "Settings", *, name: str | None, json: bool) -> None:
    """List the named panels, or show the seats that the panel NAME fills in each protocol.

    Every command that asks takes --panel NAME; without it the panel "default" is used. Panels of your own go into
    panels.toml, in the working directory or the home, or into the file that PARLEY_PANELS_FILE names.
    """
    import os

    from parley.catalogue import Providers
    from starter.terminal import print_result
    from starter.views.panels import all_panels, one_panel

    providers = Providers.of(settings, os.environ)
    found = providers.panels.panels
    if name is None:
        missing = {key: providers.missing_keys(panel.unique_models()) for key, panel in found.items()}
        print_result({key: _as_dict(panel) for key, panel in found.items()}, all_panels(found, missing), json=json)
    else:
        panel = _panel(providers, name)
        print_result(_as_dict(panel), one_panel(name, panel), json=json)


def _panel(providers: Any, name: str) -> "NamedPanel":
    from parley.errors import RequestError
    from protocols.named_panel import UnknownPanelError

    try:
        panel: NamedPanel = providers.panels.panel(name)
    except UnknownPanelError as error:
        raise RequestError(str(error)) from None
    return panel


def _as_dict(panel: "NamedPanel") -> dict[str, Any]:
    roles: dict[str, dict[str, list[str]]] = {}
    for seat in panel.seated():
        roles.setdefault(seat.protocol, {}).setdefault(seat.role, []).append(seat.model)
    return {"description": panel.description, "protocols": roles}
