"""``parley budget``: change what a deliberation may spend; its options are those of ``parley batch budget``."""

from typing import TYPE_CHECKING

import click

from parley.notices import notify
from starter.commands.parameters import combined, deliberation_id
from starter.handlers.command_runner import with_worker

if TYPE_CHECKING:
    from parley.session import Session
    from protocols.update_requests import BudgetChange

limit_options = combined(
    click.option("--usd", help="Most dollars in all, or none for no limit; by default unchanged."),
    click.option("--tokens", help="Most tokens in all, or none for no limit; by default unchanged."),
)


@click.command("budget")
@deliberation_id
@limit_options
@with_worker
async def command(session: "Session", *, deliberation_id: str, usd: str | None, tokens: str | None) -> None:
    """Set the budget of the running deliberation ID; one that waits for a higher budget continues.

    The limits are for the whole deliberation: what it used so far counts. Only one that was started with a budget has
    one.
    """
    progress = await session.parley.set_budget(deliberation_id, budget_change(usd, tokens))
    line = progress.budget.line if progress.budget else "budget: no limit"
    notify(f"{deliberation_id}: {line}. Follow it: parley watch {deliberation_id}")


def budget_change(usd: str | None, tokens: str | None) -> "BudgetChange":
    """Return the change that the options of ``limit_options`` name."""
    from math import ceil

    from parley.errors import RequestError
    from protocols.update_requests import BudgetChange

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
