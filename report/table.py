"""The table of a study's deliberations: sorted, filtered and opened in the page, readable without any script."""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

from ledger.studies.scores import Score
from protocols.cost_text import cost_heading
from protocols.plurals import counted
from protocols.visible_text import one_line
from report.collect import MOST_LISTED, ListedRow, StudyData
from report.figures import UNKNOWN, dollars, duration, moment
from report.markup import Markup, el
from report.plots.timeline import OUTCOMES
from report.transcripts import Packed
from studies.comparison.scoring import grouped
from studies.comparison.tables import number

_COST = "cost"
_SHORT = 90
"""Characters of a label or answer."""
_COLUMNS = (
    ("row", False),
    ("arm", False),
    ("question", False),
    ("answer", False),
    ("expected", False),
    ("right", False),
    ("ended", False),
    ("tokens", True),
    (_COST, True),
    ("time", True),
    ("ended at (UTC)", False),
)
"""Heading, and whether its values are numbers."""

_MISSING = ("missing", "open")
"""The state of a deliberation without an end on the time axis."""

_LABELS_ONLY = frozenset({"expected", "right"})


def deliberations(seen: StudyData, study: str, packed: Packed) -> Markup:
    """Return the filters and the table; the first ``MOST_LISTED`` deliberations are in it."""
    is_labelled = seen.is_labelled
    columns = [one for one in _COLUMNS if is_labelled or one[0] not in _LABELS_ONLY]
    paid = cost_heading(rehearsal=seen.is_rehearsal)
    names = [(paid if name == _COST else name, "number" if is_number else None) for name, is_number in columns]
    head = [el("th", el("button", name, type="button"), scope="col", class_=kind) for name, kind in names]
    rows = [_row(listed, place, is_labelled=is_labelled) for place, listed in enumerate(seen.listed)]
    return el(
        "section",
        el("h2", "Deliberations", id="table"),
        [el("p", note, class_="soft") for note in _notes(study, len(seen.marks), packed)],
        _filters(sorted({listed.row.arm for listed in seen.listed})),
        el(
            "div",
            el("table", el("thead", el("tr", head)), el("tbody", rows), id="deliberations"),
            class_="wide",
            tabindex="0",
            role="region",
            aria_labelledby="table",
        ),
        el("script", Markup(packed.data), type="text/plain", id="transcripts"),  # base64 needs no escaping
    )


def _notes(study: str, total: int, packed: Packed) -> list[str]:
    whole = f"parley export {study} --what results"
    notes = ["Sort by a heading; + opens a deliberation's transcript."]
    if total > MOST_LISTED:
        notes.append(f"The first {MOST_LISTED:,} of {counted(total, 'deliberation')} are listed; all of them: {whole}")
    if packed.limit is not None:
        notes.append(f"Contributions are cut to {packed.limit:,} characters to keep this file small; whole: {whole}")
    if packed.holds < min(total, MOST_LISTED):
        notes.append(f"Only the first {packed.holds:,} have their transcript in this file; the others: {whole}")
    return notes


def _filters(arms: Sequence[str]) -> Markup:
    def choice(name: str, key: str, of: Sequence[str]) -> Markup:
        options = [el("option", "all", value=""), *(el("option", one, value=one) for one in of)]
        return el("label", name, el("select", options, id=key))

    return el(
        "div",
        el("label", "Find in the table", el("input", type="search", id="find", autocomplete="off")),
        choice("Arm", "arm", arms),
        choice("Outcome", "outcome", (*reversed(OUTCOMES), *_MISSING)),
        el("span", id="shown", role="status", class_="soft"),
        class_="filters scripted",
        hidden=True,
    )


