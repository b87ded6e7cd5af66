"""Progress as Markdown for the details panel of the Web UI.

Tables in Markdown have no borders there, so tables are aligned text in fenced blocks. Text of people and models could
forge our headings and tables: questions, findings and reasons are fenced, where they format, link and load nothing;
drafts and verdicts are quotations, written anew from harmless elements (``protocols.markdown_text``).
"""

from collections.abc import Mapping, Sequence
from textwrap import wrap

from protocols.cost_text import spending
from protocols.flaws import Degraded, words_of
from protocols.markdown_text import quoted
from protocols.model_call import ParticipantId
from protocols.panel import name_of
from protocols.progress import MARKS, Progress, Seat, StageBar
from protocols.tables import Cell, Column, Table
from protocols.visible_text import one_line, printable

_LONGEST = 4000
_WIDTH = 66
"""Characters that the panel shows side by side in a window of ordinary width."""
_NARROWEST = 16
_CELL_WIDTH = 60


def render(progress: Progress, question: str, *, draft: str | None = None, verdict: str | None = None) -> str:
    """Return the details of a deliberation as Markdown: question, progress, findings, spending, draft and verdict."""
    parts = [
        f"### {progress.protocol.replace('-', ' ').capitalize()}: {_headline(progress)}",
        _REHEARSAL if progress.rehearsal else "",
        f"### Waits for\n{prose(progress.waits_for)}" if progress.waits_for else "",
        prose(question),
        prose(progress.branch.as_text) if progress.branch else "",
        block(_rows(progress)),
        block(progress.findings) if progress.findings else "",
        _flaws(progress.degraded, progress.names),
        _sources(progress),
        f"**Used** {spending(progress.spent, rehearsal=progress.rehearsal)}"
        + (f"; {progress.budget.line}" if progress.budget else ""),
        f"### Draft\n{quoted(_cut(draft))}" if draft else "",
        f"### Verdict\n{quoted(_cut(verdict))}" if verdict else "",
    ]
    return "\n\n".join(part for part in parts if part)


def block(text: str) -> str:
    """Return ``text`` as a fenced block that its content cannot leave; long text is cut with a note."""
    plain = printable(_cut(text)).replace("```", "ʼʼʼ")
    return f"```text\n{plain}\n```"


def prose(text: str) -> str:
    """Return ``text`` as ``block`` does, with lines broken at the width of the panel."""
    lines = (broken for line in text[: _LONGEST + 1].splitlines() for broken in wrap(line, _WIDTH) or [""])
    return block("\n".join(lines) + text[_LONGEST + 1 :])


def text_of(shown: Table, *, latest: int | None = None) -> str:
    """Return a table as aligned text with its notes below; of more than ``latest`` rows the last ones are shown."""
    kept = shown.shown_in("panel")
    rows = [tuple(map(_cell, kept.columns, row)) for row in kept.rows]
    earlier = max(0, len(rows) - (latest or len(rows)))
    more = [(f"({earlier})", *("" for _ in kept.columns[1:]))] if earlier else []
    aligned = (
        [narrow([tuple(column.heading for column in kept.columns), *more, *rows[earlier:]])] if kept.columns else []
    )
    return "\n".join([*aligned, *(line for note in kept.notes for line in _hanging(note.text))])


def _cell(column: Column, cell: Cell) -> str:
    """Return the text of a cell on one line; a model is shown without its maker."""
    text = one_line(cell.text, width=min(cell.width, _CELL_WIDTH))
    return text.rpartition("/")[2] if column.heading == "model" else text


