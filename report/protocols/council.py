"""Councils: who ranked whom where, and what order it came to."""

from report.figures import UNKNOWN, short
from report.leaves import Leaf
from report.markup import Markup, el
from report.plots.frame import Drawing, table
from report.plots.heatmap import Cell, heatmap
from report.protocols.said import Said, noted

STAGES = {"opinion": "1 · opinion", "review": "2 · review", "synthesis": "3 · synthesis"}


def drawings(result: Leaf) -> list[Drawing | Markup]:
    """The rank matrix and the final order."""
    standings = result.each("tally", "standings")
    matrix = _matrix(result, standings)
    uncounted = result.text("uncounted")
    return [
        *([matrix] if matrix else []),
        *([_order(result, standings)] if standings else []),
        *([el("section", el("h3", "Final order"), el("p", uncounted))] if uncounted else []),
        *_hidden(result),
    ]


def places(result: Leaf) -> list[tuple[str, int]]:
    """Every answer's model and its place in the final order, 1 is best."""
    found = [(short(one.text("model")), one.whole("place")) for one in result.each("tally", "standings")]
    return [(model, place) for model, place in found if place is not None]


def _matrix(result: Leaf, standings: tuple[Leaf, ...]) -> Drawing | None:
    labels = [one.text("label") for one in standings]
    rows = []
    for cast in result.each("ballots"):
        places = _places(cast)
        own = cast.text("own_label")
        cells = [_cell(places, label, len(labels), is_own=label == own) for label in labels]
        void = "" if cast.text("ballot", "standing") != "void" else " (void)"
        rows.append((f"{cast.text('reviewer')} {short(cast.text('model'))}{void}", cells))
    return heatmap(
        "ranks",
        "Who ranked whom where",
        [f"{one.text('author')} {short(one.text('model'))}" for one in standings],
        rows,
        across="answer of (best in the final order first)",
        note="One row per reviewer; 1 is best and darkest, a frame marks the reviewer's own answer, which it saw "
        "without its author's name.",
    )


def _places(cast: Leaf) -> dict[str, str]:
    """Return the place of each label on a ballot, ``2=`` where it is shared."""
    shared = [place.texts() for place in cast.each("ballot", "places")]
    each = shared or [(label,) for label in cast.texts("ballot", "ranking")]
    found: dict[str, str] = {}
    for place in each:
        found |= dict.fromkeys(place, f"{len(found) + 1}{'=' if len(place) > 1 else ''}")
    return found


def _cell(places: dict[str, str], label: str, of: int, *, is_own: bool) -> Cell:
    if label not in places:
        return Cell(UNKNOWN)
    place = int(places[label].rstrip("="))
    return Cell(places[label], 1 - (place - 1) / max(of - 1, 1), is_own)


def _hidden(result: Leaf) -> list[Markup]:
    """Return the names that reviewers were not shown, where there are any."""
    rows = [
        (f"{one.text('participant')} {short(one.text('model'))}", ", ".join(dict.fromkeys(one.texts("names"))))
        for one in result.each("names_hidden")
    ]
    return [el("section", el("h3", "Names hidden from reviewers"), table(("answer of", "names"), rows))] if rows else []


def _order(result: Leaf, standings: tuple[Leaf, ...]) -> Markup:
    agreement = result.number("tally", "agreement")
    told = UNKNOWN if agreement is None else f"{agreement:.2f}"
    return el(
        "section",
        el("h3", "Final order"),
        el("p", f"Agreement of the ballots (Kendall's W, 1 is unanimous): {told}."),
        table(
            ("place", "model", "average position", "first places", "votes", "Borda points"),
            [_standing(one) for one in standings],
        ),
    )


def _standing(one: Leaf) -> tuple[str, ...]:
    tied = " (tied)" if one.is_true("tied") else ""
    numbers = [one.number(name) for name in ("average_position", "first_places", "votes", "borda")]
    return (
        f"{one.whole('place') or UNKNOWN}{tied}",
        f"{one.text('author')} {short(one.text('model'))}",
        *(UNKNOWN if number is None else f"{number:.3g}" for number in numbers),
    )


def said(result: Leaf) -> list[Said]:
    """Opinions, reviews and the synthesis."""
    turns = result.each("transcript", "turns")
    return [
        Said(
            f"{turn.text('participant')} {short(turn.text('model'))}"
            + (f" as {turn.text('label')}" if turn.text("label") else ""),
            noted(STAGES.get(turn.text("stage"), turn.text("stage")), turn),
            turn.text("text"),
        )
        for turn in turns
    ]