def _row(listed: ListedRow, place: int, *, is_labelled: bool) -> Markup:
    line, scored = listed
    repeat = f" · {line.repeat}" if line.repeat > 1 else ""
    name = f"{line.row_id}{repeat}"
    button = el("button", "+", type="button", class_="open", aria_expanded="false", aria_label=f"Transcript of {name}")
    right = "" if scored.expected is None or scored.status == "open" else "yes" if scored.correct else "no"
    labels = (el("td", one_line(line.expected or "", width=_SHORT)), el("td", right)) if is_labelled else ()
    usd = line.cost_usd
    bound = "≥ " if line.calls_of_unknown_cost and usd is not None else ""
    tokens = f"{'≥ ' if line.calls_of_unknown_tokens else ''}{line.tokens:,}"
    seconds = "" if line.seconds is None else f"{line.seconds:.3f}"
    ended = line.stop_reason if line.outcome == "completed" else f"{line.outcome}: {line.stop_reason}"
    return el(
        "tr",
        el("th", button, name, scope="row", title=line.deliberation_id, data_value=name),
        el("td", line.arm),
        el("td", line.question, class_="text"),
        el("td", one_line(scored.answer or line.verdict or UNKNOWN, width=_SHORT), class_="text"),
        *labels,
        el("td", ended, class_="outcome"),
        el("td", tokens, class_="number", data_value=line.tokens),
        el("td", bound + dollars(usd), class_="number", data_value="" if usd is None else usd),
        el("td", duration(line.seconds), class_="number", data_value=seconds),
        el("td", moment(line.ended_at)),
        class_=None if line.outcome == "completed" else f"{line.outcome}-row",
        id=f"d-{place}",
        data_place=place,
        data_arm=line.arm,
        data_outcome=line.outcome,
    )


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
    rows = (
        Difference(row, {arm: fmean(said for *_, said in of) for arm, of in grouped(ours, lambda one: one[1]).items()})
        for row, ours in grouped(values, lambda one: one[0]).items()
    )
    return sorted((one for one in rows if one.spread), key=lambda one: (-one.spread, one.row_id))


def disagreements_section(seen: StudyData, scores: Sequence[Score]) -> Markup | None:
    """Return a table for the labels and for each scorer with values; a value leads to its deliberation."""
    ended = [one for one in seen.marks if one.status != "open"]
    placed = {one.deliberation_id: one for one in ended}
    right = [(one.row_id, one.arm, float(one.correct)) for one in ended if one.expected is not None]
    every: dict[str, list[tuple[str, str, float]]] = {_LABELS: right}
    for one in scores:
        if one.value is not None and not one.other_id and (mark := placed.get(one.deliberation_id)):
            every.setdefault(one.scorer, []).append((mark.row_id, mark.arm, one.value))
    tables = [_table(name, found, seen) for name, values in every.items() if (found := differences(values))]
    if not tables:
        return None
    note = "The mean of each arm, the largest differences first; a value leads to its deliberation where it is listed."
    return el("section", el("h2", "Rows in which the arms differ"), el("p", note, class_="soft"), tables)


def _table(name: str, found: Sequence[Difference], seen: StudyData) -> Markup:
    places = {(one.row.row_id, one.row.arm): place for place, one in reversed(list(enumerate(seen.listed)))}
    listed = {row_id for row_id, _ in places}
    first = sorted(found, key=lambda one: (-one.spread, one.row_id not in listed))[:_MOST]
    headings = [el("th", text, scope="col") for text in ("row", "question", "difference", *seen.arms)]
    body = [_line(one, seen, places) for one in first]
    title = f"By {name}: {counted(len(found), 'row')} in which they differ"
    title += f", the first {_MOST}" if len(found) > _MOST else ""
    return el(
        "div",
        el("h3", title),
        el("div", el("table", el("thead", el("tr", headings)), el("tbody", body)), class_="wide", tabindex="0"),
    )


def _line(one: Difference, seen: StudyData, places: Mapping[tuple[str, str], int]) -> Markup:
    cells = []
    for arm in seen.arms:
        value, place = one.by_arm.get(arm), places.get((one.row_id, arm))
        text = number(value)
        cells.append(el("td", text if place is None else el("a", text, href=f"#d-{place}"), class_="number"))
    question = el("td", seen.questions[one.row_id], class_="text")
    return el("tr", el("th", one.row_id, scope="row"), question, el("td", number(one.spread), class_="number"), cells)
