"""The console, and JSON that is safe to pipe."""

import json
import re
from typing import Any

import click
from rich.console import Console, RenderableType

from protocols.visible_text import UNSEEN

_WIDE = 120


def as_json(value: Any) -> str:
    """Return one JSON document in which every character without a shape is escaped; it reads back as it was."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2)
    return UNSEEN.sub(_escaped, text)


def print_result(document: Any, view: RenderableType, *, json: bool) -> None:
    """Print ``document`` as JSON, or ``view`` for a user."""
    if json:
        click.echo(as_json(document))
    else:
        console().print(view)


def as_json_line(value: Any) -> str:
    """Return ``value`` as JSON on one line; see ``as_json``."""
    return UNSEEN.sub(_escaped, json.dumps(value, ensure_ascii=False, allow_nan=False))


def console(*, to_stderr: bool = False) -> Console:
    """Return a console that prints text unchanged: no markup, no emoji names, no coloured numbers.

    Anywhere but on a terminal it is wide, and lines of text are not wrapped.
    """
    screen = Console(stderr=to_stderr, markup=False, emoji=False, highlight=False)
    if not screen.is_terminal:
        screen.soft_wrap, screen.width = True, _WIDE
    return screen


def _escaped(found: re.Match[str]) -> str:
    """Return a character as JSON escapes it; the line feed of the layout is none of those that are looked at."""
    return json.dumps(found[0])[1:-1] if found[0] != "\x7f" else "\\u007f"
