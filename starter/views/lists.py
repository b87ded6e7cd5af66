"""Lists: deliberations, providers, and what a check-up found."""

from collections.abc import Sequence

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from parley.catalogue import ProviderLine
from parley.listing import Listed
from protocols.cost_text import cost
from protocols.plurals import counted
from protocols.visible_text import one_line, printable
from starter.doctor.checkup import Check

_STATUS_STYLES = {"running": "cyan", "completed": "green"}
_WHOLE = {"provider", "keys go to", "key"}
"""Columns of the providers whose cells are never broken."""
_KEY_STYLES = {"set": "green", "missing": "red", "unusable": "red", "not needed": "dim"}


def deliberations(lines: Sequence[Listed]) -> RenderableType:
    """Return two lines per deliberation, the newest first: its whole id, and its facts."""
    if not lines:
        return Text("there is no deliberation to list")
    return Group(*(row for line in lines for row in (_named(line), Text(f"    {_known(line, lines)}", style="dim"))))


def providers(lines: Sequence[ProviderLine], panels: Sequence[str]) -> RenderableType:
    """Return one row per provider, and the names of the panels."""
    table = Table(box=box.SIMPLE)
    for heading in ("provider", "keys go to", "key", "queue", "requests/s", "at once per worker", "JSON schema"):
        table.add_column(heading, overflow="fold", no_wrap=heading in _WHOLE)
    for line in lines:
        state = line.key if line.is_confirmed else "not agreed"
        table.add_row(
            line.name,
            Text(printable(line.keys_go_to)),
            Text(state, style=_KEY_STYLES.get(state, "red")),
            line.queue,
            "no limit" if line.requests_per_second is None else f"{line.requests_per_second:g}",
            "no limit" if line.max_concurrent is None else str(line.max_concurrent),
            line.json_schema,
        )
    unconfirmed = [
        Text(f"  nothing is sent to {line.name} before: parley allow {line.name}", style="yellow")
        for line in lines
        if not line.is_confirmed
    ]
    return Group(table, *unconfirmed, Text(f"panels: {', '.join(panels)}   (parley panels show NAME shows one)"))


def checks(found: Sequence[Check]) -> RenderableType:
    """Return one line per check, with the remedy under each failed one."""
    parts: list[RenderableType] = []
    for check in found:
        mark, style = ("✓", "green") if check.ok else ("✗", "red")
        line = Text.assemble((mark, style), f" {check.name}: ", printable(check.found))
        parts.append(line)
        if check.remedy:
            parts.append(Text(f"    {printable(check.remedy)}", style="yellow"))
    return Group(*parts)


def _named(line: Listed) -> Text:
    ended = line.status == "completed" and line.stop_reason
    status = line.stop_reason if ended and line.stop_reason else line.status
    return Text.assemble((line.id, "bold"), "  ", (printable(status), _STATUS_STYLES.get(line.status, "red")))


def _known(line: Listed, others: Sequence[Listed]) -> str:
    facts = [
        "REHEARSAL" if line.rehearsal else "",
        "degraded" if line.degraded else "",
        one_line(line.title or "", width=60),
        *_standing(line),
        "" if line.participants is None else counted(line.participants, "seat"),
        "" if line.tokens is None else counted(line.tokens, "token"),
        "" if line.cost_usd is None else cost(f"${line.cost_usd:.4f}", rehearsal=line.rehearsal),
        f"{line.started:%Y-%m-%d %H:%M} UTC",
        f"continues {line.continues}" if line.continues else "",
        *(f"continued by {one.id}" for one in others if one.continues == line.id),
    ]
    return " · ".join(fact for fact in facts if fact)


def _standing(line: Listed) -> tuple[str, str]:
    if line.status != "running":
        return "", ""
    return "" if line.round is None else f"round {line.round}", line.stage or ""
