"""``parley evidence``: add a fact with its source to a running debate."""

from typing import TYPE_CHECKING

import click

from parley.notices import notify
from starter.commands.parameters import deliberation_id, split
from starter.handlers.command_runner import with_worker

if TYPE_CHECKING:
    from parley.session import Session


@click.command("evidence")
@deliberation_id
@click.option("--fact", required=True, help="The fact, as text or @FILE; at most 500 characters.")
@click.option("--source", required=True, help="Its source: a title or a citation.")
@click.option("--url", default="", help="The address of the source; by default none.")
@click.option("--supports", multiple=True, callback=split, help="Claims that it supports: C1,C2; by default none.")
@with_worker
async def command(
    session: "Session", *, deliberation_id: str, fact: str, source: str, url: str, supports: tuple[str, ...]
) -> None:
    """Add a fact with its source to the debate ID; every turn from now on sees it.

    It gets an id, E1 and so on, by which the debaters cite it. The claims are listed by: parley claims ID.
    """
    from parley.questions import read_argument

    added = await session.parley.inject_evidence(
        deliberation_id, read_argument(fact), source, url=url, supports=supports
    )
    notify(f"{deliberation_id} has it as {added.id}")
