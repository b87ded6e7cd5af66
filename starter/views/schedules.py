"""Schedules, as a table."""

from collections.abc import Sequence

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from protocols.visible_text import printable
from studies.schedules import ScheduleLine


def schedules_table(lines: Sequence[ScheduleLine]) -> RenderableType:
    """One row per schedule, its newest firings under it."""
    if not lines:
        return Text("there is no schedule; make one with: parley schedule create NAME STUDY.toml --cron '0 3 * * *'")
    table = Table(box=box.SIMPLE)
    for heading in ("schedule", "times", "next", "note"):
        table.add_column(heading, overflow="fold")
    for line in lines:
        coming = "paused" if line.paused else f"{line.next_at:%Y-%m-%d %H:%M} UTC" if line.next_at else "never"
        told = (line.name, line.times, coming, line.note)
        table.add_row(*(Text(printable(cell)) for cell in told))
        for firing in line.recent:
            table.add_row(Text(f"  {printable(firing)}", style="dim"), "", "", "")
    return Group(table)
