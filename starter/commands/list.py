"""``parley list``: list the deliberations of this installation."""

from typing import TYPE_CHECKING

import click

from starter.commands.parameters import json_option
from starter.handlers.command_runner import with_session

if TYPE_CHECKING:
    from parley.session import Session


@click.command("list")
@click.option("--query", help="Temporal's list filter, as in: Protocol = 'council' AND CostUsd > 0.1; by default none.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=20, help="Deliberations to list.")
@json_option
@with_session
async def command(session: "Session", *, query: str | None, limit: int, json: bool) -> None:
    """List deliberations, the newest first."""
    from starter.terminal import print_result
    from starter.views.lists import deliberations

    lines = await session.parley.list(query, limit=limit)
    print_result({"deliberations": [line.model_dump(mode="json") for line in lines]}, deliberations(lines), json=json)
