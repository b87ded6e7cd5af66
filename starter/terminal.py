"""Text that is safe to print, and JSON that is safe to pipe.

A model's text may hold escape sequences that recolour, retitle or overwrite a terminal, and marks that turn the
direction of writing so that a line reads differently than it is. They are removed before anything is shown.
"""

import json
import re
from typing import Any

from rich.console import Console

_SEQUENCES = re.compile(
    # Sequences that carry text go with it, when they are closed; an unclosed one must not swallow an answer.
    r"(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]{0,4096}(?:\x07|\x1b\\|\x9c)"
    r"|(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,16}[@-~]?"
    r"|\x1b[ -/]{0,16}[0-~]?"
)
_WIDE = 120
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_UNSAFE_IN_JSON = re.compile(r"[\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: str) -> str:
    """``text`` without escape sequences, control characters (line feed and tab stay) and marks that turn direction."""
    return _CONTROLS.sub("", _SEQUENCES.sub("", text))


def one_line(text: str, *, width: int) -> str:
    """``printable(text)`` as one line of at most ``width`` characters."""
    line = " ".join(printable(text).split())
    return line if len(line) <= width else f"{line[: width - 1]}…"


def as_json(value: Any) -> str:
    """One JSON document; what a terminal or an older reader could stumble over is escaped."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2)
    return _UNSAFE_IN_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def console(*, to_stderr: bool = False) -> Console:
    """A console that prints text as it is: no markup, no emoji names, no colouring of what looks like a number.

    Anywhere but on a terminal it is wide, and lines of text are left whole for whoever reads them.
    """
    screen = Console(stderr=to_stderr, markup=False, emoji=False, highlight=False)
    if not screen.is_terminal:
        screen.soft_wrap, screen.width = True, _WIDE
    return screen