def table(rows: Sequence[Sequence[str]]) -> str:
    """Format rows of cells as aligned text."""
    widths = [max(len(row[n]) for row in rows) for n in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def narrow(rows: Sequence[Sequence[str]]) -> str:
    """Format rows as ``table`` does, with the last cell broken between words at the width of the panel."""
    beside = sum(max(len(row[n]) for row in rows) + 2 for n in range(len(rows[0]) - 1))
    broken: list[tuple[str, ...]] = []
    for row in rows:
        first, *more = wrap(row[-1], max(_NARROWEST, _WIDTH - beside), break_on_hyphens=False) or [""]
        broken += [(*row[:-1], first), *((*("" for _ in row[:-1]), line) for line in more)]
    return table(broken)


_REHEARSAL = "**Rehearsal**: scripted models answer here, no real model was asked."


def _headline(progress: Progress) -> str:
    if progress.stop_reason:
        return f"ended ({progress.stop_reason})"
    rounds = f"{progress.round} of at most {progress.rounds}" if progress.rounds else str(progress.round)
    return f"round {rounds}, {progress.phase or progress.stage}"


def _rows(progress: Progress) -> str:
    """Return the seats of the round with their status, and the reason of each loss below."""
    seats = (*progress.earlier, *progress.seats)
    rows = _by_stage(progress, seats) if progress.rounds else _by_participant(progress, seats)
    notes = [line for seat in seats if seat.note for line in _hanging(f"{seat.label}, {seat.stage}: {seat.note}")]
    return "\n".join([table(rows), *([""] if notes else []), *notes])


def _flaws(degraded: Degraded, names: Mapping[ParticipantId, str]) -> str:
    """Return what was lost or repaired so far: the counts, and the latest in full."""
    if not degraded.line:
        return ""
    said = (": ".join(filter(None, (words_of(flaw, names), flaw.note))) for flaw in degraded.flaws)
    lines = [line for one in said for line in _hanging(one)]
    left = sum(degraded.counts.values()) - len(degraded.flaws)
    earlier = [f"({left} earlier)"] if left else []
    listed = block("\n".join([*earlier, *lines]))
    return f"**{degraded.line.capitalize()}**\n\n{listed}"


def _sources(progress: Progress) -> str:
    """Return the number of pages that providers named as sources, and the latest of them."""
    if not progress.sources:
        return ""
    lines = [line for value in progress.sources for line in _hanging(value)]
    earlier = progress.source_count - len(progress.sources)
    listed = block("\n".join([*([f"({earlier} earlier)"] if earlier else []), *lines]))
    return f"**Sources named by providers: {progress.source_count}**\n\n{listed}"


def _by_participant(progress: Progress, seats: Sequence[Seat]) -> list[tuple[str, ...]]:
    """Return a row for each participant, with a mark for each stage."""
    people = dict.fromkeys(seat.participant for seat in seats)
    heading = ("", "", *(_stage(bar) for bar in progress.stages))
    return [heading, *(_person([seat for seat in seats if seat.participant == person], progress) for person in people)]


def _by_stage(progress: Progress, seats: Sequence[Seat]) -> list[tuple[str, ...]]:
    """Return a row for each stage of a round: its mark, those of its seats, and the model of a single seat."""
    rows: list[tuple[str, ...]] = []
    for bar in progress.stages:
        stood = [seat for seat in seats if seat.stage == bar.name]
        model = name_of(stood[0].model).rpartition("/")[2] if len(stood) == 1 else ""
        rows.append((MARKS[bar.status], bar.name, "".join(MARKS[seat.status] for seat in stood), model))
    return rows


def _hanging(line: str) -> list[str]:
    return wrap(line, _WIDTH, subsequent_indent="    ")


def _stage(bar: StageBar) -> str:
    return f"{bar.name} {bar.done}/{bar.of}" if bar.of else f"{bar.name} {MARKS[bar.status]}"


def _person(seats: Sequence[Seat], progress: Progress) -> tuple[str, ...]:
    cells = []
    for bar in progress.stages:
        stood = [seat for seat in seats if seat.stage == bar.name]
        cells.append(MARKS[stood[-1].status] if stood else "")
    return (seats[-1].label, name_of(seats[-1].model).rpartition("/")[2], *cells)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}\n\n[… {len(text) - _LONGEST} more characters]"
