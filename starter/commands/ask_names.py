"""The names under which models are asked: every protocol, and the presets of some."""

from collections.abc import Callable, Mapping

import click

from parley.specs import PROTOCOLS
from starter.commands.groups import CommandLine, import_attribute


def ask_commands(make: str) -> Mapping[str, CommandLine]:
    """Return a command for each name, made by the function at ``make``; see ``import_attribute``."""
    protocols = {name: _made(make, name, summary) for name, summary in PROTOCOLS.summaries.items()}
    presets = {name: _made(make, preset.protocol, preset.summary, name) for name, preset in PROTOCOLS.presets.items()}
    return protocols | presets


def _made(make: str, protocol: str, summary: str, preset: str | None = None) -> CommandLine:
    def load() -> click.Command:
        function: Callable[..., click.Command] = import_attribute(make)
        return function(protocol, summary, preset)

    return CommandLine(load, summary)
