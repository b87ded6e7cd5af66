"""A rewound deliberation beside the one that it left: what they have in common, and where each went.

A branch names its origin in its own result; when the origin stands in the ledger too, both are drawn.
"""

from typing import NamedTuple

from ledger.studies.results import ResultRow
from protocols.cost_text import cost
from report.figures import UNKNOWN, dollars
from report.leaves import Leaf
from report.markup import Markup, el
from report.model_text import rendered
from report.protocols.catalogue import drawn


class Left(NamedTuple):
    """Where a branch comes from."""

    of: str
    """The id of the deliberation that it left."""
    through_round: int
    """The last round that both have in common."""
    seats: tuple[tuple[str, str], ...]
    """Who sits where from the next round on, when it is somebody else."""


def origin(row: ResultRow) -> Left | None:
    """Where the deliberation comes from; ``None`` when it is no branch."""
    told = Leaf(row.result).at("branch")
    of, through = told.text("of"), told.whole("through_round")
    if not of or through is None:
        return None
    return Left(of, through, tuple((seat, model.text()) for seat, model in told.named("seats")))


def beside(branch: ResultRow, left: Left, old: ResultRow | None) -> Markup:
    """Both branches, the older at the left; without it, a remark that it is not in this ledger."""
    changed = ", ".join(f"{seat} is {model}" for seat, model in left.seats) or "fresh samples of the same models"
    shared = f"Shared with {left.of} through round {left.through_round}; from then on: {changed}."
    title = el("h2", "Two branches")
    if old is None:
        missing = f"{left.of} is not in this ledger, so it cannot be shown beside."
        return el("section", title, el("p", shared), el("p", missing, class_="soft"))
    sides = [_side(old, "The old one", "old-"), _side(branch, "The branch", "new-")]
    return el("section", title, el("p", shared), el("div", sides, class_="beside"))


def _side(row: ResultRow, title: str, prefix: str) -> Markup:
    facts = (
        ("Id", row.deliberation_id),
        ("Ended", row.stop_reason),
        ("Calls it paid", f"{row.calls}"),
        ("Cost", f"{row.tokens:,} tokens · {cost(dollars(row.cost_usd), rehearsal=row.rehearsal)}"),
    )
    return el(
        "div",
        el("h3", title),
        el("dl", [(el("dt", name), el("dd", text)) for name, text in facts], class_="facts"),
        rendered(row.verdict or UNKNOWN),
        drawn(Leaf(row.result), prefix),
    )
