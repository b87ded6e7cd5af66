"""The table of a study's deliberations: sorted, filtered and opened in the page, readable without any script."""

from collections.abc import Sequence

from protocols.cost_text import cost_heading
from protocols.plurals import counted
from protocols.visible_text import one_line
from report.collect import MOST_LISTED, ListedRow, StudyData
from report.figures import UNKNOWN, dollars, duration, moment
from report.markup import Markup, el
from report.plots.timeline import OUTCOMES
from report.transcripts import Packed

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
    arms = sorted({listed.row.arm for listed in seen.listed})
    columns = [one for one in _COLUMNS if is_labelled or one[0] not in _LABELS_ONLY]
    paid = cost_heading(rehearsal=seen.is_rehearsal)
    names = [(paid if name == _COST else name, "number" if is_number else None) for name, is_number in columns]
    head = [el("th", el("button", name, type="button"), scope="col", class_=kind) for name, kind in names]
    rows = [_row(listed, place, is_labelled=is_labelled) for place, listed in enumerate(seen.listed)]
    return el(
        "section",
        el("h2", "Deliberations", id="table"),
        [el("p", note, class_="soft") for note in _notes(study, len(seen.marks), packed)],
        _filters(arms),
        el(
            "div",
            el("table", el("thead", el("tr", head)), el("tbody", rows), id="deliberations"),
            class_="wide",
            tabindex="0",
            role="region",
            aria_labelledby="table",
        ),
        el("script", packed_text(packed), type="text/plain", id="transcripts"),
    )


def packed_text(packed: Packed) -> Markup:
    """Return the packed transcripts as base64, in which nothing needs escaping."""
    return Markup(packed.data)


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
    right = "" if scored.expected is None else "yes" if scored.correct else "no"
    labels = (el("td", one_line(line.expected or "", width=_SHORT)), el("td", right)) if is_labelled else ()
    ended = line.stop_reason if line.outcome == "completed" else f"{line.outcome}: {line.stop_reason}"
    return el(
        "tr",
        el("th", button, name, scope="row", title=line.deliberation_id, data_value=name),
        el("td", line.arm),
        el("td", line.question, class_="text"),
        el("td", one_line(scored.answer or line.verdict or UNKNOWN, width=_SHORT), class_="text"),
        *labels,
        el("td", ended, class_="outcome"),
        el("td", f"{line.tokens:,}", class_="number", data_value=line.tokens),
        el("td", dollars(line.cost_usd), class_="number", data_value="" if line.cost_usd is None else line.cost_usd),
        el(
            "td",
            duration(line.seconds),
            class_="number",
            data_value="" if line.seconds is None else f"{line.seconds:.3f}",
        ),
        el("td", moment(line.ended_at)),
        class_=None if line.outcome == "completed" else f"{line.outcome}-row",
        id=f"d-{place}",
        data_place=place,
        data_arm=line.arm,
        data_outcome=line.outcome,
    )
