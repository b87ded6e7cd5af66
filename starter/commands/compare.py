"""Commands of studies: ``parley compare``, ``parley score`` and ``parley schedule``."""

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from parley.notices import notify
from protocols.plurals import counted
from starter.commands.batch.begin import skip_bad_option
from starter.commands.parameters import allow_provider_option, detach_option, json_option, key_check_option, split
from starter.handlers.command_runner import with_session, with_settings
from starter.terminal import print_result

if TYPE_CHECKING:
    from parley.session import Session
    from runtime.settings import Settings
    from studies.schedules import ScheduleLine, Schedules


@click.command("compare")
@click.argument("names", metavar="NAME...", nargs=-1, required=True)
@click.option("--baseline", metavar="ARM", help="The arm, or study, beside the others; by default the cheapest arm.")
@click.option("--metric", help="The figure to compare; by default accuracy, or tokens where nothing is labelled.")
@click.option("--score", metavar="SCORER", help="A scorer in place of labels; by default the study's own labels.")
@click.option(
    "--over",
    type=click.Choice(("arms", "panels", "firings")),
    default="arms",
    show_default=True,
    help="What is side by side: arms, the panels of a study, or the firings of the schedule NAME.",
)
@click.option(
    "--over-repeats",
    metavar="mean|mode|max|pass@K",
    help="One value for the repeats of each row; by default the scorer's, else all repeats are added up.",
)
@json_option
@with_settings
async def compare_command(settings: "Settings", /, *, names: tuple[str, ...], json: bool, **chosen: Any) -> None:
    """Show the arms of the study NAME side by side, or the same arms of several studies.

    Accuracy with intervals where the dataset has labels, tests of the differences, agreement, cost per right answer,
    time and failures. Works while the study runs. Several studies are compared over the rows that all of them have,
    each arm with the arm of the same name in the first study.
    """
    from starter.views.comparison import comparison
    from starter.views.tables import REHEARSAL
    from studies.comparison.notes import notes
    from studies.comparison.study import compare_study
    from studies.runs.status import running_studies

    running = await running_studies(settings, *names)
    progress = (compared := await compare_study(settings, *names, **chosen, running=running)).progress
    rest = f"{progress.open:,} of {counted(progress.total, 'deliberation')} have not ended yet and are in no figure."
    remarks = (*([rest] if progress.open else []), *notes(compared))
    document = {
        "label": REHEARSAL if compared.rehearsals else None,
        **dict(compared),
        "progress": progress,
        "notes": remarks,
    }
    print_result(document, comparison(compared, remarks), json=json)


@click.command("score")
@click.argument("name")
@click.option(
    "--with",
    "path",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The file with the scorers; by default only the scores that there are are shown.",
)
@click.option("--scorer", "only", multiple=True, callback=split, help="These scorers alone: a,b; by default all.")
@click.option("--dry-run", is_flag=True, help="Check everything and show what graders may cost; nothing is started.")
@click.option("--show-prompts", is_flag=True, help="Print the first prompt of every grader (--dry-run).")
@click.option("--rehearse", is_flag=True, help="Let scripted models grade: this measures the machinery only.")
@key_check_option
@allow_provider_option
@detach_option
@json_option
@with_settings
async def score_command(
    settings: "Settings", /, *, name: str, path: Path | None, only: tuple[str, ...], **given: Any
) -> int:
    """Score the finished deliberations of the study NAME, and show its scores.

    A file of scorers is checked as a whole. What can be computed is computed at once and costs nothing. Models grade in
    a study of their own, which is budgeted and resumable: interrupted, the same command continues it, and no grade is
    paid twice. Scores are never part of the study: a changed scorer asks none of its deliberations again.
    """
    from starter.commands.scoring import run_scoring

    return await run_scoring(settings, name, path, only, given)


@click.group("schedule")
def schedule_command() -> None:
    """Run a study again and again, at times of a clock.

    Each firing is a study of its own, NAME-DATE-TIME. Its content was stored when the schedule was made.
    """


@schedule_command.command("create")
@click.argument("name")
@click.argument("path", metavar="STUDY.toml")
@click.option("--cron", multiple=True, required=True, help="Minute, hour, day, month, weekday; may be repeated.")
@click.option("--timezone", help="Of the times, for example Europe/Berlin; by default UTC.")
@click.option("--rehearse/--no-rehearse", default=None, help="Ask scripted models; by default the study file decides.")
@skip_bad_option
@json_option
@with_settings
async def create(
    settings: "Settings",
    /,
    *,
    name: str,
    path: str,
    cron: tuple[str, ...],
    timezone: str | None,
    json: bool,
    **given: Any,
) -> None:
    """Run the study in STUDY.toml at the times of --cron."""
    from parley.session import open_session
    from studies.definition.files import Overrides
    from studies.definition.load import load_study
    from studies.schedules import Schedules

    study = load_study(path, Overrides(name=name, **given), settings)
    if left_out := len(study.rejected):
        notify(f"left out: {counted(left_out, 'row')}; parley batch run {path} --skip-bad --dry-run lists them")
    async with open_session(study.settings, notify, worker="none") as session:
        line = await Schedules(session.parley.client, study.settings).create(study, cron, timezone)
    _print([line], json=json)
    notify("it fires where a worker runs: parley up")


@schedule_command.command("list")
@json_option
@with_session
async def list_schedules(session: "Session", *, json: bool) -> None:
    """Show every schedule, when it fires next, and its newest firings."""
    _print(await _schedules(session).lines(), json=json)


@schedule_command.command("pause")
@click.argument("name")
@click.option("--note", default="", show_default=False, help="The reason, shown in the list; by default none.")
@with_session
async def pause(session: "Session", *, name: str, note: str) -> None:
    """Pause the schedule until it is resumed; running studies continue."""
    _print([await _schedules(session).pause(name, note)])


@schedule_command.command("resume")
@click.argument("name")
@with_session
async def resume(session: "Session", *, name: str) -> None:
    """Resume the schedule."""
    _print([await _schedules(session).resume(name)])


@schedule_command.command("trigger")
@click.argument("name")
@with_session
async def trigger(session: "Session", *, name: str) -> None:
    """Trigger the schedule now, beside its times."""
    line = await _schedules(session).trigger(name)
    notify("it fires now where a worker runs; its study is listed by: parley batch list")
    _print([line])


@schedule_command.command("delete")
@click.argument("name")
@with_session
async def delete(session: "Session", *, name: str) -> None:
    """Remove the schedule; the studies that it started stay."""
    schedules = _schedules(session)
    await schedules.delete(name)
    notify(f"the schedule {name} is removed")
    _print(await schedules.lines())


def _schedules(session: "Session") -> "Schedules":
    from studies.schedules import Schedules

    return Schedules(session.parley.client, session.parley.settings)


def _print(lines: "Iterable[ScheduleLine]", *, json: bool = False) -> None:
    from starter.views.lists import schedules_table

    kept = tuple(lines)
    documents = [asdict(line) | {"next_at": line.next_at.isoformat() if line.next_at else None} for line in kept]
    print_result({"schedules": documents}, schedules_table(kept), json=json)
