"""The flaws of a deliberation on the screen."""

from rich.console import RenderableType
from rich.text import Text

from protocols.flaws import Degraded
from protocols.visible_text import printable


def flaw_line(degraded: Degraded) -> RenderableType:
    """Return the counts of the flaws in one line, yellow where they degrade the result."""
    return Text(printable(degraded.line), style="bold yellow" if degraded.is_degraded else "dim")
