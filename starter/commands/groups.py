"""Groups of commands: each command is imported when it is called, and one that is missing gets a suggestion."""

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from functools import partial
from importlib import import_module
from typing import Any, ClassVar, NamedTuple

import click

from parley.specs import PROTOCOLS
from runtime.distribution import own_module


class CommandLine(NamedTuple):
    """A command in the help of its group."""

    load: Callable[[], click.Command]
    """Imports the command."""
    summary: str


Sections = Mapping[str, Mapping[str, CommandLine]]
"""Heading in the help to the commands below it."""


class SuggestingGroup(click.Group):
    """A group that suggests a command for a name it does not have."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that ``args`` begin with.

        Raises:
            click.UsageError: there is none of that name; suggests the nearest.
        """
        name = args[0]
        if ctx.resilient_parsing or name.startswith("-") or self.get_command(ctx, name) is not None:
            return super().resolve_command(ctx, args)
        near = get_close_matches(name, self.list_commands(ctx), n=1)
        hint = f"Did you mean {near[0]!r}?" if near else f"{ctx.command_path} --help lists them."
        raise click.UsageError(f"there is no command {name!r}. {hint}", ctx)


class LazyGroup(SuggestingGroup):
    """A group that imports a command when it is called; its own help imports none."""

    sections: ClassVar[Sections] = {}

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the names in the order of the help."""
        return [name for commands in self.sections.values() for name in commands]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """Import the command of that name."""
        for commands in self.sections.values():
            if cmd_name in commands:
                return commands[cmd_name].load()
        return None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's signature
        """Write the commands below their headings."""
        for heading, commands in self.sections.items():
            with formatter.section(heading):
                formatter.write_dl([(name, line.summary) for name, line in commands.items()])


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
