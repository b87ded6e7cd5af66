"""The rates that the server keeps, as a table."""

from collections.abc import Sequence

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from parley.limits import LimitLine
from protocols.visible_text import printable


def limits_table(lines: Sequence[LimitLine]) -> RenderableType:
    """One row per provider, its single models under it."""
    if not lines:
        return Text("no provider has a limit; give one requests_per_second in the providers file")
    table = Table(box=box.SIMPLE)
    for heading in ("provider", "queue", "requests/s", "each model", "why"):
        table.add_column(heading, overflow="fold")
    for line in lines:
        rates = (_rate(line.per_second), _rate(line.per_model))
        table.add_row(printable(line.provider), printable(line.queue), *rates, printable(line.reason))
        for name, rate in sorted(line.models.items()):
            table.add_row("", Text(f"  {printable(name)}"), "", _rate(rate), "")
    return Group(table)


def _rate(value: float | None) -> str:
    return "no limit" if value is None else f"{value:g}"
