"""Debates: claims and who stands by them, confidence by round, votes."""

from report.figures import UNKNOWN, short
from report.leaves import Leaf
from report.markup import Markup, el
from report.plots.curves import Line, Panel, curves
from report.plots.frame import Drawing, table
from report.plots.heatmap import Cell, heatmap
from report.plots.network import ClaimNode, network
from report.protocols.said import Said, noted

_MOST_CLAIMS = 30
_STRENGTHS = {"ACCEPT": 0.9, "MINOR": 0.45, "BLOCKER": 0.1}
_STATUSES = ("contested", "open", "accepted", "retracted")


def drawings(result: Leaf) -> list[Drawing | Markup]:
    """Claims, confidence, votes, what a consensus lacked, and diversity."""
    drawn = (_claims(result), _confidence(result), _votes(result), _lacking(result), _diversity(result))
    return [one for one in drawn if one]


def confident(result: Leaf) -> tuple[float | None, ...]:
    """Mean confidence, round by round."""
    return tuple(one.number("measures", "mean_confidence") for one in result.each("rounds"))


def _seats(result: Leaf) -> dict[str, str]:
    models = {
        turn.text("agent"): short(turn.text("model")) for held in result.each("rounds") for turn in held.each("turns")
    }
    seats = result.texts("state", "participants") or tuple(models)
    return {seat: f"{seat} {models.get(seat, '')}".strip() for seat in seats}


def _claims(result: Leaf) -> Drawing | None:
    every = result.each("state", "claims")
    touched = sorted(every, key=lambda one: -len((*one.texts("supporters"), *one.texts("opponents"))))
    kept = {one.text("id") for one in touched[:_MOST_CLAIMS]}
    left_out = len(every) - min(len(every), _MOST_CLAIMS)
    nodes = [_node(one) for one in every if one.text("id") in kept]
    nodes.sort(key=lambda one: _STATUSES.index(one.status))
    more = f" {left_out} claims that fewest people touched are left out." if left_out else ""
    return network(nodes, _seats(result), note=f"Contested claims first, then open, accepted and retracted.{more}")


def _node(one: Leaf) -> ClaimNode:
    status = one.text("status")
    return ClaimNode(
        id=one.text("id"),
        text=one.text("text"),
        label=one.text("label"),
        status=status if status in _STATUSES else "open",
        supporters=one.texts("supporters"),
        opponents=one.texts("opponents"),
        against=one.texts("opposition"),
    )


def _confidence(result: Leaf) -> Drawing | None:
    held = result.each("rounds")
    lines = []
    for number, (seat, name) in enumerate(_seats(result).items()):
        told = [_turn(one, seat).number("said", "confidence") for one in held]
        lines.append(Line(name, told, number))
    return curves(
        "confidence",
        "Confidence by round",
        [Panel("every debater", lines)],
        up="stated confidence, 0 to 1",
        note="As each debater states it; a gap is a turn without a number.",
    )


def _votes(result: Leaf) -> Drawing | None:
    seats, held = _seats(result), result.each("rounds")
    rows = [(name, [_vote(_turn(one, seat)) for one in held]) for seat, name in seats.items()]
    return heatmap(
        "votes",
        "Votes by round",
        [_heading(one) for one in held],
        rows,
        across="round",
        note="ACCEPT as it is, MINOR edits, or a BLOCKER that must change first; – is a turn without a vote, or lost.",
    )


def _lacking(result: Leaf) -> Markup | None:
    """Return for each round that was no consensus what it lacked."""
    rows = [(_heading(held), held.text("lacking")) for held in result.each("rounds") if held.text("lacking")]
    if not rows:
        return None
    return el("section", el("h3", "Why a round was no consensus"), table(("round", "what it lacked"), rows))


