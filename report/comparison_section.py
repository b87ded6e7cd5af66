"""The comparison of a study's arms as tables, and accuracy against cost."""

from collections.abc import Sequence

from report.figures import dollars, many
from report.markup import Markup, el
from report.plots.frame import Drawing
from report.plots.scatter import Point, scatter
from report.tables import render
from studies.comparison.model import ArmFigures, Figure, StudyComparison
from studies.comparison.notes import notes
from studies.comparison.tables import comparison_tables, remarks


def comparison_section(compared: StudyComparison) -> Markup:
    """Return the tables of the comparison with their notes."""
    names = {one.arm: one.arm for one in compared.arms}
    return el(
        "section",
        el("h2", "The arms side by side"),
        el("div", render(comparison_tables(compared)), class_="tables"),
        [el("p", remark) for remark in remarks(compared, names)],
        [el("p", note, class_="soft") for note in notes(compared)],
    )


def against_cost(compared: StudyComparison, colours: Sequence[str]) -> Drawing | None:
    """Return accuracy against dollars, against tokens where a cost is not known; without labels nothing is drawn.

    What a protocol measures of its own agreement is no quality, and is another thing in each protocol.
    """
    is_priced = not any(one.is_lower_bound for one in compared.arms)
    by_dollars = is_priced and any(one.usd_each for one in compared.arms)
    points = [
        point
        for one in compared.arms
        if (point := _point(one, one.accuracy, colours.index(one.arm), by_dollars=by_dollars))
    ]
    cost = "US dollars" if by_dollars else "tokens"
    return scatter(
        points,
        title="Accuracy against cost",
        across=f"{cost} per deliberation, mean",
        up="accuracy",
        describe=dollars if by_dollars else many,
        note="Up and to the left is better. Bars are 95 % bootstrap intervals over rows; n is labelled deliberations.",
    )


def _point(one: ArmFigures, quality: Figure, index: int, *, by_dollars: bool) -> Point | None:
    cost = one.usd_each if by_dollars else one.tokens / one.n
    if quality.value is None or cost is None:
        return None
    sure = quality.interval
    low, high = (sure.low, sure.high) if sure else (None, None)
    return Point(one.arm, cost, quality.value, low, high, one.labelled, index)
