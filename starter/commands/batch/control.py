"""The commands ``parley batch`` for a study that was started: its status, changes to it, and its open rows."""

from collections.abc import Callable, Coroutine
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from parley.notices import notify
from protocols.plurals import counted
from protocols.study.model import MOST_IN_FLIGHT
from starter.commands.batch.begin import skip_bad_option
from starter.commands.parameters import (
    Parameter,
    budget_change,
    combined,
    detach_option,
    json_option,
    limit_options,
    submit_options,
)
from starter.handlers.command_runner import with_settings
from starter.terminal import console, print_result

if TYPE_CHECKING:
    from runtime.settings import Settings
    from studies.runs.control import StudyControl


@click.command("status")
@click.argument("name")
@click.option("--follow", "follows", is_flag=True, help="Until its batch has ended.")
@json_option
@with_settings
async def status(settings: "Settings", *, name: str, follows: bool, json: bool) -> None:
    """Show the progress of the study NAME, what it used, and why nothing starts if so."""
    from parley.session import open_session
    from starter.views import batches as views
    from studies.runs.status import follow, known_study, study_status

    study = await known_study(settings, name)
    async with open_session(settings, notify, worker="none") as session:
        client = session.parley.client
        if follows:
            with views.BatchScreen(console(to_stderr=json)) as screen:
                async for sight in follow(client, settings, name):
                    screen.show(sight)
        now = await study_status(client, settings, study)
    print_result(now, views.as_renderable(now), json=json)
    if not json:
        for step in views.next_steps(now):
            notify(step)


@click.command("list")
@json_option
@with_settings
async def list_(settings: "Settings", *, json: bool) -> None:
    """List the studies of the ledger, the newest first."""
    from ledger.studies.reading import StudyReader
    from parley.session import open_session
    from starter.views import batches as views
    from studies.runs.status import study_status

    async with StudyReader(settings.database_url) as ledger:
        studies = await ledger.studies()
    async with open_session(settings, notify, worker="none") as session:
        lines = [await study_status(session.parley.client, settings, study) for study in studies]
    print_result({"studies": lines}, views.studies(lines), json=json)


def _study_command(
    command: str, *parameters: Parameter[Any]
) -> "Callable[[Callable[..., Coroutine[Any, Any, str]]], click.Command]":
    """Return a decorator: a command that calls a function with the control of the study NAME, and prints its notice."""

    def decorate(work: Callable[..., Coroutine[Any, Any, str]]) -> click.Command:
        @with_settings
        @wraps(work)
        async def controlled(settings: "Settings", /, *, name: str, **given: Any) -> None:
            from parley.session import open_session
            from studies.runs.control import StudyControl
            from studies.runs.status import known_study

            study = await known_study(settings, name)
            async with open_session(settings, notify, rehearse=study.rehearsal) as session:
                notice = await work(StudyControl(session.parley.client, settings, name), **given)
            notify(notice)

        return click.command(command)(combined(click.argument("name"), *parameters)(controlled))

    return decorate


@_study_command(
    "pause",
    click.option("--reason", default="", show_default=False, help="Shown with the study's status; by default none."),
)
async def pause(study: "StudyControl", *, reason: str) -> str:
    """Start nothing more of the study NAME; what is in flight is finished."""
    state = await study.pause(reason)
    return f"{study.name} is paused; {state.in_flight} in flight are finished first"


@_study_command("resume")
async def resume(study: "StudyControl") -> str:
    """Resume the study NAME after a pause."""
    await study.resume()
    return f"{study.name} is resumed"


@_study_command("budget", limit_options)
async def budget(study: "StudyControl", *, usd: str | None, tokens: str | None) -> str:
    """Set the budget of the study NAME; a study stopped by its budget resumes."""
    from starter.views.batches import budget as budget_text

    terms = await study.set_budget(budget_change(usd, tokens))
    return f"the budget of {study.name} is {budget_text(terms.cap)} now"


@_study_command("window", click.argument("window", type=click.IntRange(1, MOST_IN_FLIGHT)))
async def window(study: "StudyControl", *, window: int) -> str:
    """Run at most WINDOW deliberations of the study NAME at once."""
    terms = await study.set_window(window)
    return f"{study.name} runs at most {counted(terms.window, 'deliberation')} at once now"


@_study_command("cancel")
async def cancel(study: "StudyControl") -> str:
    """Cancel the batch of the study NAME: running deliberations are cancelled, waiting ones never start.

    Nothing is lost by it: parley batch run NAME continues the study.
    """
    again = f"parley batch run {study.name}"
    if await study.cancel():
        return f"{study.name} is cancelled; continue it later with: {again}"
    return f"{study.name} is being cancelled; once nothing is in flight, continue it with: {again}"


@click.command("retry")
@click.argument("name")
@detach_option
@json_option
@with_settings
async def retry(settings: "Settings", /, *, name: str, **output: Any) -> int:
    """Run again what failed or is missing of the study NAME.

    What was answered before is neither asked nor paid again.
    """
    from starter.commands.batch.run import continue_study
    from studies.runs.start import StudyRuns

    return await continue_study(settings, name, output, go_on=StudyRuns.retry)


@click.command("extend")
@click.argument("path", metavar="STUDY.toml")
@click.option("--name", help="The study's name; by default that of the file.")
@click.option("--limit", "rows", metavar="A-B", help="These records alone, counted from 1; by default all.")
@click.option("--repeat", "repeats", type=int, help="Repetitions of every row in every arm; by default as in the file.")
@skip_bad_option
@click.option("--dry-run", is_flag=True, help="Check everything and estimate what is added; nothing is started.")
@submit_options
@with_settings
async def extend(settings: "Settings", /, *, path: str, dry_run: bool, **given: Any) -> int:
    """Add the rows, arms and repeats that STUDY.toml has got since, and run them.

    What the study has must be there as it was; its deliberations are not run again. The same command again adds
    nothing, and continues what was interrupted.
    """
    from starter.commands.batch.run import extend_study

    switches = {name: given.pop(name) for name in ("detach", "key_check", "allow_provider", "json")}
    return await extend_study(settings, path, given, {**switches, "dry_run": dry_run, "show_prompts": False})
