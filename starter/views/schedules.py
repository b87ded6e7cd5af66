"""Schedules, as a table."""

from collections.abc import Sequence

from rich.console import RenderableType
from rich.text import Text

from protocols.tables import Cell
from starter.views.tables import plain
from studies.schedules import ScheduleLine


def schedules_table(lines: Sequence[ScheduleLine]) -> RenderableType:
    """Return one row per schedule, its newest firings under it."""
    if not lines:
        return Text("there is no schedule; make one with: parley schedule create NAME STUDY.toml --cron '0 3 * * *'")
    body: list[Sequence[str | Cell]] = []
    for line in lines:
        coming = "paused" if line.paused else f"{line.next_at:%Y-%m-%d %H:%M} UTC" if line.next_at else "never"
        body.append((line.name, line.times, coming, line.note))
        body += [(Cell(f"· {firing}", "muted"), "", "", "") for firing in line.recent]
    return plain(("schedule", "times", "next", "note"), body)
