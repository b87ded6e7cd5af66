"""Those that count answers: how many gave which, and in a mixture layer by layer."""

from report.figures import UNKNOWN, clipped, short
from report.leaves import Leaf
from report.markup import Markup, el
from report.plots.frame import WIDTH, Drawing, box, table, words

_LEFT, _RIGHT, _ROW = 200, WIDTH - 230, 30
_MOST = 20


def drawings(result: Leaf) -> list[Drawing | Markup]:
    """Votes per answer, with who gave it."""
    layers = result.each("layers")
    counts = [(f" in layer {one.whole('number') or UNKNOWN}", one) for one in layers] or [("", result)]
    found = [_bars(f"votes-{number}", said, one) for number, (said, one) in enumerate(counts, start=1)]
    shown = [one for one in found if one]
    return [*shown, *([_layers(layers)] if layers else [])]


def _bars(key: str, where: str, counted: Leaf) -> Drawing | None:
    choices = counted.each("tally", "choices")[:_MOST]
    if not choices:
        return None
    models = {vote.text("voter"): short(vote.text("model")) for vote in counted.each("votes")}
    most = max(one.whole("votes") or 0 for one in choices) or 1
    body: list[Markup] = []
    for number, one in enumerate(choices):
        y, votes = 10 + number * _ROW, one.whole("votes") or 0
        wide = (_RIGHT - _LEFT) * votes / most
        voters = _named(one.texts("voters"), models)
        body += [
            words(_LEFT - 10, y + 16, clipped(one.text("answer"), 28), anchor="end"),
            box((_LEFT, y + 2), wide, _ROW - 10, f"fill {'s0' if number == 0 else 'held'}"),
            words(_LEFT + wide + 8, y + 16, f"{votes} · {clipped(voters, 32)}", kind="tick"),
        ]
    return Drawing(
        key=key,
        title=f"Votes per answer{where}",
        description="; ".join(f"{one.text('answer')}: {one.whole('votes')}" for one in choices),
        body=body,
        height=20 + len(choices) * _ROW,
        heading=("answer", "votes", "given by"),
        cells=[(one.text("answer"), str(one.whole("votes") or 0), ", ".join(one.texts("voters"))) for one in choices],
        note=_note(counted),
    )


def _named(voters: tuple[str, ...], models: dict[str, str]) -> str:
    """By seat when one model gave all votes, else by model."""
    names = voters if len(set(models.values())) == 1 else [models.get(seat, seat) for seat in voters]
    return ", ".join(names)


def _note(counted: Leaf) -> str:
    cast, abstained = counted.whole("tally", "cast") or 0, counted.whole("tally", "abstained") or 0
    agreement = counted.number("tally", "agreement")
    agreed = "" if agreement is None else f" The winner's share of the votes cast is {agreement:.2f}."
    tied = counted.texts("tally", "tied")
    ties = f" Tied, and decided for the earliest: {', '.join(tied)}." if tied else ""
    return f"{cast} votes cast; {abstained} replies in which no answer could be read.{agreed}{ties}"


def _layers(layers: tuple[Leaf, ...]) -> Markup:
    rows = [
        tuple(f"{UNKNOWN if (n := one.whole(name)) is None else n}" for name in ("number", "asked", "answered"))
        for one in layers
    ]
    return el("section", el("h3", "Layers"), table(("layer", "asked", "answered"), rows))
