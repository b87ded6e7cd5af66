"""Commands of the administration: processes, providers, the named panels, and the rate limits of providers."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from parley.errors import FAILED, VERDICT, RequestError, as_request_error
from runtime.code_version import code_version
from starter.commands.parameters import finite, json_option
from starter.handlers.command_runner import run, with_session, with_settings
from starter.terminal import print_result

if TYPE_CHECKING:
    from parley.limits import LimitLine, Limits
    from parley.session import Session
    from protocols.named_panel import NamedPanel
    from runtime.settings import Settings

_FASTEST = 10_000.0
_RATE = click.FloatRange(min=0, max=_FASTEST)
_UNCHANGED = "by default unchanged."


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
    from starter.doctor.checkup import examine
    from starter.views.lists import checks

    found = await examine(settings)
    is_ok = all(check.ok for check in found)
    print_result({"ok": is_ok, "checks": found}, checks(found), json=json)
    return VERDICT if is_ok else FAILED


@click.command("models")
@json_option
@with_settings
async def models_command(settings: "Settings", *, json: bool) -> None:
    """Show the providers and whether their keys are set (never the keys); the panels: parley panels list."""
    from parley.catalogue import Providers
    from starter.views.lists import providers

    configured = Providers.of(settings)
    lines, panels = configured.lines(), list(configured.panels.panels)
    print_result({"providers": lines, "panels": panels}, providers(lines, panels), json=json)


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
    from parley.catalogue import Providers
    from starter.handlers.preparation import allow

    if file is not None:
        settings = settings.with_providers_of_a_study(file)
    allow(Providers.of(settings), provider)


@click.command("replay")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@json_option
@with_session
async def replay_command(session: "Session", *, ids: tuple[str, ...], json: bool) -> int:
    """Replay what runs with the code of this version, before its worker is started. Nothing is started or changed.

    Ends with 1 when this version cannot continue one of them. Without an ID, everything that runs is replayed.
    """
    from rich.text import Text

    from parley.replay_check import replay_running
    from protocols.visible_text import printable

    replays = [replay async for replay in replay_running(session.parley.client, ids)]
    able = sum(replay.ok for replay in replays)
    found = [{**dict(replay), "ok": replay.ok} for replay in replays]
    lines = [*(printable(replay.explanation) for replay in replays)]
    lines.append(f"{able} of {len(replays)} can continue with {code_version()}")
    is_ok = able == len(replays)
    print_result({"ok": is_ok, "code": code_version(), "replays": found}, Text("\n".join(lines)), json=json)
    return VERDICT if is_ok else FAILED


@click.group("panels")
def panels_command() -> None:
    """List, show and check the named panels.

    Every command that asks takes --panel NAME; without it the panel "default" is used. Panels of your own go into
    panels.toml, in the working directory or the home, or into the file that PARLEY_PANELS_FILE names.
    """


@panels_command.command("list")
@json_option
@with_settings
async def list_panels(settings: "Settings", *, json: bool) -> None:
    """List the named panels, with the keys that they lack."""
    from parley.catalogue import Providers
    from starter.views.panels import all_panels

    providers = Providers.of(settings)
    found = providers.panels.panels
    missing = {key: providers.missing_keys(panel.unique_models()) for key, panel in found.items()}
    print_result({key: _as_dict(panel) for key, panel in found.items()}, all_panels(found, missing), json=json)


@panels_command.command("show")
@click.argument("name")
@json_option
@with_settings
async def show_panel(settings: "Settings", *, name: str, json: bool) -> None:
    """Show and check the seats of the panel NAME in each protocol."""
    from parley.catalogue import Providers
    from parley.panel_check import role_seats
    from parley.specs import PROTOCOLS
    from protocols.named_panel import BadEntryError, UnknownPanelError
    from starter.views.panels import one_panel

    providers = Providers.of(settings)
    with as_request_error(UnknownPanelError, BadEntryError):
        panel = providers.panels.panel(name)
        for protocol in dict.fromkeys(one.protocol for one in role_seats(panel)):
            providers.check_settings(PROTOCOLS[protocol].options.of({"panel": name}, providers.panels).seated())
    print_result(_as_dict(panel), one_panel(name, panel), json=json)


@panels_command.command("check")
@click.argument("name", required=False)
@click.option("--models", metavar="A,B", help="Models to check in place of a panel's; by default none.")
@click.option("--study", metavar="FILE", help="Study file whose arms to check in place of a panel; by default none.")
@json_option
@with_settings
async def check_panels(
    settings: "Settings", *, name: str | None, models: str | None, study: str | None, json: bool
) -> int:
    """Look for the models of the panel NAME in the providers' lists.

    Shows which of them exist, what they cost and take, and which are retired; without NAME, of the panel "default".
    Ends with 1 when one is not there.
    """
    from starter.handlers.check_models import check_models
    from starter.views.panels import model_checks

    what, checked = await check_models(settings, name, models, study)
    document = what | {"models": checked}
    print_result(document, model_checks(" ".join(what.popitem()), checked), json=json)
    return FAILED if any(line.status.is_lost for line in checked) else VERDICT


@click.group("limits")
def limits_command() -> None:
    """Show and change the rate limits of providers, over all workers together."""


@limits_command.command("list")
@json_option
@with_session
async def list_limits(session: "Session", *, json: bool) -> None:
    """Show the limits of the providers in the providers file."""
    _print_limits(await _limits(session).lines(), json=json)


@limits_command.command("set")
@click.argument("provider")
@click.option("--rps", type=_RATE, callback=finite, help=f"Requests a second in all; 0 is no limit; {_UNCHANGED}")
@click.option("--per-model", type=_RATE, callback=finite, help=f"The same of each model; 0 is no limit; {_UNCHANGED}")
@click.option("--model", "models", multiple=True, metavar="NAME=RATE", help="Of one model; by default --per-model.")
@click.option("--reason", default="", show_default=False, help="Shown beside the limit; by default none.")
@json_option
@with_session
async def set_limits(
    session: "Session",
    *,
    provider: str,
    rps: float | None,
    per_model: float | None,
    models: tuple[str, ...],
    reason: str,
    json: bool,
) -> None:
    """Change the named limits of PROVIDER now.

    They apply to calls that begin from now on, survive restarts, and stay until they are set again or reset.
    """
    from parley.limits import Change

    if rps is None and per_model is None and not models:
        raise RequestError("nothing to change; give --rps, --per-model or --model NAME=RATE")
    change = Change(rps, per_model, dict(map(_rate, models)), reason)
    _print_limits([await _limits(session).change(provider, change)], json=json)


@limits_command.command("reset")
@click.argument("provider")
@json_option
@with_session
async def reset_limits(session: "Session", *, provider: str, json: bool) -> None:
    """Restore the limits of PROVIDER in the providers file."""
    _print_limits([await _limits(session).reset(provider)], json=json)


def _as_dict(panel: "NamedPanel") -> dict[str, Any]:
    from parley.panel_check import role_seats

    roles: dict[str, dict[str, list[Any]]] = {}
    for one in role_seats(panel):
        seat = one.seat if isinstance(one.seat, str) else one.seat.model_dump(mode="json", by_alias=True)
        roles.setdefault(one.protocol, {}).setdefault(one.role, []).append(seat)
    return {"description": panel.description, "protocols": roles}


def _limits(session: "Session") -> "Limits":
    from parley.limits import Limits

    return Limits(session.parley.client, session.parley.providers)


def _print_limits(lines: "Iterable[LimitLine]", *, json: bool) -> None:
    from starter.views.lists import limits_table

    kept = tuple(lines)
    print_result({"limits": kept}, limits_table(kept), json=json)


def _rate(written: str) -> tuple[str, float]:
    name, equals, rate = written.rpartition("=")
    try:
        value = float(rate)
    except ValueError:
        value = -1.0
    if not (name and equals and 0 <= value <= _FASTEST):
        raise RequestError(
            f"--model {written!r}: write NAME=RATE, the rate in requests a second from 0 to {_FASTEST:g}"
        )
    return name, value
