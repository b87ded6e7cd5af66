"""The pages that providers named as sources, as a table. Addresses are text; nothing in it can be followed."""

from collections.abc import Sequence

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from protocols.cited import CitedSource
from protocols.visible_text import one_line

_MOST = 40
_WIDTH = 200


def source_table(cited: Sequence[CitedSource]) -> list[RenderableType]:
    """Return who named which page in which stage; nothing where no provider named any."""
    if not cited:
        return []
    table = Table(title=Text("Sources that providers named", style="bold"), box=box.SIMPLE, title_justify="left")
    for heading in ("seat", "stage", "number", "title", "address"):
        table.add_column(heading, overflow="fold")
    for one in cited[:_MOST]:
        stage = f"{one.stage}, round {one.round}" if one.round > 1 else one.stage
        told = (one.participant, stage, f"[{one.number}]", one.title, one.url)
        table.add_row(*(Text(one_line(text, width=_WIDTH)) for text in told))
    left = len(cited) - _MOST
    return [table, *([Text(f"and {left:,} more; --json has them all", style="dim")] if left > 0 else [])]
