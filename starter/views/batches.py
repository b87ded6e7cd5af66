"""A study on a screen: progress, pauses, spending, the use of each arm, and next steps."""

from collections.abc import Mapping, Sequence

from rich.console import Console, Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from protocols.cost_text import UNKNOWN_COST, cost, limit, unanswered
from protocols.flaws import summarise
from protocols.plurals import counted
from protocols.study.budget import fits_budget
from protocols.study.learning import amount_to_reserve, expected_total, mean_plan, mean_use
from protocols.study.messages import PermitRequest
from protocols.study.model import Amount, ArmUse, Budget, sum_amounts
from protocols.tables import Cell, decimal
from protocols.visible_text import one_line, printable
from runtime.capacity import limit_of_calls
from starter.views.estimates import dollars, tokens, without_price
from starter.views.progress import LiveScreen
from starter.views.tables import REHEARSAL, plain, rehearsal_label
from studies.definition.load import LoadedStudy
from studies.runs.status import UNREADABLE, StudyStatus

_OWN_PRICES = "Dollars are those of the price list; scripted models charge prices of their own."
_ESTIMATED = ("arm", "protocol", "models", "deliberations", "tokens, about", "tokens, range", "dollars, range")
_BAR_WIDTH = 40
_WIDTH = 100
_PHASE_STYLES = {"running": "cyan", "paused": "bold yellow", "done": "green", "completed": "green"}
_HEADINGS = ("arm", "measured", "planned each", "took each", "mean ratio", "reserves now")


class BatchScreen(LiveScreen):
    """The screen of a study."""

    def __init__(self, console: Console) -> None:
        super().__init__(console, per_second=4)
        self._line = ""

    def show(self, standing: StudyStatus) -> None:
        """Show ``standing`` in place of the one before."""
        if self._console.is_terminal:
            self._live.update(as_renderable(standing))
            return
        if standing.rehearsal and not self._line:
            self._console.print(Text(REHEARSAL), soft_wrap=True)
        if (line := as_text(standing)) != self._line:
            self._console.print(Text(line), soft_wrap=True)
            self._line = line


def as_renderable(standing: StudyStatus) -> RenderableType:
    """Return ``standing`` as something that rich can print."""
    progress, ended = standing.progress, standing.progress.total - standing.progress.open
    bar = Table.grid(padding=(0, 1))
    share = f"{ended:,} of {progress.total:,}"
    bar.add_row(ProgressBar(total=max(progress.total, 1), completed=ended, width=_BAR_WIDTH), Text(share))
    word = phase(standing)
    headline = Text.assemble((standing.study, "bold"), "  ", (word, _PHASE_STYLES.get(word, "cyan")))
    parts: list[RenderableType] = [headline, rehearsal_label(), bar] if standing.rehearsal else [headline, bar]
    parts += [Text(line) for line in _lines(standing)]
    parts += [table] if (table := uses_table(standing.learned)) else []
    parts += [Text(printable(_waiting(standing)), style="bold yellow")] if _waiting(standing) else []
    parts += [Text(printable(line), style="yellow") for line in _warnings(standing)]
    return Group(*parts)


def as_text(standing: StudyStatus) -> str:
    """Return ``standing`` in one line, for consoles that are no terminal."""
    progress, state = standing.progress, standing.state
    flying = f", {state.in_flight:,} in flight" if state else ""
    label = "REHEARSAL " if standing.rehearsal else ""
    ended = f"{progress.completed:,} completed, {progress.failed:,} failed, {progress.missing:,} missing"
    counts = f"{ended} of {progress.total:,}{flying}"
    waiting = f": {printable(_waiting(standing))}" if _waiting(standing) else ""
    jump = f" (warning: {printable(state.failure_jump.as_text)})" if state and state.failure_jump else ""
    note = f" ({standing.note})" if standing.note else ""
    return f"{label}{standing.study} {phase(standing)}: {counts}, {_used(standing)}{waiting}{jump}{note}"


def phase(standing: StudyStatus) -> str:
    """Return the state of the batch in one word."""
    if standing.state is not None:
        return standing.state.phase
    if standing.status == "running":
        return "running" if standing.note.startswith(UNREADABLE) else "waits for a worker"
    if not standing.progress.open:
        return "done"
    return {"none": "not started", "scheduled": "scheduled"}.get(standing.status, "interrupted")


