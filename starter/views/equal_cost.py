"""What only a baseline of equal cost has to show: the votes and their count, or the layers of a mixture."""

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from protocols import votes
from protocols.mixture.model import DecidedBy, LayerCount, MixtureResult
from protocols.panel import name_of
from protocols.transcript import Turn
from protocols.visible_text import one_line, printable
from protocols.vote.model import VoteResult

_DECIDED: dict[votes.DecidedBy, str] = {
    "plurality": "the first text with the most frequent answer",
    "earliest_of_tied": "the earliest of the answers that tie",
    "none_readable": "no final answer could be read: this is the first text that came back",
    "only_reply": "the only text that came back",
    "none": "no model answered",
}

_WRITTEN: dict[DecidedBy, str] = {
    "aggregator": "written by the aggregator",
    "fallback_aggregator": "written by a fallback of the aggregator",
    "fallback": "no aggregator answered: this is a proposer's own last answer",
    "none": "no aggregation was written",
}

_ANSWER_WIDTH = 60


def findings(result: VoteResult) -> list[RenderableType]:
    """Who gave which answer, most votes first."""
    shown: list[RenderableType] = [_count(result.tally)] if result.tally.choices else []
    return [*shown, Text(_told(result.tally, result.asked), style="dim")]


def author(result: VoteResult) -> str:
    """Whose text the verdict is, and by what it was found."""
    answer = "" if result.answer is None else f"final answer: {one_line(result.answer, width=_ANSWER_WIDTH)}; "
    return f"{answer}{_DECIDED[result.decided_by]}"


def said(result: VoteResult | MixtureResult) -> list[tuple[str, str]]:
    """Every turn under a heading, in the order in which they were noted."""
    return [(_heading(turn), turn.text) for turn in result.transcript.turns]


def layers(result: MixtureResult) -> list[RenderableType]:
    """How many answered in each layer, and what most of them said."""
    table = Table(title=Text("Layers", style="bold"), box=box.SIMPLE, title_justify="left")
    for heading in ("layer", "asked", "answered", "most frequent answer", "votes", "agreement"):
        table.add_column(heading, justify="left" if heading == "most frequent answer" else "right")
    for layer in result.layers:
        table.add_row(*_layer(layer))
    gone = ", ".join(result.zombies)
    notes = [Text(f"asked no more after two losses in a row: {gone}", style="dim")] if gone else []
    return [table, *notes] if result.layers else []


def aggregator(result: MixtureResult) -> str:
    """Who wrote the verdict."""
    by = f": {one_line(result.aggregator, width=80)}" if result.aggregator else ""
    answer = "" if result.answer is None else f"final answer: {one_line(result.answer, width=_ANSWER_WIDTH)}; "
    return f"{answer}{_WRITTEN[result.decided_by]}{by}"


def _count(tally: votes.Tally) -> RenderableType:
    table = Table(title=Text("Votes", style="bold"), box=box.SIMPLE, title_justify="left")
    for heading in ("answer", "votes", "from"):
        table.add_column(heading, justify="right" if heading == "votes" else "left")
    for choice in tally.choices:
        tied = "=" if choice.answer in tally.tied else ""
        answer = Text(one_line(choice.answer, width=_ANSWER_WIDTH))
        table.add_row(answer, f"{choice.votes}{tied}", Text(", ".join(choice.voters)))
    return table


def _told(tally: votes.Tally, asked: int) -> str:
    agreement = "unknown" if tally.agreement is None else f"{tally.agreement:.2f} (share of the winner, 1 is unanimous)"
    answered = tally.cast + tally.abstained
    return printable(f"agreement {agreement}; {answered} of {asked} answered, {tally.abstained} without a final answer")


def _layer(layer: LayerCount) -> tuple[str | Text, ...]:
    winner, agreement = layer.tally.winner, layer.tally.agreement
    return (
        str(layer.number),
        str(layer.asked),
        str(layer.answered),
        Text("-" if winner is None else one_line(winner.answer, width=_ANSWER_WIDTH)),
        "-" if winner is None else str(winner.votes),
        "-" if agreement is None else f"{agreement:.2f}",
    )


def _heading(turn: Turn) -> str:
    return f"{turn.stage} · {turn.participant} · {name_of(turn.model)}{turn.remark}"
