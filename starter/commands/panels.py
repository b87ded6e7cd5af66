"""``parley panels``: the named panels, their seats, and whether their models exist."""

from typing import TYPE_CHECKING, Any

import click

from starter.commands.groups import SuggestingGroup
from starter.commands.parameters import json_option
from starter.handlers.command_runner import with_settings

if TYPE_CHECKING:
    from protocols.named_panel import NamedPanel
    from runtime.settings import Settings


@click.group("panels", cls=SuggestingGroup)
def command() -> None:
    """List, show and check the named panels.

    Every command that asks takes --panel NAME; without it the panel "default" is used. Panels of your own go into
    panels.toml, in the working directory or the home, or into the file that PARLEY_PANELS_FILE names.
    """


@command.command("list")
@json_option
@with_settings
async def list_(settings: "Settings", *, json: bool) -> None:
    """List the named panels, with the keys that they lack."""
    import os

    from parley.catalogue import Providers
    from starter.terminal import print_result
    from starter.views.panels import all_panels

    providers = Providers.of(settings, os.environ)
    found = providers.panels.panels
    missing = {key: providers.missing_keys(panel.unique_models()) for key, panel in found.items()}
    print_result({key: _as_dict(panel) for key, panel in found.items()}, all_panels(found, missing), json=json)


@command.command("show")
@click.argument("name")
@json_option
@with_settings
async def show(settings: "Settings", *, name: str, json: bool) -> None:
    """Show the seats of the panel NAME in each protocol, and refuse settings that cannot work."""
    import os

    from parley.catalogue import Providers
    from parley.errors import as_request_error
    from parley.panel_roles import role_seats
    from parley.specs import PROTOCOLS
    from protocols.named_panel import BadEntryError, UnknownPanelError
    from starter.terminal import print_result
    from starter.views.panels import one_panel

    providers = Providers.of(settings, os.environ)
    with as_request_error(UnknownPanelError, BadEntryError):
        panel = providers.panels.panel(name)
        for protocol in dict.fromkeys(one.protocol for one in role_seats(panel)):
            providers.check_settings(PROTOCOLS[protocol].options.of({"panel": name}, providers.panels).seated())
    print_result(_as_dict(panel), one_panel(name, panel), json=json)


@command.command("check")
@click.argument("name", required=False)
@click.option("--models", metavar="A,B", help="Models to check in place of a panel's; by default none.")
@click.option("--study", metavar="FILE", help="Study file whose arms to check in place of a panel; by default none.")
@json_option
@with_settings
async def check(settings: "Settings", *, name: str | None, models: str | None, study: str | None, json: bool) -> int:
    """Ask the providers' public lists about the models of the panel NAME, without a key.

    Shows which of them exist, what they cost and take, and which are retired; without NAME, of the panel "default".
    Ends with 1 when one is not there.
    """
    from parley.errors import FAILED, VERDICT
    from starter.handlers.check_models import check_models
    from starter.terminal import print_result
    from starter.views.panels import model_checks

    what, checked = await check_models(settings, name, models, study)
    document = what | {"models": [line.model_dump(mode="json") for line in checked]}
    print_result(document, model_checks(" ".join(what.popitem()), checked), json=json)
    return FAILED if any(line.status.is_lost for line in checked) else VERDICT


def _as_dict(panel: "NamedPanel") -> dict[str, Any]:
    from parley.panel_roles import role_seats

    roles: dict[str, dict[str, list[Any]]] = {}
    for one in role_seats(panel):
        seat = one.seat if isinstance(one.seat, str) else one.seat.model_dump(mode="json", by_alias=True)
        roles.setdefault(one.protocol, {}).setdefault(one.role, []).append(seat)
    return {"description": panel.description, "protocols": roles}
