"""The layers of a prompt, and the conversation it belongs to, from the command line and the files that it names.

A layer is text, ``@file``, or ``-`` for standard input, also in a configuration file. ``--prompt`` names a JSON
file with all of them, and with the session that the prompt belongs to.
"""

import json
from collections.abc import Mapping
from typing import Any

from parley.errors import RequestError
from parley.options.fire_circle import layers_of, session_of
from parley.questions import STANDARD_INPUT, read_argument, read_question
from protocols.fire_circle.model import LAYERS


def read_layers(line: dict[str, Any], keys: dict[str, Any]) -> Mapping[str, Any]:
    """Take the layers and the session out of the command line and a configuration file.

    Raises:
        RequestError: there is no layer, standard input is named twice, or the prompt's file cannot be used.
    """
    streamed = [f"--{name}" for name in (*LAYERS, "prompt") if line.get(name) in {STANDARD_INPUT, f"@{STANDARD_INPUT}"}]
    if len(streamed) > 1:
        raise RequestError(f"standard input is read once, and {' and '.join(streamed)} want it; name files instead")
    in_file = _prompt_file(line.pop("prompt", None))
    session = in_file.pop("session", None)
    layers: dict[str, Any] = {name: keys.pop(name) for name in LAYERS if name in keys}
    layers |= in_file
    layers |= {name: read_argument(line.pop(name)) for name in LAYERS if name in line}
    if not layers:
        raise RequestError("there is nothing to judge. Give --user TEXT, --system TEXT or --prompt FILE")
    return {**layers_of(layers).model_dump(), "session": session_of(session)}


def _prompt_file(path: str | None) -> dict[str, Any]:
    if path is None:
        return {}
    try:
        given = json.loads(_read(path))
    except (json.JSONDecodeError, RecursionError) as error:
        raise RequestError(f"{path!r} is not JSON: {error}") from None
    if not isinstance(given, dict):
        raise RequestError(f"{path!r} must hold an object with {', '.join(LAYERS)} and session")
    return given


def _read(path: str) -> str:
    try:
        return read_question(path.removeprefix("@"))
    except RequestError as error:
        raise RequestError(f"{error}. --prompt names a JSON file; a prompt's text is given with --user") from None
