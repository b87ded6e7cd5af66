"""A council that is over: the verdict, how it came about, who failed and why, and what it cost."""

from collections.abc import Sequence

from rich import box
from rich.console import Group, RenderableType
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from protocols.council.model import CouncilResult, Standing, SynthesisBy
from protocols.exchange import LostCall
from protocols.panel import name_of
from starter.terminal import one_line, printable
from starter.views.progress import money, rehearsal_label

_BY: dict[SynthesisBy, str] = {
    "chair": "written by the chair",
    "fallback_chair": "written by a fallback of the chair",
    "fallback": "no chair answered: this is the best answer itself (synthesis: fallback)",
    "none": "no synthesis was written",
}


def shown(result: CouncilResult, *, link: str | None = None, transcript: bool = False) -> RenderableType:
    """Everything a person wants to know about ``result``; the verdict comes last, where the eye is."""
    parts: list[RenderableType] = [Rule(Text(one_line(result.question, width=100)))]
    if result.rehearsal:
        parts.append(rehearsal_label())
    if transcript:
        parts += _transcript(result)
    if result.tally is not None:
        parts += [_tally(result.tally.standings), Text(_count(result), style="dim")]
    elif result.review_skipped:
        parts.append(Text(f"no review was held ({result.review_skipped.replace('_', ' ')})", style="dim"))
    if result.failed:
        parts.append(lost(result.failed))
    parts += [_verdict(result), _foot(result, link)]
    return Group(*parts)


def lost(calls: Sequence[LostCall]) -> RenderableType:
    """Who was lost, in which stage, and why."""
    table = Table(title=Text("Lost on the way", style="bold red"), box=box.SIMPLE, title_justify="left")
    for heading in ("seat", "model", "stage", "why", "attempts", "message"):
        table.add_column(heading)
    for call in calls:
        table.add_row(
            call.participant,
            Text(one_line(name_of(call.model), width=60)),
            call.stage,
            Text(f"{call.kind} ({call.error_type})"),
            str(call.attempts),
            Text(one_line(call.message, width=300)),
        )
    return table


def _tally(standings: Sequence[Standing]) -> RenderableType:
    table = Table(title=Text("Review", style="bold"), box=box.SIMPLE, title_justify="left")
    for heading in ("place", "answer", "model", "position", "votes", "first", "Borda"):
        table.add_column(heading, justify="left" if heading in {"answer", "model"} else "right")
    for standing in standings:
        position = "-" if standing.average_position is None else f"{standing.average_position:.2f}"
        table.add_row(
            f"{standing.place}{'=' if standing.tied else ''}",
            standing.label,
            Text(one_line(name_of(standing.model), width=60)),
            position,
            str(standing.votes),
            str(standing.first_places),
            f"{standing.borda:g}",
        )
    return table


def _count(result: CouncilResult) -> str:
    tally = result.tally
    if tally is None:
        return ""
    agreement = "unknown" if tally.agreement is None else f"{tally.agreement:.2f} (Kendall's W, 1 is unanimous)"
    labels = ", ".join(f"{label} = {model}" for label, model in result.metadata.label_to_model.items())
    counted = f"{tally.ballots_counted} ballots counted, {tally.ballots_void} void"
    return printable(f"agreement {agreement}; {counted}\nlabels: {labels}")


def _transcript(result: CouncilResult) -> list[RenderableType]:
    parts: list[RenderableType] = []
    for turn in result.transcript.turns:
        label = f" · {turn.label}" if turn.label else ""
        heading = f"{turn.stage} · {turn.participant} · {name_of(turn.model)}{label}"
        parts += [Rule(Text(one_line(heading, width=100)), align="left"), Text(printable(turn.text))]
    return parts


def _verdict(result: CouncilResult) -> RenderableType:
    if result.verdict is None:
        return Group(Rule(Text("No verdict", style="bold red")), Text(f"stopped because: {result.stop_reason}"))
    by = f": {one_line(result.stage3.model, width=80)}" if result.stage3 else ""
    return Group(
        Rule(Text("Verdict", style="bold green")),
        Text(printable(result.verdict)),
        Rule(),
        Text(f"{_BY[result.synthesis]}{by}", style="dim"),
    )


def _foot(result: CouncilResult, link: str | None) -> RenderableType:
    partial = ", partial" if result.partial else ""
    lines = [
        f"{result.deliberation_id}: {result.stop_reason}{partial}, prompts {result.prompts}",
        money(result.spent),
        *([f"Web UI: {link}"] if link else []),
    ]
    return Text(printable("\n".join(lines)), style="dim", no_wrap=True, overflow="ignore")
