"""What only a council that is over has to show: the review, and who concluded."""

from collections.abc import Sequence

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from protocols.council.model import CouncilResult, Standing, SynthesisBy
from protocols.panel import name_of
from protocols.transcript import Turn
from protocols.visible_text import one_line, printable

_BY: dict[SynthesisBy, str] = {
    "chair": "written by the chair",
    "fallback_chair": "written by a fallback of the chair",
    "fallback": "no chair answered: this is the best answer itself (synthesis: fallback)",
    "none": "no synthesis was written",
}


def findings(result: CouncilResult) -> list[RenderableType]:
    """Return how the answers were ranked, or why they were not, and the names that reviewers did not see."""
    hidden = [Text(_hidden(result), style="dim")] if result.names_hidden else []
    if result.tally is not None:
        return [_tally(result.tally.standings), Text(_count(result), style="dim"), *hidden]
    if result.review_skipped:
        return [Text(f"no review was held ({result.review_skipped.replace('_', ' ')})", style="dim")]
    return [*([Text(printable(result.uncounted), style="yellow")] if result.uncounted else []), *hidden]


def author(result: CouncilResult) -> str:
    """Who wrote the verdict."""
    by = f": {one_line(result.stage3.model, width=80)}" if result.stage3 else ""
    return f"{_BY[result.synthesis]}{by}"


def said(result: CouncilResult) -> list[tuple[str, str]]:
    """Every turn under a heading, in the order in which they were noted."""
    return [(_heading(turn), turn.text) for turn in result.transcript.turns]


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
    ballots = "1 ballot" if tally.ballots_counted == 1 else f"{tally.ballots_counted} ballots"
    counted = f"{ballots} counted, {tally.ballots_void} void"
    return printable(f"agreement {agreement}; {counted}\nlabels: {labels}")


def _hidden(result: CouncilResult) -> str:
    """Return in one line which names in the answers were replaced before reviewers saw them."""
    each = "; ".join(
        f"{one.participant}: {', '.join(dict.fromkeys(one_line(name, width=40) for name in one.names))}"
        for one in result.names_hidden
    )
    count = sum(len(one.names) for one in result.names_hidden)
    return printable(f"{count} {'name' if count == 1 else 'names'} hidden from reviewers ({each})")


def _heading(turn: Turn) -> str:
    label = f" · {turn.label}" if turn.label else ""
    return f"{turn.stage} · {turn.participant} · {name_of(turn.model)}{label}{turn.remark}"
