"""Commands of the administration."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from starter.commands.parameters import json_option
from starter.handlers.command_runner import run, with_session, with_settings

if TYPE_CHECKING:
    from parley.catalogue import Providers
    from parley.session import Session
    from protocols.named_panel import NamedPanel
    from runtime.settings import Settings


@click.command("up")
@click.option("--rehearse", is_flag=True, help="Run scripted models too, for deliberations with --rehearse.")
@click.option(
    "--workers", type=click.IntRange(1, 64), help="Worker processes; by default one for every two cores, at least one."
)
def up_command(*, rehearse: bool, workers: int | None) -> None:
    """Run a server, workers and what the Web UI needs, until Ctrl-C.

    A server or a worker that dies is replaced. Ctrl-C lets the calls in flight be answered and recorded; a second one
    does not.
    """

    async def work(settings: "Settings") -> None:
        from starter.handlers.installation import keep_running

        chosen = settings if workers is None else settings.model_copy(update={"workers": workers})
        await keep_running(chosen, rehearse=rehearse)

    run(work, interrupted=0)


@click.command("doctor")
@json_option
@with_settings
async def doctor_command(settings: "Settings", *, json: bool) -> int:
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
async def models_command(settings: "Settings", *, check: str | None, json: bool) -> int | None:
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


@click.command("panels")
@click.argument("name", required=False)
@json_option
@with_settings
async def panels_command(settings: "Settings", *, name: str | None, json: bool) -> None:
    """List the named panels, or show the seats that the panel NAME fills in each protocol.

    Every command that asks takes --panel NAME; without it the panel "default" is used. Panels of your own go into
    panels.toml, in the working directory or the home, or into the file that PARLEY_PANELS_FILE names.
    """
    import os

    from parley.catalogue import Providers
    from parley.errors import as_request_error
    from parley.panel_roles import role_seats
    from parley.specs import PROTOCOLS
    from protocols.named_panel import BadEntryError, UnknownPanelError
    from starter.terminal import print_result
    from starter.views.panels import all_panels, one_panel

    providers = Providers.of(settings, os.environ)
    found = providers.panels.panels
    if name is None:
        missing = {key: providers.missing_keys(panel.unique_models()) for key, panel in found.items()}
        print_result({key: _as_dict(panel) for key, panel in found.items()}, all_panels(found, missing), json=json)
    else:
        with as_request_error(UnknownPanelError, BadEntryError):
            panel = providers.panels.panel(name)
            for protocol in dict.fromkeys(one.protocol for one in role_seats(panel)):
                providers.check_settings(PROTOCOLS[protocol].options.of({"panel": name}, providers.panels).seated())
        print_result(_as_dict(panel), one_panel(name, panel), json=json)


def _as_dict(panel: "NamedPanel") -> dict[str, Any]:
    from parley.panel_roles import role_seats

    roles: dict[str, dict[str, list[Any]]] = {}
    for one in role_seats(panel):
        seat = one.seat if isinstance(one.seat, str) else one.seat.model_dump(mode="json", by_alias=True)
        roles.setdefault(one.protocol, {}).setdefault(one.role, []).append(seat)
    return {"description": panel.description, "protocols": roles}


@click.command("allow")
@click.argument("provider")
@click.option(
    "--providers",
    "file",
    type=click.Path(exists=True, resolve_path=True, path_type=Path),
    help="The providers file of a study; by default that of the installation.",
)
@with_settings
async def allow_command(settings: "Settings", *, provider: str, file: Path | None) -> None:
    """Send PROVIDER its key from now on, at the address that the providers file names today."""
    import os

    from parley.catalogue import Providers
    from starter.handlers.agreements import allow

    if file is not None:
        settings = settings.with_providers_of_a_study(file)
    allow(Providers.of(settings, os.environ), provider)


@click.command("replay")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@json_option
@with_session
async def replay_command(session: "Session", *, ids: tuple[str, ...], json: bool) -> int:
    """Replay what runs with the code of this version, before its worker is started. Nothing is started or changed.

    Ends with 1 when this version cannot continue one of them. Without an ID, everything that runs is replayed.
    """
    from rich.text import Text

    from parley.errors import FAILED, VERDICT
    from parley.replay_check import replay_running
    from protocols.visible_text import printable
    from runtime.code_version import code_version
    from starter.terminal import print_result

    replays = [replay async for replay in replay_running(session.parley.client, ids)]
    able = sum(replay.ok for replay in replays)
    found = [{**replay.model_dump(mode="json"), "ok": replay.ok} for replay in replays]
    lines = [*(printable(replay.explanation) for replay in replays)]
    lines.append(f"{able} of {len(replays)} can continue with {code_version()}")
    is_ok = able == len(replays)
    print_result({"ok": is_ok, "code": code_version(), "replays": found}, Text("\n".join(lines)), json=json)
    return VERDICT if is_ok else FAILED
