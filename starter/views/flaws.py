"""What was lost or mended on the way to a result: one line, and a table of everything that no other table shows."""

from collections.abc import Collection, Sequence

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from protocols.flaws import WORDS, Degraded, Flaw
from protocols.model_call import LostCall
from protocols.visible_text import one_line, printable

_MOST = 20
"""Rows of the table."""
_NOTE_WIDTH = 300


def flaw_line(degraded: Degraded) -> RenderableType:
    """Return the counts in one line, yellow where they degrade the result."""
    return Text(printable(degraded.line), style="bold yellow" if degraded.is_degraded else "dim")


def flaw_table(degraded: Degraded, failed: Sequence[LostCall]) -> list[RenderableType]:
    """Return the flaws as a table, without those of the calls in ``failed``; nothing when there are no others."""
    shown_already = {(call.stage, call.round, call.participant) for call in failed}
    others = [one for one in degraded.flaws if not _is_of(one, shown_already)]
    if not others:
        return []
    table = Table(title=Text("Flaws", style="bold yellow"), box=box.SIMPLE, title_justify="left")
    for heading in ("what", "seat", "stage", "note"):
        table.add_column(heading)
    has_rounds = any(one.round > 1 for one in others)
    for one in others[:_MOST]:
        stage = f"{one.stage}, round {one.round}" if has_rounds else one.stage
        table.add_row(WORDS[one.kind][0], one.participant, stage, Text(one_line(one.note, width=_NOTE_WIDTH)))
    left = len(others) - _MOST
    return [table, *([Text(f"and {left:,} more; --json has them all", style="dim")] if left > 0 else [])]


def _is_of(flaw: Flaw, calls: Collection[tuple[str, int, str]]) -> bool:
    return flaw.kind in {"lost", "refused", "cut", "unread"} and (flaw.stage, flaw.round, flaw.participant) in calls