def next_steps(standing: StudyStatus) -> list[str]:
    """Return the reasons for missing verdicts of an ended batch, and the commands that continue it."""
    progress, lacking = standing.progress, standing.progress.failed + standing.progress.missing
    steps = [
        f"{counted(why.calls, 'call')} lost by {why.error_type}: {one_line(why.message, width=_WIDTH)}"
        for why in standing.why_failed
    ]
    if standing.status == "scheduled":
        steps.append("a schedule starts copies of it, which are studies of their own: parley schedule list")
    elif standing.is_over and progress.open:
        steps.append(f"{progress.open:,} are open; continue with: parley batch run {standing.study}")
    if standing.is_over and lacking:
        steps.append(f"{lacking:,} without a verdict; run them again: parley batch retry {standing.study}")
    if standing.is_over and any(why.error_type == "reply.refused" for why in standing.why_failed):
        steps.append("a model's own refusal is its answer: a retry keeps it and does not ask the model again")
    return steps


def estimate_table(study: LoadedStudy, learned: Mapping[str, ArmUse]) -> RenderableType:
    """Return the planned deliberations and their estimated cost; ``learned`` is what those of each arm took so far."""
    lines: list[tuple[str | Cell, ...]] = []
    planned = study.estimate.deliberations
    for arm in (one for one in study.arms if planned[one.name] or not study.instances):
        reserve = study.estimate.by_arm[arm.name]
        models = ", ".join(dict.fromkeys(model.rpartition("/")[2] for model in arm.models))
        ends = study.estimate.ranges[arm.name]
        figures = (f"{planned[arm.name]:,}", f"{reserve.tokens:,}", tokens(ends.tokens), dollars(ends.usd))
        lines.append((arm.name, arm.protocol, Cell(models, width=48), *figures))
    said = f"{counted(study.instances, 'deliberation')}, {expected(study)}; budget {budget(study.study.terms.cap)}"
    window, most = study.study.window, study.settings.max_concurrent_calls
    wanted = window * max(len(arm.panel.participants) for arm in study.arms)
    at_once = Text(limit_of_calls(study.settings.workers, most, wanted, f"the window of {window:,}"))
    notes = [Text(f"  no price is known of {name}", style="yellow") for name in study.estimate.unpriced]
    skipped = [Text(f"  lines left out: {len(study.rejected):,}", style="yellow")] if study.rejected else []
    own = [Text(_OWN_PRICES, style="dim")] if study.is_rehearsal else []
    return Group(plain(_ESTIMATED, lines), Text(said), at_once, *notes, *own, *skipped, *_learned(study, learned))


def expected(study: LoadedStudy) -> str:
    """Return the estimated tokens and dollars; with a price unknown the least dollars, and how many models lack one."""
    ends = study.estimate.range
    text = f"{'would cost ' * study.is_rehearsal}{dollars(ends.usd)}" if ends.usd else "cost unknown"
    unknown = f"; {without_price(ends.unpriced)}" if ends.unpriced else ""
    return f"about {counted(study.estimate.amount.tokens, 'token')} ({tokens(ends.tokens)}), {text}{unknown}"


def shortage(study: LoadedStudy, used: Amount = Amount()) -> str | None:  # noqa: B008 - a value that never changes
    """Return a warning where the study may exceed its budget, ``used`` included; else ``None``."""
    cap, ends = study.study.terms.cap, [sum_amounts(used, one) for one in (study.estimate.least, study.estimate.most)]
    if fits_budget(cap, ends[1]):
        return None
    word = "may pause" if fits_budget(cap, ends[0]) else "is likely to pause"
    least, most = (amount(one, rehearsal=study.is_rehearsal, planned=True) for one in ends)
    return f"it {word} before its end: at the least {least}; at the most {most}{_left_out(study)}; budget {budget(cap)}"


def _left_out(study: LoadedStudy) -> str:
    """Return a remark on models without a price, whose dollars a sum lacks; blank without any."""
    unpriced = study.estimate.range.unpriced
    return f", without the dollars of {counted(unpriced, 'model')} that no price is known of" if unpriced else ""


def studies(lines: Sequence[StudyStatus]) -> RenderableType:
    """Return one row per study, the newest first."""
    if not lines:
        return Text("there is no study yet; parley batch init writes a study file")
    body = []
    for line in lines:
        progress = line.progress
        ended = f"{progress.total - progress.open:,} of {progress.total:,}"
        name = f"{line.study} (rehearsal)" if line.rehearsal else line.study
        body.append((name, phase(line), ended, f"{progress.failed:,}", f"{progress.missing:,}", _used(line)))
    return plain(("study", "phase", "ended", "failed", "missing", "used"), body)


def amount(one: Amount, *, rehearsal: bool, planned: bool = False) -> str:
    """Return tokens and dollars: those that a rehearsal used are invented, those ``planned`` need a price."""
    tokens, dollars = counted(one.tokens, "token"), f"${decimal(one.usd, 4)}"
    if not rehearsal:
        return tokens if planned and not one.usd else f"{dollars} and {tokens}"
    return f"{tokens}, would cost {dollars}" if planned else f"{tokens}, {cost(dollars, rehearsal=True)}"


