"""What changes a study while it runs: pause, resume, budget, window, cancel."""

from collections.abc import Awaitable, Callable
from math import ceil

import click

from parley.errors import VERDICT, RequestError
from parley.notices import notify
from parley.session import open_session
from protocols.study.model import MOST_IN_FLIGHT, BudgetChange
from runtime.settings import Settings
from starter.commands.batch.output_options import run_on_ledger
from starter.views import batches as views
from studies.runs.control import Steering
from studies.runs.status import known


def steer(name: str, act: Callable[[Steering], Awaitable[str]]) -> None:
    """Do ``act`` to the study ``name`` and say what it returns; ends the command."""

    async def work(settings: Settings) -> int:
        study = await known(settings, name)
        async with open_session(settings, notify, rehearse=study.rehearsal) as session:
            said = await act(Steering(session.parley.client, settings, name))
        notify(said)
        return VERDICT

    run_on_ledger(work)


@click.command("pause")
@click.argument("name")
@click.option("--reason", default="", help="Why; shown wherever the study is.")
def pause(name: str, reason: str) -> None:
    """Begin nothing more of the study NAME; what is in flight comes to its end."""

    async def act(steering: Steering) -> str:
        state = await steering.pause(reason)
        return f"{name} is paused; {state.in_flight} in flight come to their end"

    steer(name, act)


@click.command("resume")
@click.argument("name")
def resume(name: str) -> None:
    """Go on with the study NAME after a pause."""

    async def act(steering: Steering) -> str:
        await steering.resume()
        return f"{name} goes on"

    steer(name, act)


@click.command("budget")
@click.argument("name")
@click.option("--usd", help="The most it may cost in all, in dollars; none takes the limit away.")
@click.option("--tokens", help="The most tokens it may take in all; none takes the limit away.")
def budget(name: str, usd: str | None, tokens: str | None) -> None:
    """Set what the study NAME may use in all; one that was stopped by its budget goes on by that."""

    async def act(steering: Steering) -> str:
        terms = await steering.set_budget(_change(usd, tokens))
        return f"the budget of {name} is {views.budget(terms.cap)} now"

    steer(name, act)


@click.command("window")
@click.argument("name")
@click.argument("window", type=click.IntRange(1, MOST_IN_FLIGHT))
def window(name: str, window: int) -> None:
    """Hold at most WINDOW deliberations of the study NAME at once."""

    async def act(steering: Steering) -> str:
        terms = await steering.set_window(window)
        return f"{name} holds at most {terms.window} deliberations at once now"

    steer(name, act)


@click.command("cancel")
@click.argument("name")
def cancel(name: str) -> None:
    """End the batch of the study NAME: what is in flight is cancelled, what waits never begins.

    Nothing is lost by it: parley batch run NAME goes on where it was.
    """

    async def act(steering: Steering) -> str:
        if await steering.cancel():
            return f"{name} is cancelled; go on later with: parley batch run {name}"
        return f"{name} is being cancelled; when nothing is in flight any more, go on with: parley batch run {name}"

    steer(name, act)


def _change(usd: str | None, tokens: str | None) -> BudgetChange:
    if usd is None and tokens is None:
        raise RequestError("nothing is to be changed: name a limit in dollars (--usd) or in tokens (--tokens)")
    dollars = None if usd in {None, "none"} else _number("--usd", str(usd))
    count = None if tokens in {None, "none"} else ceil(_number("--tokens", str(tokens)))
    return BudgetChange(usd=dollars, tokens=count, any_usd=usd == "none", any_tokens=tokens == "none")


def _number(option: str, told: str) -> float:
    try:
        value = float(told.replace("_", "").removeprefix("$"))
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise RequestError(f"{option} {told!r}: give a number above 0, or none for no limit")
    return value
