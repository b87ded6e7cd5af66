"""A deliberation pending: a bar per stage, a row per participant, or lines where nothing can be drawn."""

from typing import Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from parley.pending_calls import Call
from parley.watch import Sight
from protocols.cost_text import spending
from protocols.flaws import words_of
from protocols.panel import name_of
from protocols.plurals import counted
from protocols.progress import MARKS, Progress, Seat, StageBar
from protocols.visible_text import one_line, printable
from starter.views.escalations import waits
from starter.views.live_text import end_of_text
from starter.views.tables import REHEARSAL, flaw_line, rehearsal_label

_STYLES = {"running": "cyan", "answered": "green", "completed": "green", "flawed": "yellow", "lost": "red"}
_NOTE_WIDTH = 60
_REASON_WIDTH = 800
"""Of why less is seen than there should be, with the remedy."""
_BAR_WIDTH = 24
_FULL = 90
_USUAL_ANSWER = 600
"""Tokens, where the schedule does not say how long an answer is likely to be."""


class LiveScreen:
    """A screen that is redrawn in place on a terminal, and printed as lines on change elsewhere."""

    def __init__(self, console: Console, per_second: float) -> None:
        self._console = console
        self._live = Live(console=console, refresh_per_second=per_second, transient=True)

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._live.stop()


class ProgressScreen(LiveScreen):
    """The screen of a deliberation."""

    def __init__(self, console: Console) -> None:
        super().__init__(console, per_second=10)
        self._spinner = Spinner("dots")
        self._lines: tuple[str, ...] = ()

    def show(self, sight: Sight) -> None:
        """Show ``sight`` in place of the one before."""
        if self._console.is_terminal:
            self._live.update(as_renderable(sight, self._spinner))
            return
        lines = as_text(sight)
        for line in lines:
            if line not in self._lines:
                self._console.print(line, soft_wrap=True)
        self._lines = lines


def as_renderable(sight: Sight, spinner: RenderableType = "") -> RenderableType:
    """Return ``sight`` as something that rich can print."""
    progress = sight.progress
    parts: list[RenderableType] = [_headline(sight, spinner)]
    if progress is not None:
        if progress.rehearsal:
            parts.append(rehearsal_label())
        parts += [_stages(progress, sight), _seats(progress, sight)]
        parts += [Text(one_line(str(outage), width=_REASON_WIDTH), style="bold yellow") for outage in sight.outages]
        if progress.findings:
            parts.append(Text(printable(progress.findings), style="dim"))
        if (text := end_of_text(sight.calls)) is not None:
            parts.append(text)
        if waiting := waits(progress, sight.deliberation_id):
            parts.append(Text(waiting, style="bold yellow"))
        if progress.branch is not None:
            parts.append(Text(printable(progress.branch.as_text), style="dim"))
        if progress.degraded.line:
            parts.append(flaw_line(progress.degraded))
        limits = f"; {progress.budget.line}" if progress.budget else ""
        parts.append(Text(f"{spending(progress.spent, rehearsal=progress.rehearsal)}{limits}", style="dim"))
    if sight.note:
        parts.append(Text(one_line(sight.note, width=_REASON_WIDTH), style="yellow"))
    return Group(*parts)


def as_text(sight: Sight) -> tuple[str, ...]:
    """Return ``sight`` as lines; a line printed before need not be printed again."""
    progress = sight.progress
    note = (f"note: {sight.note}",) if sight.note else ()
    if progress is None:
        return (f"{sight.deliberation_id}: {sight.status}", *note)
    label = (REHEARSAL,) if progress.rehearsal else ()
    stages = [_stage_line(progress, bar) for bar in progress.stages if bar.status != "ready"]
    settled = [seat for seat in progress.seats if seat.status not in {"ready", "running"} and not progress.stop_reason]
    seats = [_seat_line(progress, seat) for seat in settled]
    retries = [
        f"{call_id}: {one_line(call.pause or f'attempt {call.attempt} after {call.last_failure}', width=220)}"
        for call_id, call in sorted(sight.calls.items())
        if call.pause or (call.attempt > 1 and call.away_since is None)
    ]
    outages = [one_line(outage.described(is_redrawn=False), width=_REASON_WIDTH) for outage in sight.outages]
    flaws = [one_line(f"{words_of(one, progress.names)}: {one.note}", width=200) for one in progress.degraded.flaws]
    end = (f"ended: {progress.stop_reason}", progress.degraded.line) if progress.stop_reason else ()
    branch = (printable(progress.branch.as_text),) if progress.branch else ()
    return (
        *label,
        *branch,
        *stages,
        *seats,
        *retries,
        *outages,
        *flaws,
        *filter(None, [waits(progress, sight.deliberation_id)]),
        *note,
        *filter(None, end),
    )


