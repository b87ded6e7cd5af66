"""Commands that change a study while it runs: pause, resume, budget, window, cancel."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import click

from parley.notices import notify
from protocols.study.model import MOST_IN_FLIGHT, BudgetChange
from starter.handlers.command_runner import with_settings

if TYPE_CHECKING:
    from runtime.settings import Settings
    from studies.runs.control import StudyControl


@asynccontextmanager
async def _control(settings: "Settings", name: str) -> "AsyncIterator[StudyControl]":
    """Yield the control of the study ``name``, with a worker that answers it."""
    from parley.session import open_session
    from studies.runs.control import StudyControl
    from studies.runs.status import known_study

    study = await known_study(settings, name)
    async with open_session(settings, notify, rehearse=study.rehearsal) as session:
        yield StudyControl(session.parley.client, settings, name)


@click.command("pause")
@click.argument("name")
@click.option("--reason", default="", help="Shown with the study's status; by default none.")
@with_settings
async def pause(settings: "Settings", *, name: str, reason: str) -> None:
    """Start nothing more of the study NAME; what is in flight is finished."""
    async with _control(settings, name) as study:
        state = await study.pause(reason)
    notify(f"{name} is paused; {state.in_flight} in flight are finished first")


@click.command("resume")
@click.argument("name")
@with_settings
async def resume(settings: "Settings", *, name: str) -> None:
    """Resume the study NAME after a pause."""
    async with _control(settings, name) as study:
        await study.resume()
    notify(f"{name} goes on")


@click.command("budget")
@click.argument("name")
@click.option("--usd", help="Most dollars in all, or none for no limit; by default unchanged.")
@click.option("--tokens", help="Most tokens in all, or none for no limit; by default unchanged.")
@with_settings
async def budget(settings: "Settings", *, name: str, usd: str | None, tokens: str | None) -> None:
    """Set the budget of the study NAME; a study stopped by its budget resumes."""
    from starter.views.batches import budget as budget_text

    async with _control(settings, name) as study:
        terms = await study.set_budget(_change(usd, tokens))
    notify(f"the budget of {name} is {budget_text(terms.cap)} now")


@click.command("window")
@click.argument("name")
@click.argument("window", type=click.IntRange(1, MOST_IN_FLIGHT))
@with_settings
async def window(settings: "Settings", *, name: str, window: int) -> None:
    """Run at most WINDOW deliberations of the study NAME at once."""
    async with _control(settings, name) as study:
        terms = await study.set_window(window)
    notify(f"{name} runs at most {terms.window} deliberations at once now")


@click.command("cancel")
@click.argument("name")
@with_settings
async def cancel(settings: "Settings", *, name: str) -> None:
    """Cancel the batch of the study NAME: running deliberations are cancelled, waiting ones never start.

    Nothing is lost by it: parley batch run NAME goes on where it was.
    """
    async with _control(settings, name) as study:
        is_over = await study.cancel()
    if is_over:
        notify(f"{name} is cancelled; go on later with: parley batch run {name}")
    else:
        notify(f"{name} is being cancelled; when nothing is in flight any more, go on with: parley batch run {name}")


def _change(usd: str | None, tokens: str | None) -> BudgetChange:
    from math import ceil

    from parley.errors import RequestError

    if usd is None and tokens is None:
        raise RequestError("nothing is to be changed: name a limit in dollars (--usd) or in tokens (--tokens)")
    dollars = None if usd in {None, "none"} else _number("--usd", str(usd))
    count = None if tokens in {None, "none"} else ceil(_number("--tokens", str(tokens)))
    return BudgetChange(usd=dollars, tokens=count, any_usd=usd == "none", any_tokens=tokens == "none")


def _number(option: str, written: str) -> float:
    from parley.errors import RequestError

    try:
        value = float(written.replace("_", "").removeprefix("$"))
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise RequestError(f"{option} {written!r}: give a number above 0, or none for no limit")
    return value
