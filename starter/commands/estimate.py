"""``parley estimate``: estimate the cost of a deliberation before anything is spent."""

from typing import ClassVar

import click

from starter.commands.ask_names import ask_commands
from starter.commands.groups import LazyGroup, Sections


class _Names(LazyGroup):
    """The commands that ask, each with its own options."""

    sections: ClassVar[Sections] = {"Ask": ask_commands("starter.commands.ask_command:estimate_command")}


@click.group("estimate", cls=_Names)
def command() -> None:
    """Print how many calls, tokens and dollars a deliberation may take, from the shortest to the longest.

    Each command takes the question and the options of the command that asks. Nothing is asked and nothing is spent.
    Prices are those of the price list; one that is not in it is unknown.
    """
