"""Tables of a mixture of agents: its layers, and the votes of the answers in each of them."""

from protocols.mixture.model import DecidedBy, LayerCount, MixtureResult
from protocols.tables import UNKNOWN, Cell, ResultView, Table, columns, decimal, notes, rows, utterance
from protocols.votes import ANSWER_WIDTH, votes_table

_AUTHORS: dict[DecidedBy, str] = {
    "aggregator": "written by the aggregator",
    "fallback_aggregator": "written by a fallback of the aggregator",
    "fallback": "no aggregator answered: this is a proposer's own last answer",
    "none": "no aggregation was written",
}
_RIGHT = {"layer", "asked", "answered", "votes", "agreement"}


def view(result: MixtureResult) -> ResultView:
    """Return the view of an ended mixture."""
    by = f": {result.aggregator}" if result.aggregator else ""
    answer = "" if result.answer is None else f"final answer: {result.answer}; "
    gone = ", ".join(result.zombies)
    layers = Table(
        title="Layers",
        columns=columns("layer", "asked", "answered", "most frequent answer", "votes", "agreement", right=_RIGHT),
        rows=rows(_layer(layer) for layer in result.layers),
        notes=notes(f"asked no more after two losses in a row: {gone}" if gone else ""),
    )
    votes = (_votes(layer) for layer in result.layers if layer.tally.choices)
    return ResultView(
        tables=(layers, *votes) if result.layers else (),
        author=f"{answer}{_AUTHORS[result.decided_by]}{by}",
        utterances=tuple(utterance(turn) for turn in result.transcript.turns),
    )


def _votes(layer: LayerCount) -> Table:
    title = f"Votes in layer {layer.number}"
    return votes_table(layer.tally, layer.votes, asked=layer.asked, title=title, least="page")


def _layer(layer: LayerCount) -> tuple[str | Cell, ...]:
    winner = layer.tally.winner
    return (
        str(layer.number),
        str(layer.asked),
        str(layer.answered),
        Cell(UNKNOWN if winner is None else winner.answer, width=ANSWER_WIDTH),
        UNKNOWN if winner is None else str(winner.votes),
        decimal(layer.tally.agreement),
    )
