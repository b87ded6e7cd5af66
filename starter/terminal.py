"""The console, and JSON that is safe to pipe."""

import json
import re
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from protocols.visible_text import UNSEEN

if TYPE_CHECKING:  # the help of a command prints neither tables nor models
    from rich.console import Console, RenderableType

_WIDE = 120


def as_json(value: Any) -> str:
    """Return values and models as one JSON document with every character without a shape escaped."""
    return UNSEEN.sub(_escaped, _written(value, indent=2))


def print_result(document: Any, view: "RenderableType", *, json: bool) -> None:
    """Print ``document`` as JSON, or ``view`` for a user."""
    if json:
        click.echo(as_json(document))
    else:
        console().print(view)


def as_json_line(value: Any) -> str:
    """Return ``value`` as JSON on one line; see ``as_json``."""
    return UNSEEN.sub(_escaped, _written(value))


def console(*, to_stderr: bool = False) -> "Console":
    """Return a console that prints text unchanged: no markup, no emoji names, no coloured numbers.

    Anywhere but on a terminal it is wide, and lines of text are not wrapped.
    """
    from rich.console import Console  # noqa: PLC0415 - see above

    screen = Console(stderr=to_stderr, markup=False, emoji=False, highlight=False)
    if not screen.is_terminal:
        screen.soft_wrap, screen.width = True, _WIDE
    return screen


def _written(value: Any, *, indent: int | None = None) -> str:
    from pydantic_core import to_jsonable_python  # noqa: PLC0415 - see above

    plain = partial(to_jsonable_python, by_alias=False)
    return json.dumps(value, default=plain, ensure_ascii=False, allow_nan=False, indent=indent)


def _escaped(found: re.Match[str]) -> str:
    """Return a character as JSON escapes it; the line feed of the layout is none of those that are looked at."""
    return json.dumps(found[0])[1:-1] if found[0] != "\x7f" else "\\u007f"
