"""What commands that judge a prompt have in common: where its layers come from.

A layer is text, ``@file``, or ``-`` for standard input, also in a configuration file. ``--prompt`` names a JSON
file with all of them, and with the session that the prompt belongs to.
"""

import json
from collections.abc import Callable
from typing import Any, TypeVar

import click
from pydantic import ValidationError

from parley.errors import FLAGGED, VERDICT, RequestError
from parley.options.fire_circle import JudgingOptions, layers_of
from parley.questions import STANDARD_INPUT, read_argument, read_question
from parley.results import AnyResult
from protocols.constraints import problem
from protocols.fire_circle.model import LAYERS, Layers, SessionMemory
from protocols.fire_circle.modes import EvaluateResult, FireCircleResult
from protocols.named_panel import PanelLibrary
from starter.commands.ask_options import settled, split

Chosen = TypeVar("Chosen", bound=JudgingOptions)
Command = TypeVar("Command", bound=Callable[..., Any])

Prompt = tuple[Layers, SessionMemory | None]
"""What is judged, and the conversation it belongs to."""


def prompt_options(command: Command) -> Command:
    """Where the layers come from, and who judges them."""
    options = (
        click.option("--system", help="The system layer: text, @FILE, or - for standard input."),
        click.option("--application", help="The application layer, given in the same way."),
        click.option("--user", help="The user layer, given in the same way."),
        click.option("--prompt", help="A JSON file with system, application, user and session."),
        click.option("--layer", type=click.Choice(LAYERS), help="Which layer is judged; by default the user's."),
        click.option("--models", multiple=True, callback=split, help="Who judges: a,b,c; may be repeated."),
        click.option("--threshold", type=float, help="Flag from this falsehood on, 0 to 1; 0.5 by default."),
        click.option("--exit-code", is_flag=True, help=f"End with {FLAGGED} when the prompt is flagged."),
        click.option("--attack-id", help="Under which the pattern bank keeps what is found."),
        click.option("--config", help="Read options from this TOML file; options given here win."),
    )
    for option in reversed(options):
        command = option(command)
    return command


def exit_code(given: dict[str, Any]) -> Callable[[AnyResult], int] | None:
    """Take ``--exit-code`` out of ``given``; return what makes an exit code of a result, where one was asked for.

    Raises:
        click.UsageError: the command does not wait for the result.
    """
    if not given.pop("exit_code"):
        return None
    if given["detach"]:
        raise click.UsageError("--detach waits for no verdict, so there is no --exit-code; leave one of them out")
    return flagged_code


def flagged_code(result: AnyResult) -> int:
    """Return the exit code of a result with a verdict."""
    is_flagged = isinstance(result, FireCircleResult | EvaluateResult) and result.flagged
    return FLAGGED if is_flagged else VERDICT


def asked(given: dict[str, Any], options: type[Chosen], panels: PanelLibrary | None = None) -> tuple[Prompt, Chosen]:
    """The prompt and the options, from the command line and the files that it names.

    Raises:
        RequestError: there is no layer, standard input is named twice, the prompt's file cannot be used, or see
            ``Options.of``.
    """
    line, keys = settled(given)
    streamed = [f"--{name}" for name in (*LAYERS, "prompt") if line.get(name) in {STANDARD_INPUT, f"@{STANDARD_INPUT}"}]
    if len(streamed) > 1:
        raise RequestError(f"standard input is read once, and {' and '.join(streamed)} want it; name files instead")
    told = _told(line.pop("prompt", None))
    session = told.pop("session", None)
    layers: dict[str, Any] = {name: keys.pop(name) for name in LAYERS if name in keys}
    layers |= told
    layers |= {name: read_argument(line.pop(name)) for name in LAYERS if name in line}
    if not layers:
        raise RequestError("there is nothing to judge. Give --user TEXT, --system TEXT or --prompt FILE")
    return (layers_of(layers), _session(session)), options.of({**keys, **line}, panels)


def _told(path: str | None) -> dict[str, Any]:
    if path is None:
        return {}
    try:
        told = json.loads(_read(path))
    except (json.JSONDecodeError, RecursionError) as error:
        raise RequestError(f"{path!r} is not JSON: {error}") from None
    if not isinstance(told, dict):
        raise RequestError(f"{path!r} must hold an object with {', '.join(LAYERS)} and session")
    return told


def _read(path: str) -> str:
    try:
        return read_question(path.removeprefix("@"))
    except RequestError as error:
        raise RequestError(f"{error}. --prompt names a JSON file; a prompt's text is given with --user") from None


def _session(given: Any) -> SessionMemory | None:
    if given is None:
        return None
    unknown = sorted(set(given) - set(SessionMemory.model_fields)) if isinstance(given, dict) else []
    if unknown:
        raise RequestError(f"session: {unknown[0]!r} is not known; known are {', '.join(SessionMemory.model_fields)}")
    try:
        return SessionMemory.model_validate(given)
    except ValidationError as error:
        raise RequestError(problem(error, "session")) from None
