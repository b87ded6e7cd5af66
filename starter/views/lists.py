"""Lists: deliberations, providers, and what a check-up found."""

from collections.abc import Sequence

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from protocols.council.model import DEFAULT_CHAIRMAN_MODEL, DEFAULT_COUNCIL_MODELS
from starter.catalogue import ProviderLine
from starter.checkup import Check
from starter.listing import Listed
from starter.terminal import one_line, printable

_KEY_STYLES = {"set": "green", "missing": "red", "unusable": "red", "not needed": "dim"}


def deliberations(lines: Sequence[Listed]) -> RenderableType:
    """One row per deliberation, the newest first."""
    table = Table(box=box.SIMPLE)
    for heading in ("id", "status", "stage", "title", "seats", "tokens", "cost", "started"):
        table.add_column(heading, overflow="fold" if heading == "id" else "ellipsis", no_wrap=heading != "id")
    for line in lines:
        table.add_row(
            Text(line.id),
            Text(line.stop_reason if line.status == "completed" and line.stop_reason else line.status),
            Text(line.stage or ""),
            Text(one_line(("[rehearsal] " if line.rehearsal else "") + (line.title or ""), width=60)),
            "" if line.participants is None else str(line.participants),
            "" if line.tokens is None else f"{line.tokens:,}",
            "" if line.cost_usd is None else f"${line.cost_usd:.4f}",
            f"{line.started:%Y-%m-%d %H:%M}",
        )
    return table if lines else Text("there is no deliberation to list")


def providers(lines: Sequence[ProviderLine]) -> RenderableType:
    """One row per provider, and the council that sits when none is named."""
    table = Table(box=box.SIMPLE)
    for heading in ("provider", "address", "key", "queue", "requests/s", "at once per worker"):
        table.add_column(heading, overflow="fold")
    for line in lines:
        variable = f"{line.key_variable}: " if line.key_variable else ""
        table.add_row(
            line.name,
            Text(printable(line.base_url)),
            Text(f"{variable}{line.key}", style=_KEY_STYLES[line.key]),
            line.queue,
            "no limit" if line.requests_per_second is None else f"{line.requests_per_second:g}",
            "no limit" if line.max_concurrent is None else str(line.max_concurrent),
        )
    council = f"default council: {', '.join(DEFAULT_COUNCIL_MODELS)}\ndefault chair: {DEFAULT_CHAIRMAN_MODEL}"
    return Group(table, Text(council))


def checks(found: Sequence[Check]) -> RenderableType:
    """One line per check, with what to do under those that failed."""
    parts: list[RenderableType] = []
    for check in found:
        mark, style = ("✓", "green") if check.ok else ("✗", "red")
        line = Text.assemble((mark, style), f" {check.name}: ", printable(check.found))
        parts.append(line)
        if check.remedy:
            parts.append(Text(f"    {printable(check.remedy)}", style="yellow"))
    return Group(*parts)
