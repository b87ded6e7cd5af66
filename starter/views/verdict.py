"""The result of a deliberation on a terminal: tables, lost calls, the verdict, and the cost."""

from collections.abc import Sequence
from shlex import quote

from rich.console import Group, RenderableType
from rich.rule import Rule
from rich.text import Text

from parley.results import view_of
from protocols.branch import Origin
from protocols.cost_text import spending
from protocols.deliberation import DeliberationResult
from protocols.result_tables import attachments_table, flaws_table, lost_table, sources_table
from protocols.tables import ResultView, Utterance, name_seats
from protocols.visible_text import one_line, printable
from starter.views import tables
from starter.views.model_text import ModelText
from starter.views.tables import flaw_line, rehearsal_label

_HEADING = 118
"""Characters of the heading of a turn."""
_AUTHOR = 400


def render(
    result: DeliberationResult, *, link: str | None = None, transcript: bool = False, follow_ups: Sequence[str] = ()
) -> RenderableType:
    """Return everything that is shown of ``result``; the verdict is printed last, next to the prompt."""
    view = view_of(result)
    parts: list[RenderableType] = [Rule(Text(one_line(result.question, width=100)))]
    if result.rehearsal:
        parts.append(rehearsal_label())
    if transcript:
        parts += [part for said in view.utterances for part in _turn(said)]
    material = (attachments_table(result.attachments), sources_table(result.cited))
    own = (lost_table(result.failed), flaws_table(result.degraded, result.failed), *material)
    shared = [name_seats(table, result.names) for table in own]
    parts += [tables.render((*view.tables, *shared)), _verdict(result, view)]
    if result.degraded.line:
        parts.append(flaw_line(result.degraded))
    parts.append(_foot(result, link, follow_ups))
    return Group(*parts)


def _turn(said: Utterance) -> tuple[RenderableType, RenderableType]:
    heading = " · ".join(filter(None, (said.where, said.who, said.note)))
    return Rule(Text(one_line(heading, width=_HEADING)), align="left"), ModelText(said.text)


def _verdict(result: DeliberationResult, view: ResultView) -> RenderableType:
    above = [
        part
        for said in view.conclusions
        for part in (
            Rule(Text(one_line(f"{said.who} {said.where}", width=_HEADING), style="bold green")),
            ModelText(said.text),
        )
    ]
    if result.verdict is None:
        return Group(*above, Rule(Text("No verdict", style="bold red")), Text(f"stopped because: {result.stop_reason}"))
    return Group(
        *above,
        Rule(Text("Verdict", style="bold green")),
        ModelText(result.verdict),
        Rule(),
        Text(one_line(view.author, width=_AUTHOR), style="dim"),
    )


def _foot(result: DeliberationResult, link: str | None, follow_ups: Sequence[str]) -> RenderableType:
    partial = ", partial" if result.partial else ""
    origin: Origin | None = getattr(result, "branch", None)
    lines = [
        f"{result.deliberation_id}: {result.stop_reason}{partial}, prompts {result.prompts}",
        *([origin.as_text] if origin else []),
        *([result.continues.as_text] if result.continues else []),
        *([f"continued by {', '.join(follow_ups)}"] if follow_ups else []),
        spending(result.spent, rehearsal=result.rehearsal),
        *([result.budget.line] if result.budget else []),
        *([f"Web UI: {link}"] if link else []),
        f"Full transcript: parley report {quote(result.deliberation_id)} --open",
    ]
    return Text(printable("\n".join(lines)), style="dim", no_wrap=True, overflow="ignore")
