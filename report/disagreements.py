"""The rows of a study by how much its arms differ there."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ledger.studies.scores import Score
from protocols.plurals import counted
from report.collect import ListedRow, StudyData
from report.figures import UNKNOWN
from report.markup import Markup, el

_MOST = 15
_LABELS = "the labels"


class Difference(NamedTuple):
    """One row: the mean value of each arm there."""

    row_id: str
    by_arm: Mapping[str, float]

    @property
    def spread(self) -> float:
        """The highest value less the lowest."""
        return max(self.by_arm.values()) - min(self.by_arm.values())


def differences(values: Sequence[tuple[str, str, float]]) -> list[Difference]:
    """Return the rows that two arms or more have a value of, those with the largest spread first.

    Args:
        values: Row, arm and value of each deliberation.
    """
    found: defaultdict[str, defaultdict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row, arm, value in values:
        found[row][arm].append(value)
    rows = [
        Difference(row, {arm: sum(said) / len(said) for arm, said in arms.items()})
        for row, arms in found.items()
        if len(arms) > 1
    ]
    return sorted((one for one in rows if one.spread), key=lambda one: (-one.spread, one.row_id))


def disagreements_section(seen: StudyData, scores: Sequence[Score]) -> Markup | None:
    """Return a table for the labels and for each scorer with values; a value leads to its deliberation."""
    placed = {one.deliberation_id: one for one in seen.marks}
    every: dict[str, list[tuple[str, str, float]]] = {
        _LABELS: [(one.row_id, one.arm, float(one.correct)) for one in seen.marks if one.expected is not None]
    }
    for one in scores:
        if one.value is not None and not one.other_id and (mark := placed.get(one.deliberation_id)):
            every.setdefault(one.scorer, []).append((mark.row_id, mark.arm, one.value))
    tables = [_table(name, found, seen) for name, values in every.items() if (found := differences(values))]
    if not tables:
        return None
    note = "The mean of each arm, the rows with the largest difference first; a value leads to its deliberation."
    return el("section", el("h2", "Rows in which the arms differ"), el("p", note, class_="soft"), tables)


def _table(name: str, found: Sequence[Difference], seen: StudyData) -> Markup:
    places = {(one.row.row_id, one.row.arm): place for place, one in reversed(list(enumerate(seen.listed)))}
    questions = {one.row.row_id: one for one in reversed(seen.listed)}
    headings = [el("th", text, scope="col") for text in ("row", "question", "difference", *seen.arms)]
    body = [_line(one, seen.arms, places, questions) for one in found[:_MOST]]
    title = f"By {name}: {counted(len(found), 'row')} in which they differ"
    title += f", the first {_MOST}" if len(found) > _MOST else ""
    return el(
        "div",
        el("h3", title),
        el("div", el("table", el("thead", el("tr", headings)), el("tbody", body)), class_="wide", tabindex="0"),
    )


def _line(
    one: Difference,
    arms: Sequence[str],
    places: Mapping[tuple[str, str], int],
    questions: Mapping[str, ListedRow],
) -> Markup:
    listed = questions.get(one.row_id)
    cells = []
    for arm in arms:
        value, place = one.by_arm.get(arm), places.get((one.row_id, arm))
        text = UNKNOWN if value is None else f"{value:.3g}"
        cells.append(el("td", text if place is None else el("a", text, href=f"#d-{place}"), class_="number"))
    question = el("td", listed.row.question if listed else UNKNOWN, class_="text")
    return el("tr", el("th", one.row_id, scope="row"), question, el("td", f"{one.spread:.3g}", class_="number"), cells)
