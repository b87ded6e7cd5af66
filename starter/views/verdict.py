"""A deliberation that is over: the verdict, how it came about, who failed and why, and what it cost.

The frame is the same for every protocol; what stands in it comes from the protocol's own view.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from shlex import quote
from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from parley.results import AnyResult
from protocols.branch import Origin
from protocols.cost_text import spending
from protocols.model_call import LostCall
from protocols.panel import name_of
from protocols.visible_text import one_line, printable
from starter.views import consensus, council, debate, equal_cost, fire_circle
from starter.views.flaws import flaw_line, flaw_table
from starter.views.model_text import ModelText
from starter.views.progress import rehearsal_label
from starter.views.sources import source_table

_HEADING = 118
"""Characters of a turn's heading, its note included."""


@dataclass(frozen=True)
class View:
    """What a protocol shows of its result."""

    findings: Callable[[Any], Sequence[RenderableType]]
    """What the stages came to."""
    author: Callable[[Any], str]
    """Whose text the verdict is."""
    said: Callable[[Any], Sequence[tuple[str, str]]]
    """Every turn: a heading, and the text."""
    conclusions: Callable[[Any], Sequence[tuple[str, str]]] = lambda _result: ()
    """What stands above the verdict: a heading, and the text."""


_VIEWS: Mapping[str, View] = {
    "council": View(council.findings, council.author, council.said),
    "consensus": View(consensus.findings, consensus.author, consensus.said),
    "fire_circle": View(fire_circle.findings, fire_circle.author, fire_circle.said),
    "debate": View(debate.findings, debate.author, debate.said, debate.conclusions),
    "evaluate": View(fire_circle.baseline_findings, fire_circle.baseline_author, fire_circle.baseline_said),
    "vote": View(equal_cost.findings, equal_cost.author, equal_cost.said),
    "mixture": View(equal_cost.layers, equal_cost.aggregator, equal_cost.said),
}
"""By protocol."""


def shown(result: AnyResult, *, link: str | None = None, transcript: bool = False) -> RenderableType:
    """Everything a person wants to know about ``result``; the verdict comes last, where the eye is."""
    view = _VIEWS[result.protocol]
    parts: list[RenderableType] = [Rule(Text(one_line(result.question, width=100)))]
    if result.rehearsal:
        parts.append(rehearsal_label())
    if transcript:
        parts += [part for heading, text in view.said(result) for part in _turn(heading, text)]
    parts += view.findings(result)
    if result.failed:
        parts.append(lost(result.failed))
    parts += flaw_table(result.degraded, result.failed)
    parts += source_table(result.cited)
    parts.append(_verdict(result, view))
    if result.degraded.line:
        parts.append(flaw_line(result.degraded))
    parts.append(_foot(result, link))
    return Group(*parts)


def lost(calls: Sequence[LostCall]) -> RenderableType:
    """Who was lost, in which stage, and why; with the round, where there was more than one."""
    table = Table(title=Text("Lost on the way", style="bold red"), box=box.SIMPLE, title_justify="left")
    for heading in ("seat", "model", "stage", "why", "attempts", "message"):
        table.add_column(heading)
    has_rounds = any(call.round > 1 for call in calls)
    for call in calls:
        table.add_row(
            call.participant,
            Text(one_line(name_of(call.model), width=60)),
            f"{call.stage}, round {call.round}" if has_rounds else call.stage,
            Text(f"{call.kind} ({call.error_type})"),
            str(call.attempts),
            Text(one_line(call.message, width=300)),
        )
    return table


def _turn(heading: str, text: str) -> tuple[RenderableType, RenderableType]:
    return Rule(Text(one_line(heading, width=_HEADING)), align="left"), ModelText(text)


def _verdict(result: AnyResult, view: View) -> RenderableType:
    above = [
        part
        for heading, text in view.conclusions(result)
        for part in (Rule(Text(printable(heading), style="bold green")), ModelText(text))
    ]
    if result.verdict is None:
        return Group(*above, Rule(Text("No verdict", style="bold red")), Text(f"stopped because: {result.stop_reason}"))
    return Group(
        *above,
        Rule(Text("Verdict", style="bold green")),
        ModelText(result.verdict),
        Rule(),
        Text(printable(view.author(result)), style="dim"),
    )


def _foot(result: AnyResult, link: str | None) -> RenderableType:
    partial = ", partial" if result.partial else ""
    origin: Origin | None = getattr(result, "branch", None)
    lines = [
        f"{result.deliberation_id}: {result.stop_reason}{partial}, prompts {result.prompts}",
        *([origin.told] if origin else []),
        spending(result.spent, rehearsal=result.rehearsal),
        *([f"Web UI: {link}"] if link else []),
        f"Everything that was said: parley report {quote(result.deliberation_id)} --open",
    ]
    return Text(printable("\n".join(lines)), style="dim", no_wrap=True, overflow="ignore")
