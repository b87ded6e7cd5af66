"""The label of everything that scripted models answered."""

from rich.console import RenderableType
from rich.panel import Panel as Frame
from rich.text import Text

REHEARSAL = "REHEARSAL: scripted models answer, no real model is asked"


def rehearsal_label() -> RenderableType:
    """Return the label of a rehearsal."""
    return Frame(Text(REHEARSAL, style="bold black on yellow", justify="center"), style="bold yellow")
