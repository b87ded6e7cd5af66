"""Arguments and options that many commands take."""

from collections.abc import Callable, Sequence
from math import ceil, isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from parley.errors import RequestError

if TYPE_CHECKING:
    from protocols.update_requests import BudgetChange

Command = TypeVar("Command", bound=Callable[..., Any])
Parameter = Callable[[Command], Command]

deliberation_id = click.argument("deliberation_id", metavar="ID")
json_option = click.option("--json", "json", is_flag=True, help="Print one JSON document on standard output.")
note_option = click.option(
    "--note", default="", show_default=False, help="Kept in the result: text or @FILE, 500 characters; by default none."
)
panel_option = click.option(
    "--panel", metavar="NAME", help="A named panel, by default the one called default; see parley panels list."
)
key_check_option = click.option(
    "--key-check/--no-key-check", default=True, help="Look for the providers' keys before anything starts."
)
allow_provider_option = click.option(
    "--allow-provider", multiple=True, metavar="NAME", help="Agree to the address of this provider; by default it asks."
)
detach_option = click.option(
    "--detach", is_flag=True, help="Print the id and return. A worker must be running elsewhere."
)
output_option = click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write the result to this file, too; by default to none.",
)
force_option = click.option("--force", is_flag=True, help="Let --output replace an existing file.")


def combined(*parameters: Parameter[Any]) -> Parameter[Any]:
    """Return a decorator that adds ``parameters`` in the order of the help."""

    def decorate(command: Command) -> Command:
        for parameter in reversed(parameters):
            command = parameter(command)
        return command

    return decorate


def finite(_context: click.Context, _parameter: click.Parameter, number: float | None) -> float | None:
    """Return ``number``; infinity, and NaN, which is in every range, are refused."""
    if number is not None and not isfinite(number):
        raise click.BadParameter(f"{number} is not a finite number")
    return number


def split(_context: click.Context, _parameter: click.Parameter, values: Sequence[str]) -> tuple[str, ...]:
    """Return the names in ``a,b`` and ``c``, for an option that may be repeated."""
    return tuple(name.strip() for value in values for name in value.split(",") if name.strip())


scores_option = click.option(
    "--score",
    "scorers",
    multiple=True,
    callback=split,
    metavar="SCORER",
    help="The scores of these scorers alone: a,b; by default of all.",
)
submit_options = combined(key_check_option, allow_provider_option, detach_option, json_option)
"""The last options of a command that starts a study."""
limit_options = combined(
    click.option("--usd", help="Most dollars in all, or none for no limit; by default unchanged."),
    click.option("--tokens", help="Most tokens in all, or none for no limit; by default unchanged."),
)


def budget_change(usd: str | None, tokens: str | None) -> "BudgetChange":
    """Return the change that the options of ``limit_options`` name."""
    from protocols.update_requests import BudgetChange

    if usd is None and tokens is None:
        raise RequestError("nothing is to be changed: name a limit in dollars (--usd) or in tokens (--tokens)")
    dollars = None if usd in {None, "none"} else _number("--usd", str(usd))
    count = None if tokens in {None, "none"} else ceil(_number("--tokens", str(tokens)))
    return BudgetChange(usd=dollars, tokens=count, any_usd=usd == "none", any_tokens=tokens == "none")


def _number(option: str, written: str) -> float:
    try:
        value = float(written.replace("_", "").removeprefix("$"))
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise RequestError(f"{option} {written!r}: give a number above 0, or none for no limit")
    return value