def budget(cap: Budget) -> str:
    """Return the limits of a budget in words."""
    limits = [limit(cap.usd) if cap.usd else "", counted(cap.tokens, "token") if cap.tokens else ""]
    return " and ".join(filter(None, limits)) or "without limit"


def uses_table(learned: Mapping[str, ArmUse]) -> RenderableType | None:
    """Return one row for each arm of which a deliberation is measured: completed, its tokens known; or ``None``."""
    body = [_row(arm, use) for arm, use in learned.items() if use.tokens.count]
    return plain(_HEADINGS, body, right={"measured", "mean ratio"}) if body else None


def _learned(study: LoadedStudy, learned: Mapping[str, ArmUse]) -> list[RenderableType]:
    """Return what is known of the arms by deliberations of an earlier run, and the study's cost by it."""
    if (table := uses_table(learned)) is None:
        return []
    planned = study.estimate
    said = amount(expected_total(learned, planned.by_arm, planned.deliberations), rehearsal=study.is_rehearsal)
    unseen = ", ".join(arm for arm in planned.by_arm if arm not in learned)
    by = f"by what they took{unseen and f', and by the plan of {unseen}'}"
    return [table, Text(f"{by}: {said} for all of these{_left_out(study)}")]


def _lines(standing: StudyStatus) -> list[str]:
    progress, state = standing.progress, standing.state
    degraded = f", {standing.degraded:,} of them degraded" if state or standing.degraded else ""
    lines = [f"completed {progress.completed:,}{degraded} · failed {progress.failed:,} · missing {progress.missing:,}"]
    if standing.flaws:
        lines.append(f"flaws: {summarise(standing.flaws)}")
    if state is not None:
        lines.append(f"in flight {state.in_flight:,} of at most {state.terms.window:,} · waiting {state.waiting:,}")
    kept = amount(state.reserved, rehearsal=standing.rehearsal, planned=True) if state and state.in_flight else ""
    reserved = f"; reserved {kept}" if kept else ""
    return [*lines, f"used {_used(standing)}{reserved} · budget {budget(standing.terms.cap)}"]


def _used(standing: StudyStatus) -> str:
    """Return what the deliberations took, and of how many calls the cost is not known."""
    unknown, uncounted = standing.calls_of_unknown_cost, standing.calls_of_unknown_tokens
    cut_off = standing.cancelled + standing.progress.missing
    reasons = [f"{counted(uncounted, 'answer')} came without a count of tokens"] if uncounted else []
    reasons += [f"{counted(cut_off, 'deliberation')} ended without a report"] if cut_off else []
    plan = f", by the plan where {' and '.join(reasons)}" if reasons else ""
    if unknown and unknown == standing.calls:
        return f"{counted(standing.used.tokens, 'token')}, {UNKNOWN_COST}{plan}"
    known = amount(standing.used, rehearsal=standing.rehearsal)
    beside = unanswered(standing.unanswered_requests)
    return (f"{known}, and the unknown cost of {counted(unknown, 'call')}" if unknown else known) + plan + beside


def _warnings(standing: StudyStatus) -> list[str]:
    """Return warnings beside a pause: a rise of failures, past outages, missing information."""
    jump = standing.state.failure_jump if standing.state else None
    lines = [f"warning: {jump.as_text}"] if jump else []
    over = (one.as_text for one in standing.outages if one.until is not None)
    return [*lines, *over, *([standing.note] if standing.note else [])]


def _waiting(standing: StudyStatus) -> str:
    state = standing.state
    return f"paused ({state.pause.cause}): {state.pause.reason}" if state and state.pause else ""


def _row(arm: str, use: ArmUse) -> tuple[str, ...]:
    planned, took = mean_plan(use), mean_use(use)
    is_by_dollars = use.usd.count > 0 and planned.usd > 0
    sums = use.usd if is_by_dollars else use.tokens
    ratio = f"{sums.total / sums.count:.2f}" if is_by_dollars or planned.tokens else ""
    next_one = PermitRequest(number=0, estimate=planned, arm=arm)
    first, second, last = map(_amount, (planned, took, amount_to_reserve({arm: use}, next_one)))
    return (arm, f"{use.tokens.count:,}", first, second, ratio, last)


def _amount(one: Amount) -> str:
    tokens = counted(one.tokens, "token")
    return f"${decimal(one.usd, 4)}, {tokens}" if one.usd else tokens  # no price, no cost, free models aside
