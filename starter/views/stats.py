"""What the ledger counts over all consensuses: the real ones, and the rehearsals under their label."""

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from ledger.statistics import ConsensusStats
from protocols.visible_text import one_line
from starter.views.progress import rehearsal_label

_MODEL_WIDTH = 60


def stats(real: ConsensusStats, rehearsal: ConsensusStats) -> RenderableType:
    """The real ones first; of rehearsals nothing is said when there are none."""
    parts = [Text("there is no consensus in the ledger yet")] if real.is_empty else _counts(real)
    if rehearsal.is_empty:
        return Group(*parts)
    return Group(*parts, rehearsal_label(), *_counts(rehearsal))


def _counts(counted: ConsensusStats) -> list[RenderableType]:
    average = "unknown" if counted.average_rounds is None else f"{counted.average_rounds:.2f}"
    return [_days(counted), _votes(counted), Text(f"average rounds: {average}")]


def _days(counted: ConsensusStats) -> Table:
    table = _table("day (UTC)", "conversations")
    for line in counted.daily_conversations:
        table.add_row(f"{line.day}", f"{line.conversations:,}")
    return table


def _votes(counted: ConsensusStats) -> Table:
    table = _table("model", "checks asked for", "accepted (NO)", "corrections", "objections", "unread", "lost")
    for line in counted.voting_patterns:
        read = (line.total_votes, line.no_votes, line.corrections, line.objections)
        counts = (*read, line.unread_votes, line.lost_votes)
        table.add_row(Text(one_line(line.model_id, width=_MODEL_WIDTH)), *(f"{count:,}" for count in counts))
    return table


def _table(first: str, *counts: str) -> Table:
    table = Table(box=box.SIMPLE)
    table.add_column(first, overflow="fold")
    for heading in counts:
        table.add_column(heading, justify="right")
    return table
