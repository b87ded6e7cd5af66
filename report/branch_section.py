"""A branch of a deliberation beside the one that it left."""

from protocols.branch import Origin
from protocols.cost_text import cost
from protocols.plurals import counted
from report.figures import UNKNOWN, dollars
from report.markup import Markup, el
from report.model_text import rendered
from report.read_results import ReadResult
from report.tables import render


def branch_section(branch: ReadResult, left: Origin, old: ReadResult | None) -> Markup:
    """Return both branches, the older at the left; without it, a remark that it is not in this ledger."""
    changed = ", ".join(f"{seat} is {model}" for seat, model in left.seats.items())
    changed = changed or "fresh samples of the same models"
    shared = f"Shared with {left.of} through round {left.through_round}; from then on: {changed}."
    title = el("h2", "Two branches")
    if old is None:
        missing = f"{left.of} is not in this ledger, so it cannot be shown beside."
        return el("section", title, el("p", shared), el("p", missing, class_="soft"))
    sides = [_side(old, "The old one", "old-"), _side(branch, "The branch", "new-")]
    return el("section", title, el("p", shared), el("div", sides, class_="beside"))


def _side(read: ReadResult, title: str, prefix: str) -> Markup:
    row = read.row
    facts = (
        ("Id", row.deliberation_id),
        ("Ended", row.stop_reason),
        ("Calls it paid", f"{row.calls}"),
        ("Cost", f"{counted(row.tokens, 'token')} · {cost(dollars(row.cost_usd), rehearsal=row.rehearsal)}"),
    )
    return el(
        "div",
        el("h3", title),
        el("dl", [(el("dt", name), el("dd", text)) for name, text in facts], class_="facts"),
        rendered(row.verdict or UNKNOWN),
        render(read.view.tables, prefix),
    )
