"""Progress as Markdown for the Web UI's details panel.

Markdown tables render there without borders, so tables are aligned text in fenced blocks. What people and models wrote
is shown only inside such a block: it cannot format, link or load anything.
"""

from collections.abc import Sequence

from protocols.exchange import Spent
from protocols.panel import name_of
from protocols.progress import Progress, Seat, StageBar

_MARKS = {"ready": "·", "running": "…", "answered": "✓", "completed": "✓", "lost": "✗", "skipped": "–"}
_WIDEST = 4000


def render(progress: Progress, question: str, *, findings: str = "", verdict: str | None = None) -> str:
    """The whole panel: what is asked, where it stands, what was found and paid, and the verdict when there is one."""
    parts = [
        f"### {progress.protocol.capitalize()}: {_headline(progress)}",
        _REHEARSAL if progress.rehearsal else "",
        block(question),
        block(_rows(progress)),
        block(findings) if findings else "",
        f"**Spent** {_money(progress.spent)}",
        f"### Verdict\n{block(verdict)}" if verdict else "",
    ]
    return "\n\n".join(part for part in parts if part)


def block(text: str) -> str:
    """``text`` as a fenced block that its content cannot leave; long text is cut and says so."""
    shown = text if len(text) <= _WIDEST else f"{text[:_WIDEST]}\n[… {len(text) - _WIDEST} more characters]"
    return f"```text\n{_plain(shown)}\n```"


def table(rows: Sequence[Sequence[str]]) -> str:
    """Rows of cells as aligned text."""
    widths = [max(len(row[n]) for row in rows) for n in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


_REHEARSAL = "**Rehearsal**: scripted models answer here, no real model was asked."


def _headline(progress: Progress) -> str:
    if progress.stop_reason:
        return f"ended ({progress.stop_reason})"
    return f"round {progress.round}, {progress.stage}"


def _rows(progress: Progress) -> str:
    stages = [_stage(bar) for bar in progress.stages]
    seats = [_seat(seat) for seat in progress.seats]
    return table([*stages, *[("", "", "")], *seats]) if seats else table(stages)


def _stage(bar: StageBar) -> tuple[str, str, str]:
    return (f"{_MARKS[bar.status]} {bar.name}", bar.status, f"{bar.done}/{bar.of}" if bar.of else "")


def _seat(seat: Seat) -> tuple[str, str, str]:
    return (f"{_MARKS[seat.status]} {seat.participant}", name_of(seat.model), seat.note or seat.status)


def _money(spent: Spent) -> str:
    unknown = f", cost of {spent.calls_of_unknown_cost} unknown" if spent.calls_of_unknown_cost else ""
    return f"{spent.calls} calls, {spent.tokens:,} tokens, ${spent.usd:.4f}{unknown}"


def _plain(text: str) -> str:
    printable = "".join(c for c in text if c in "\n\t" or (c >= " " and c != "\x7f"))
    return printable.replace("```", "ʼʼʼ")
