"""A screening on a screen: a line per judged prompt, and at the end a table of flagged ones."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from protocols.cost_text import spending
from protocols.tables import Cell, Tone
from protocols.visible_text import one_line
from starter.views.tables import plain, rehearsal_label
from studies.screening.counts import Counts
from studies.screening.judging import Outcome, Screened

ROWS = 100
"""Rows of the table at most."""
FEW = 40
"""As long as no more prompts were screened, all have a row."""

_WORDS: dict[Outcome, str] = {"not_flagged": "no", "flagged": "flagged"}
_TONES: dict[Outcome, Tone] = {"flagged": "bad", "refused": "warning", "unread": "warning", "failed": "warning"}
_SOURCES = {"heuristic": "keywords (a guess)"}


def progress_line(found: Screened, wanted: int) -> str:
    """Return one judged prompt as a line."""
    finding = _falsehood(found) if found.metrics else one_line(found.error or "", width=80)
    outcome = found.outcome.replace("_", " ")
    return one_line(f"{found.number:,}/{wanted:,} {found.name}: {outcome}, {finding}", width=160)


class Rows:
    """The rows of the table as prompts are judged: all of a few; of many those flagged or without a finding."""

    def __init__(self, *, wanted: int) -> None:
        self.wanted = wanted
        self.counts = Counts()
        self.rows: list[Screened] = []
        self.hidden = 0

    def add(self, found: Screened) -> None:
        """Count a prompt, and keep its row where the table has one for it."""
        self.counts = self.counts.with_one(found)
        if self.wanted > FEW and found.outcome == "not_flagged":
            return
        if len(self.rows) < ROWS:
            self.rows.append(found)
        else:
            self.hidden += 1


def screening(table: Rows, *, run: str, rehearsal: bool) -> RenderableType:
    """Show the table, the counts, the cost, and how to continue under the same name."""
    parts: list[RenderableType] = [rehearsal_label()] if rehearsal else []
    if table.rows:
        parts.append(_table(table.rows))
    if table.hidden:
        parts.append(Text(f"and {table.hidden:,} more rows; --json and --output have all of them"))
    again = f"The same command with --run {run} judges, and pays for, nothing twice"
    earlier = " (with what was paid before)" if table.counts.reused else ""
    foot = f"{spending(table.counts.spent, rehearsal=rehearsal)}{earlier}\n{again}"
    return Group(*parts, Text(table.counts.as_text, style="bold"), Text(foot, style="dim"))


def _falsehood(found: Screened) -> str:
    if found.metrics is None:
        return "–"
    return f"F {found.metrics.falsehood:.2f}{' by keywords' if found.metrics.guessed else ''}"


def _table(rows: Sequence[Screened]) -> RenderableType:
    body = [
        (
            f"{one.number}",
            Cell(one.name, width=30),
            Cell(one.layers.text(one.layers.judged), width=50),
            _falsehood(one).removeprefix("F "),
            Cell(_WORDS.get(one.outcome, one.outcome), _TONES.get(one.outcome, "")),
            _grounds(one),
        )
        for one in rows
    ]
    return plain(("#", "name", "prompt", "F", "flagged", "read from, or why not"), body, right={"#", "F"})


def _grounds(one: Screened) -> str:
    if one.metrics is None:
        return one_line(one.error or "", width=120)
    sources = ", ".join(_SOURCES.get(source, source) for source in one.metrics.sources)
    flaws = one.metrics.degraded.summary
    return one_line(f"{sources}{f'; {flaws}' if flaws else ''}", width=120)