def _diversity(result: Leaf) -> Drawing | None:
    held = result.each("rounds")
    if not any(one.whole("measures", "positions") for one in held):
        return None
    rows = [
        ("different positions", [_among(one, "positions") for one in held]),
        ("claims for each debater", [_among(one, "claims_per_agent") for one in held]),
        ("claims of one debater alone", [_share(one.number("measures", "single_claims")) for one in held]),
    ]
    return heatmap(
        "diversity",
        "Diversity by round",
        [_heading(one) for one in held],
        rows,
        across="round",
        note="Positions with common words are one. The last row is the share of the claims in the row above it.",
    )


def _among(held: Leaf, figure: str) -> Cell:
    """A number, as strong as it is among the debaters who spoke."""
    number, spoke = held.number("measures", figure), len(held.each("turns"))
    return Cell(UNKNOWN) if number is None else Cell(f"{number:.2g}", min(1.0, number / max(1, spoke)))


def _share(value: float | None) -> Cell:
    return Cell(UNKNOWN) if value is None else Cell(f"{value:.0%}", value)


def _heading(held: Leaf) -> str:
    return f"{held.whole('number') or UNKNOWN}{'*' if held.text('kind') == 'objection' else ''}"


def _vote(turn: Leaf) -> Cell:
    vote = turn.text("said", "vote")
    return Cell(vote, _STRENGTHS[vote]) if vote in _STRENGTHS else Cell(UNKNOWN)


def _turn(held: Leaf, seat: str) -> Leaf:
    return next((turn for turn in held.each("turns") if turn.text("agent") == seat), Leaf())


def said(result: Leaf) -> list[Said]:
    """Every turn's position, reasoning and vote, round by round, and the synthesis."""
    turns = [_said(turn) for held in result.each("rounds") for turn in held.each("turns")]
    summary = result.text("synthesis", "executive_summary")
    by = short(result.text("synthesis", "model")) or result.text("synthesis", "written_by")
    return [*turns, *([Said(by, "synthesis", summary)] if summary else [])]


def concluded(result: Leaf) -> list[Said]:
    """Return the accepted motion, the judge's decision and the final answer, as far as the debate has them."""
    motion, answer = result.text("accepted_motion", "text"), result.text("answer")
    by = f"the position of {result.text('accepted_motion', 'by')}"
    return [
        *([Said("Accepted motion", by, motion)] if motion else []),
        *_decided(result.at("decision")),
        *([Said("Final answer", f"of the {result.text('answered_by')}", answer)] if answer else []),
    ]


def _decided(decision: Leaf) -> list[Said]:
    """Return the judge's decision with its reasons and what would change it."""
    if not decision.text("decision"):
        return []
    parts = [decision.text("decision")]
    for heading, name in (("Reasons:", "reasons"), ("What would change it:", "would_change")):
        if points := decision.texts(name):
            parts += ["", heading, *(f"- {point}" for point in points)]
    by = "the judge" if decision.text("written_by") == "judge" else "a fallback of the judge"
    sure = decision.number("confidence")
    facts = (f"by {by}, {short(decision.text('model'))}", "" if sure is None else f"confidence {sure:.2f}")
    return [Said("Decision", " · ".join(filter(None, facts)), "\n".join(parts))]


def _said(turn: Leaf) -> Said:
    confidence = turn.number("said", "confidence")
    facts = [turn.text("said", "vote"), "" if confidence is None else f"confidence {confidence:.2f}"]
    hidden = (
        f"withheld from the others: {turn.text('withheld')}" if turn.text("withheld") else "",
        turn.text("released"),
    )
    withheld = "".join(f"[{fact}]\n" for fact in hidden if fact)
    where = " · ".join(fact for fact in (f"round {turn.whole('round') or UNKNOWN}", *facts) if fact)
    broken = "; ".join(_broken(one) for one in turn.each("violations"))
    parts = (turn.text("said", "position"), turn.text("said", "reasoning"), broken and f"[rules broken: {broken}]")
    text = "\n\n".join(filter(None, parts))
    return Said(f"{turn.text('agent')} {short(turn.text('model'))}", noted(where, turn), withheld + text)


def _broken(violation: Leaf) -> str:
    detail = violation.text("detail")
    return violation.text("kind").replace("_", " ") + (f" ({detail})" if detail else "")
