"""``parley schedule``: run a study again and again, at times of a clock."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from parley.notices import notify
from starter.commands.groups import SuggestingGroup
from starter.commands.parameters import json_option
from starter.handlers.command_runner import with_session, with_settings

if TYPE_CHECKING:
    from parley.session import Session
    from runtime.settings import Settings
    from studies.schedules import ScheduleLine, Schedules


@click.group("schedule", cls=SuggestingGroup)
def command() -> None:
    """Run a study again and again, at times of a clock.

    Each firing is a study of its own, NAME-DATE-TIME. Its content was stored when the schedule was made.
    """


@command.command("create")
@click.argument("name")
@click.argument("path", metavar="STUDY.toml")
@click.option("--cron", multiple=True, required=True, help="Minute, hour, day, month, weekday; may be repeated.")
@click.option("--timezone", help="Of the times, for example Europe/Berlin; by default UTC.")
@click.option("--rehearse/--no-rehearse", default=None, help="Ask scripted models; by default the study file decides.")
@json_option
@with_settings
async def create(
    settings: "Settings",
    *,
    name: str,
    path: str,
    cron: tuple[str, ...],
    timezone: str | None,
    rehearse: bool | None,
    json: bool,
) -> None:
    """Run the study in STUDY.toml at the times of --cron."""
    from parley.session import open_session
    from studies.definition.files import Overrides
    from studies.definition.load import load_study
    from studies.schedules import Schedules

    study = load_study(path, Overrides(name=name, rehearse=rehearse), settings)
    async with open_session(study.settings, notify, worker="none") as session:
        line = await Schedules(session.parley.client, study.settings).create(study, cron, timezone)
    _print([line], json=json)
    notify("it fires where a worker runs: parley up")


@command.command("list")
@json_option
@with_session
async def list_(session: "Session", *, json: bool) -> None:
    """Show every schedule, when it fires next, and its newest firings."""
    _print(await _schedules(session).lines(), json=json)


@command.command("pause")
@click.argument("name")
@click.option("--note", default="", help="The reason, shown in the list; by default none.")
@with_session
async def pause(session: "Session", *, name: str, note: str) -> None:
    """Pause the schedule until it is resumed; running studies continue."""
    _print([await _schedules(session).pause(name, note)])


@command.command("resume")
@click.argument("name")
@with_session
async def resume(session: "Session", *, name: str) -> None:
    """Resume the schedule."""
    _print([await _schedules(session).resume(name)])


@command.command("trigger")
@click.argument("name")
@with_session
async def trigger(session: "Session", *, name: str) -> None:
    """Trigger the schedule now, beside its times."""
    line = await _schedules(session).trigger(name)
    notify("it fires now where a worker runs; its study is listed by: parley batch list")
    _print([line])


@command.command("delete")
@click.argument("name")
@with_session
async def delete(session: "Session", *, name: str) -> None:
    """Remove the schedule; its started studies continue, and so does their content in the ledger."""
    schedules = _schedules(session)
    await schedules.delete(name)
    notify(f"the schedule {name} is removed")
    _print(await schedules.lines())


def _schedules(session: "Session") -> "Schedules":
    from studies.schedules import Schedules

    return Schedules(session.parley.client, session.parley.settings)


def _print(lines: "Iterable[ScheduleLine]", *, json: bool = False) -> None:
    from dataclasses import asdict

    from starter.terminal import print_result
    from starter.views.schedules import schedules_table

    kept = tuple(lines)
    documents = [asdict(line) | {"next_at": line.next_at.isoformat() if line.next_at else None} for line in kept]
    print_result({"schedules": documents}, schedules_table(kept), json=json)
