"""``parley schedule``: studies that are held again and again."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict
from typing import Any

import click

from parley.errors import VERDICT
from parley.notices import notify
from parley.session import open_session
from runtime.settings import Settings
from starter.commands.batch.output_options import run_on_ledger
from starter.terminal import as_json, console
from starter.views.schedules import schedules_table
from studies.definition.files import Overrides
from studies.definition.load import opened
from studies.schedules import ScheduleLine, Schedules


@click.group("schedule")
def command() -> None:
    """Hold a study again and again, at times of a clock.

    Each firing is a study of its own, NAME-DATE-TIME. What is held was entered when the schedule was made.
    """


@command.command("create")
@click.argument("name")
@click.argument("path", metavar="STUDY.toml")
@click.option("--cron", multiple=True, required=True, help="Minute, hour, day, month, weekday; may be repeated.")
@click.option("--timezone", help="Of the times, for example Europe/Berlin; UTC by default.")
@click.option("--rehearse/--no-rehearse", default=None, help="Ask scripted models in place of the real ones.")
@click.option("--json", "json_", is_flag=True, help="Print one JSON document.")
def create(name: str, path: str, *, cron: Sequence[str], timezone: str | None, rehearse: bool, json_: bool) -> None:
    """Hold the study in STUDY.toml whenever --cron says so."""

    async def work(settings: Settings) -> int:
        study = opened(path, Overrides(name=name, rehearse=rehearse), settings)
        async with open_session(study.settings, notify, worker="none") as session:
            line = await Schedules(session.parley.client, study.settings).create(study, cron, timezone)
        _tell([line], json=json_)
        notify("it fires where a worker runs: parley up")
        return VERDICT

    run_on_ledger(work, json=json_)


@command.command("list")
@click.option("--json", "json_", is_flag=True, help="Print one JSON document.")
def list_(json_: bool) -> None:
    """Show every schedule, when it fires next, and its newest firings."""

    async def look(schedules: Schedules) -> Sequence[ScheduleLine]:
        return await schedules.lines()

    _do(look, json=json_)


@command.command("pause")
@click.argument("name")
@click.option("--note", default="", help="Why; shown in the list.")
def pause(name: str, note: str) -> None:
    """Fire no more until it is resumed; what runs goes on."""

    async def act(schedules: Schedules) -> Sequence[ScheduleLine]:
        return [await schedules.pause(name, note)]

    _do(act)


@command.command("resume")
@click.argument("name")
def resume(name: str) -> None:
    """Fire again when it is due."""

    async def act(schedules: Schedules) -> Sequence[ScheduleLine]:
        return [await schedules.resume(name)]

    _do(act)


@command.command("trigger")
@click.argument("name")
def trigger(name: str) -> None:
    """Fire now, beside its times."""

    async def act(schedules: Schedules) -> Sequence[ScheduleLine]:
        line = await schedules.trigger(name)
        notify("it fires now where a worker runs; its study is listed by: parley batch list")
        return [line]

    _do(act)


@command.command("delete")
@click.argument("name")
def delete(name: str) -> None:
    """Remove the schedule; studies that it began go on, and so does what the ledger has of them."""

    async def act(schedules: Schedules) -> Sequence[ScheduleLine]:
        await schedules.delete(name)
        notify(f"the schedule {name} is removed")
        return await schedules.lines()

    _do(act)


def _do(act: Callable[[Schedules], Awaitable[Sequence[ScheduleLine]]], *, json: bool = False) -> None:
    async def work(settings: Settings) -> int:
        async with open_session(settings, notify, worker="none") as session:
            lines = await act(Schedules(session.parley.client, settings))
        _tell(lines, json=json)
        return VERDICT

    run_on_ledger(work, json=json)


def _tell(lines: Sequence[ScheduleLine], *, json: bool) -> None:
    if json:
        click.echo(as_json({"schedules": [_document(line) for line in lines]}))
    else:
        console().print(schedules_table(lines))


def _document(line: ScheduleLine) -> dict[str, Any]:
    return asdict(line) | {"next_at": line.next_at.isoformat() if line.next_at else None}
