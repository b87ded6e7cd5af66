"""Commands of the administration."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from starter.commands.parameters import json_option
from starter.handlers.command_runner import run, with_session, with_settings

if TYPE_CHECKING:
    from parley.session import Session
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
@json_option
@with_settings
async def models_command(settings: "Settings", *, json: bool) -> None:
    """Show the providers and whether their keys are set (never the keys); the panels: parley panels list."""
    import os
    from dataclasses import asdict

    from parley.catalogue import Providers
    from starter.terminal import print_result
    from starter.views.lists import providers

    configured = Providers.of(settings, os.environ)
    lines, panels = configured.lines(), list(configured.panels.panels)
    print_result({"providers": [asdict(line) for line in lines], "panels": panels}, providers(lines, panels), json=json)


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
