"""``parley limits``: the rates that the Temporal server keeps for providers, changed while everything runs."""

from collections.abc import Awaitable, Callable
from dataclasses import asdict

import click

from parley.errors import VERDICT, RequestError
from parley.limits import Change, LimitLine, Limits
from parley.notices import notify
from parley.session import open_session
from runtime.settings import Settings
from starter.command_runner import run
from starter.terminal import as_json, console
from starter.views.limits import limits_table

_FASTEST = 10_000.0
_RATE = click.FloatRange(min=0, max=_FASTEST)


@click.group("limits")
def command() -> None:
    """Look at and change how fast a provider is asked, over all workers together."""


@command.command("list")
@click.option("--json", "json_", is_flag=True, help="Print one JSON document.")
def list_(json_: bool) -> None:
    """Show what the server keeps for every provider that has a limit in the providers file."""

    async def look(limits: Limits) -> tuple[LimitLine, ...]:
        return await limits.lines()

    _do(look, json=json_)


@command.command("set")
@click.argument("provider")
@click.option("--rps", type=_RATE, help="Requests a second, all its models together; 0 takes the limit away.")
@click.option("--per-model", type=_RATE, help="Requests a second of each model by itself; 0 takes it away.")
@click.option("--model", "models", multiple=True, metavar="NAME=RATE", help="Of one model, in place of --per-model.")
@click.option("--reason", default="", help="Why; stands beside the limit.")
@click.option("--json", "json_", is_flag=True, help="Print one JSON document.")
def set_(
    provider: str, *, rps: float | None, per_model: float | None, models: tuple[str, ...], reason: str, json_: bool
) -> None:
    """Change the limits of PROVIDER now; what is not named stays as it is.

    It holds for calls that begin from now on, survives restarts, and stays until it is set again or reset.
    """

    async def change(limits: Limits) -> tuple[LimitLine, ...]:
        if rps is None and per_model is None and not models:
            raise RequestError("nothing to change; give --rps, --per-model or --model NAME=RATE")
        return (await limits.change(provider, Change(rps, per_model, _rates(models), reason)),)

    _do(change, json=json_)


@command.command("reset")
@click.argument("provider")
@click.option("--json", "json_", is_flag=True, help="Print one JSON document.")
def reset(provider: str, json_: bool) -> None:
    """Go back to what the providers file says about PROVIDER."""

    async def back(limits: Limits) -> tuple[LimitLine, ...]:
        return (await limits.reset(provider),)

    _do(back, json=json_)


def _do(act: Callable[[Limits], Awaitable[tuple[LimitLine, ...]]], *, json: bool) -> None:
    async def work(settings: Settings) -> int:
        async with open_session(settings, notify, worker="none") as session:
            lines = await act(Limits(session.parley.client, session.parley.providers))
        if json:
            click.echo(as_json({"limits": [asdict(line) for line in lines]}))
        else:
            console().print(limits_table(lines))
        return VERDICT

    run(work, json=json)


def _rates(models: tuple[str, ...]) -> dict[str, float]:
    return dict(map(_rate, models))


def _rate(told: str) -> tuple[str, float]:
    name, equals, rate = told.rpartition("=")
    try:
        value = float(rate)
    except ValueError:
        value = -1.0
    if not (name and equals and 0 <= value <= _FASTEST):
        raise RequestError(f"--model {told!r}: write NAME=RATE, the rate in requests a second from 0 to {_FASTEST:g}")
    return name, value
