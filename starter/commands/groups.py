"""Groups of commands, each imported when it is called, and suggestions for a missing command or option."""

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from functools import partial
from importlib import import_module
from typing import Any, ClassVar, NamedTuple

import click

from parley.specs import PROTOCOLS
from runtime.distribution import own_module

_SAME = {
    "options choices": "--answer choice:A,B",
    "model models members voters": "--models | --agents | --generator, --refiner and --validator",
    "judges": "--judge | --models",
    "rounds turns": "--max-rounds | --layers",
    "n k votes repeats": "--samples | --repeat",
    "cost max-cost budget-usd": "--budget-usd | --usd",
    "rows": "--limit 1-10",
    "format": "--json",
    "csv": "--format csv",
    "file scorers": "--with",
}
"""Names that options have elsewhere, with those that mean the same: the first that a command has is its own."""


class CommandLine(NamedTuple):
    """A command in the help of its group."""

    load: Callable[[], click.Command]
    """Imports the command."""
    summary: str


Sections = Mapping[str, Mapping[str, CommandLine]]
"""Heading in the help to the commands below it."""


class LazyGroup(click.Group):
    """A group that imports a command when it is called; its own help imports none."""

    sections: ClassVar[Sections] = {}

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the names in the order of the help."""
        return [name for commands in self.sections.values() for name in commands]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """Import the command of that name."""
        lines = (commands[cmd_name] for commands in self.sections.values() if cmd_name in commands)
        return next((line.load() for line in lines), None)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's signature
        """Write the commands below their headings."""
        for heading, commands in self.sections.items():
            with formatter.section(heading):
                formatter.write_dl([(name, line.summary) for name, line in commands.items()])


def with_suggestion(error: click.ClickException) -> click.ClickException:
    """Return the error of an unknown command or option with a suggestion, and any other error as it is."""
    match error:
        case click.NoSuchCommand(command_name=name, ctx=click.Context(command=click.Group() as group) as context):
            near = get_close_matches(name, group.list_commands(context), n=1)
        case click.NoSuchOption(option_name=name, ctx=click.Context(command=command) as context):
            near = _meant(name.lstrip("-"), command)
        case _:
            return error
    return click.UsageError(f"{error.message} Did you mean {' or '.join(near)}?" if near else error.message, context)


def _meant(word: str, command: click.Command) -> list[str]:
    """Return the option of ``command`` with the meaning of ``word``, or those with a similar name."""
    known = [name[2:] for one in command.params for name in (*one.opts, *one.secondary_opts) if name[:2] == "--"]
    same = next((text for words, text in _SAME.items() if word in words.split()), "").split(" | ")
    meant = [text for text in same if text[2:].partition(" ")[0].strip(",") in known]
    alike = [name for name in known if name.startswith(word) or word in name.split("-")]
    return meant[:1] or [f"--{name}" for name in alike or get_close_matches(word, known, cutoff=0.75)]


def imported(place: str, summary: str) -> CommandLine:
    """Return the command at ``place``; see ``import_attribute``."""
    return CommandLine(partial(import_attribute, place), summary)


def import_attribute(place: str) -> Any:
    """Import what ``place`` names: its module and its name there, as in ``starter.commands.stop:command``."""
    module, _, attribute = place.partition(":")
    return getattr(import_module(own_module(module)), attribute)


def ask_commands(make: str) -> Mapping[str, CommandLine]:
    """Return a command for each name, made by the function at ``make``; see ``import_attribute``."""

    def line(protocol: str, summary: str, preset: str | None = None) -> CommandLine:
        return CommandLine(lambda: import_attribute(make)(protocol, summary, preset), summary)

    protocols = {name: line(name, summary) for name, summary in PROTOCOLS.summaries.items()}
    return protocols | {name: line(one.protocol, one.summary, name) for name, one in PROTOCOLS.presets.items()}


class _Names(LazyGroup):
    """The commands that ask, each with its own options."""

    sections: ClassVar[Sections] = {"Ask": ask_commands("starter.commands.ask_command:estimate_command")}


@click.group("estimate", cls=_Names)
def estimate_command() -> None:
    """Print how many calls, tokens and dollars a deliberation may take, from the shortest to the longest.

    Each command takes the question and the options of the command that asks. Nothing is asked and nothing is spent.
    Prices are those of the price list; one that is not in it is unknown.
    """
