"""Messages on standard error, beside what a command prints."""

import sys

from protocols.visible_text import printable


def notify(message: str) -> None:
    """Print ``message`` on standard error."""
    sys.stderr.write(f"{printable(message)}\n")
    sys.stderr.flush()
