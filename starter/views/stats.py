"""Counts over all consensuses in the ledger: real ones, then rehearsals under their label."""

from rich.console import Group, RenderableType
from rich.text import Text

from ledger.statistics import ConsensusStats
from starter.views.rehearsal import rehearsal_label
from starter.views.tables import plain


def stats(real: ConsensusStats, rehearsal: ConsensusStats) -> RenderableType:
    """Return the real consensuses first; rehearsals are left out where the ledger has none."""
    parts = [Text("there is no consensus in the ledger yet")] if real.is_empty else _counts(real)
    if rehearsal.is_empty:
        return Group(*parts)
    return Group(*parts, rehearsal_label(), *_counts(rehearsal))


def _counts(counted: ConsensusStats) -> list[RenderableType]:
    average = "unknown" if counted.average_rounds is None else f"{counted.average_rounds:.2f}"
    return [_days(counted), _votes(counted), Text(f"average rounds: {average}")]


def _days(counted: ConsensusStats) -> RenderableType:
    body = ((f"{line.day}", f"{line.conversations:,}") for line in counted.daily_conversations)
    return plain(("day (UTC)", "conversations"), body, right={"conversations"})


def _votes(counted: ConsensusStats) -> RenderableType:
    counts = ("checks asked for", "accepted (NO)", "corrections", "objections", "unread", "lost")
    body = []
    for line in counted.voting_patterns:
        read = (line.total_votes, line.no_votes, line.corrections, line.objections)
        body.append((line.model_id, *(f"{count:,}" for count in (*read, line.unread_votes, line.lost_votes))))
    return plain(("model", *counts), body, right=counts)
