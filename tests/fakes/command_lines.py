"""What a command that asks reads from its command line."""

from typing import Any, TypeVar

import click

from parley.options.ask import Options
from parley.options.fire_circle import layers_of
from parley.specs import PROTOCOLS
from protocols.fire_circle.model import LAYERS, Layers, SessionMemory
from starter.commands.ask_command import ask_command
from starter.handlers.ask import read_asked

Chosen = TypeVar("Chosen", bound=Options)


def question_read(given: dict[str, Any], options: type[Chosen]) -> tuple[str, Chosen]:
    """Return the question and the options that a command reads from ``given``."""
    spec = next(one for one in PROTOCOLS.values() if one.options is options)
    asked, chosen = read_asked(dict(given), spec)
    return asked[spec.question_keys[-1]], chosen


def prompt_read(given: dict[str, Any], options: type[Chosen]) -> tuple[tuple[Layers, SessionMemory | None], Chosen]:
    """Return the prompt and the options that a command reads from ``given``."""
    spec = next(one for one in PROTOCOLS.values() if one.options is options)
    asked, chosen = read_asked(dict(given), spec)
    return (layers_of({name: asked[name] for name in LAYERS if name in asked}), asked["session"]), chosen


def line_read(protocol: str, *line: str) -> tuple[str, Any]:
    """Return the question and the options that the command of ``protocol`` reads from the words of a line."""
    command: click.Command = ask_command(protocol, "")
    given = command.make_context(protocol, list(line)).params
    spec = PROTOCOLS[protocol]
    taken = {key: value for key, value in given.items() if key in {*spec.options.keys(), "question", "file", "config"}}
    asked, chosen = read_asked(taken, spec)
    return asked[spec.question_keys[-1]], chosen
