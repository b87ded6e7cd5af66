"""The names under which models are asked: every protocol, and the presets of a vote."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import click

from parley.specs import PROTOCOLS
from starter.commands.groups import CommandLine, import_attribute

if TYPE_CHECKING:
    from protocols.vote.presets import PresetName

_PRESETS: "Mapping[PresetName, str]" = {
    "single": "Ask one model one question once.",
    "self-consistency": "Ask one model one question several times, and count its answers.",
    "majority": "Ask each model of a panel one question once, and count the answers.",
}
"""The presets of a vote and their lines in the help."""


def ask_commands(make: str) -> Mapping[str, CommandLine]:
    """Return a command for each name, made by the function at ``make``; see ``import_attribute``."""
    protocols = {name: _made(make, name, summary) for name, summary in PROTOCOLS.summaries.items()}
    return protocols | {preset: _made(make, "vote", summary, preset) for preset, summary in _PRESETS.items()}


def _made(make: str, protocol: str, summary: str, preset: "PresetName | None" = None) -> CommandLine:
    def load() -> click.Command:
        function: Callable[..., click.Command] = import_attribute(make)
        return function(protocol, summary, preset)

    return CommandLine(load, summary)
