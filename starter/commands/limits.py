"""``parley limits``: the rate limits that the Temporal server keeps for providers, changed while everything runs."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from starter.commands.groups import SuggestingGroup
from starter.commands.parameters import json_option
from starter.handlers.command_runner import with_session

if TYPE_CHECKING:
    from parley.limits import LimitLine, Limits
    from parley.session import Session

_FASTEST = 10_000.0
_RATE = click.FloatRange(min=0, max=_FASTEST)
_UNCHANGED = "by default unchanged."


@click.group("limits", cls=SuggestingGroup)
def command() -> None:
    """Show and change the rate limits of providers, over all workers together."""


@command.command("list")
@json_option
@with_session
async def list_(session: "Session", *, json: bool) -> None:
    """Show the limits of every provider that has one in the providers file."""
    _print(await _limits(session).lines(), json=json)


@command.command("set")
@click.argument("provider")
@click.option("--rps", type=_RATE, help=f"Requests a second, all its models together; 0 is no limit; {_UNCHANGED}")
@click.option("--per-model", type=_RATE, help=f"Requests a second of each model by itself; 0 is no limit; {_UNCHANGED}")
@click.option("--model", "models", multiple=True, metavar="NAME=RATE", help="Of one model; by default --per-model.")
@click.option("--reason", default="", help="Shown beside the limit; by default none.")
@json_option
@with_session
async def set_(
    session: "Session",
    *,
    provider: str,
    rps: float | None,
    per_model: float | None,
    models: tuple[str, ...],
    reason: str,
    json: bool,
) -> None:
    """Change the limits of PROVIDER now; what is not named stays as it is.

    They apply to calls that begin from now on, survive restarts, and stay until they are set again or reset.
    """
    from parley.errors import RequestError
    from parley.limits import Change

    if rps is None and per_model is None and not models:
        raise RequestError("nothing to change; give --rps, --per-model or --model NAME=RATE")
    change = Change(rps, per_model, dict(map(_rate, models)), reason)
    _print([await _limits(session).change(provider, change)], json=json)


@command.command("reset")
@click.argument("provider")
@json_option
@with_session
async def reset(session: "Session", *, provider: str, json: bool) -> None:
    """Restore the limits of PROVIDER in the providers file."""
    _print([await _limits(session).reset(provider)], json=json)


def _limits(session: "Session") -> "Limits":
    from parley.limits import Limits

    return Limits(session.parley.client, session.parley.providers)


def _print(lines: "Iterable[LimitLine]", *, json: bool) -> None:
    from dataclasses import asdict

    from starter.terminal import print_result
    from starter.views.limits import limits_table

    kept = tuple(lines)
    print_result({"limits": [asdict(line) for line in kept]}, limits_table(kept), json=json)


def _rate(written: str) -> tuple[str, float]:
    from parley.errors import RequestError

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