def percent(bar: StageBar, sight: Sight) -> int:
    """Return the progress of a stage: 0 to 90 while it runs, by finished seats and tokens written.

    Only its completion makes it 100.
    """
    if bar.status != "running" or sight.progress is None:
        return 100 if bar.status == "completed" else 0
    writing = (seat for seat in sight.progress.seats if seat.status == "running" and seat.stage in {bar.name, ""})
    done = bar.done + sum(_written(seat, sight.calls.get(seat.call_id or "")) for seat in writing)
    return min(_FULL, round(_FULL * done / max(bar.of, 1)))


def _headline(sight: Sight, spinner: RenderableType) -> RenderableType:
    row = Table.grid(padding=(0, 1))
    title, phase = sight.deliberation_id, sight.status
    if progress := sight.progress:
        most = f" of at most {progress.rounds}" if progress.rounds else ""
        title = one_line(progress.title, width=80)
        phase = progress.stop_reason or f"round {progress.round}{most} · {progress.phase or progress.stage}"
    row.add_row(spinner, Text(title, style="bold"), Text(phase, style="cyan"))
    return row


def _stages(progress: Progress, sight: Sight) -> RenderableType:
    table = Table.grid(padding=(0, 1))
    for bar in progress.stages:
        style = _STYLES.get(bar.status, "dim")
        mark, name = Text(MARKS[bar.status], style=style), Text(bar.name, style=style)
        if bar.status == "skipped":
            table.add_row(mark, name, Text("skipped", style="dim"))
            continue
        reached = percent(bar, sight)
        drawing = ProgressBar(total=100, completed=reached, width=_BAR_WIDTH, complete_style="cyan")
        table.add_row(mark, name, drawing, Text(f"{reached:>3} %"), Text(f"{bar.done}/{bar.of}" if bar.of else ""))
    return table


def _written(seat: Seat, call: Call | None) -> float:
    """Return the written share of a seat's answer, 0 to 1."""
    return min(1.0, call.tokens / (seat.expected_tokens or _USUAL_ANSWER)) if call else 0.0


def _seats(progress: Progress, sight: Sight) -> RenderableType:
    table = Table.grid(padding=(0, 2))
    for seat in progress.seats:
        call = sight.calls.get(seat.call_id or "")
        style = _STYLES.get(seat.status, "dim")
        table.add_row(
            Text(f"{MARKS[seat.status]} {one_line(seat.label, width=40)}", style=style),
            Text(one_line(name_of(seat.model), width=40)),
            Text(_doing(seat, call), style=style),
            Text(counted(call.tokens, "token") if call and call.tokens else ""),
        )
    return table


def _doing(seat: Seat, call: Call | None) -> str:
    if seat.note:
        return one_line(seat.note, width=_NOTE_WIDTH)
    if call is None or seat.status != "running":
        return seat.status
    if call.pause:
        return one_line(call.pause, width=_NOTE_WIDTH)
    if call.away_since is not None:
        return f"waits for {one_line(call.provider, width=_NOTE_WIDTH)}, attempt {call.attempt}"
    if call.attempt > 1:
        return f"attempt {call.attempt} ({one_line(call.last_failure, width=_NOTE_WIDTH)})"
    return "waiting for a worker" if call.waits else call.phase or seat.status


def _round(progress: Progress) -> str:
    """Return the beginning of a line where rounds are counted: each round prints its stages again."""
    return f"round {progress.round} · " if progress.rounds else ""


def _stage_line(progress: Progress, bar: StageBar) -> str:
    phase = f" ({progress.phase})" if progress.phase and bar.status == "running" else ""
    return f"{_round(progress)}{bar.name}: {bar.status}{phase}"


def _seat_line(progress: Progress, seat: Seat) -> str:
    note = f" ({one_line(seat.note, width=200)})" if seat.note else ""
    who = f"{one_line(seat.label, width=40)} · {one_line(name_of(seat.model), width=80)}"
    return f"{_round(progress)}{progress.stage} · {who}: {seat.status}{note}"
