"""``parley evidence``: a person adds a fact to a debate that runs."""

import click

from parley.questions import read_argument
from starter.commands.ask_options import split
from starter.commands.update_command import change


@click.command("evidence")
@click.argument("deliberation_id", metavar="ID")
@click.option("--fact", required=True, help="What is the case, as text or @FILE; at most 500 characters.")
@click.option("--source", required=True, help="Where that is said: a title or a citation.")
@click.option("--url", default="", help="Where it can be read.")
@click.option("--supports", multiple=True, callback=split, help="Claims that it supports: C1,C2; may be repeated.")
def command(deliberation_id: str, fact: str, source: str, url: str, supports: tuple[str, ...]) -> None:
    """Add a fact with its source to the debate ID; all who speak from now on see it.

    It gets an id, E1 and so on, under which the debaters speak of it. The claims are listed by: parley claims ID.
    """
    change(
        lambda parley: parley.inject_evidence(deliberation_id, read_argument(fact), source, url=url, supports=supports),
        lambda added: f"{deliberation_id} has it as {added.id}",
    )
