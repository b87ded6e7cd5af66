"""The page of a study: the arms side by side, the drawings, and the table of deliberations."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from protocols.cost_text import cost
from protocols.plurals import counted
from report.collect import MOST_LISTED, StudyData
from report.comparison_section import against_cost, comparison_section
from report.figures import dollars, mean, moment
from report.markup import Markup, el, join
from report.page import page
from report.plots.curves import Line, Panel, Values, curves
from report.plots.frame import Drawing, figure
from report.plots.heatmap import Square, heatmap
from report.plots.histogram import histogram
from report.plots.timeline import OUTCOMES, Ended, timeline
from report.table import deliberations
from report.transcripts import LEAST_CHARACTERS, MOST_BYTES, pack
from studies.comparison.model import StudyComparison

_MOST_FAINT = 60
"""Thin lines in one panel: more could not be distinguished, and the file must stay small."""

_LINE = 750
"""Bytes of a line of the table, at most about."""

_TENTHS = 10
_FEWEST = 3
"""Deliberations of which a mean is drawn, when there are so many at all."""


class StudyFacts(NamedTuple):
    """The name, title and facts of a study."""

    name: str
    title: str
    facts: Mapping[str, str]
    """Heading to text: rows, models, how many are still open."""


def study_page(about: StudyFacts, seen: StudyData, compared: StudyComparison) -> str:
    """Return the whole document."""
    drawings = [one for one in _drawings(seen, compared) if one is not None]
    top = join(
        (
            el("h1", about.title or about.name),
            _facts(about, seen),
            comparison_section(compared),
            el("h2", "Drawings") if drawings else None,
            el("div", [figure(one) for one in drawings], class_="plots"),
        )
    )
    room = MOST_BYTES - len(top.encode()) - _LINE * min(len(seen.lines), MOST_LISTED)
    packed = pack(seen.opened, max(room, LEAST_CHARACTERS))
    return page(
        f"{about.name}: report",
        top,
        deliberations(seen, about.name, packed),
        rehearsals=seen.rehearsals,
        of=seen.ended,
        scripted=True,
    )


def _facts(about: StudyFacts, seen: StudyData) -> Markup:
    known = [line.usd for line in seen.lines if line.usd is not None]
    ends = [line.ended_at for line in seen.lines if line.ended_at is not None]
    paid = cost(dollars(sum(known)), rehearsal=seen.is_rehearsal) if known else "cost not known"
    told = {
        "Study": about.name,
        **about.facts,
        "Deliberations that ended": f"{seen.ended:,} of {len(seen.lines):,} in {counted(len(seen.arms), 'arm')}",
        "Used": f"{counted(sum(line.tokens for line in seen.lines), 'token')} · {paid}",
        "Ended (UTC)": f"{moment(min(ends))} to {moment(max(ends))}" if ends else "",
    }
    return el("dl", [(el("dt", name), el("dd", text)) for name, text in told.items() if text], class_="facts")


def _drawings(seen: StudyData, compared: StudyComparison) -> Sequence[Drawing | None]:
    colours = {arm: number for number, arm in enumerate(seen.arms)}
    return (
        against_cost(compared, seen.arms),
        histogram(
            "rounds-to-consensus",
            "Rounds to consensus",
            dict(seen.rounds),
            unit="rounds held until all accepted",
            note="Deliberations that reached a consensus, by the rounds it took; those that did not are left out.",
            colours=colours,
        ),
        _falsehoods(seen),
        _convergence(seen, colours),
        _agreements(seen, colours),
        _places(seen),
        timeline(
            [
                Ended(line.ended_at, line.outcome)
                for line in seen.lines
                if line.ended_at is not None and line.outcome in OUTCOMES
            ],
            note="How the deliberations ended, by when; degraded: with a verdict, but something was lost or could not "
            "be used as it was meant.",
        ),
    )


def _falsehoods(seen: StudyData) -> Drawing | None:
    panels = [
        _panel(f"{arm}{f' · label {label}' if label else ''}", courses, "mean", 0)
        for (arm, label), courses in sorted(seen.courses.items())
        if seen.protocols[arm] == "fire-circle"
    ]
    return curves(
        "falsehoods",
        "Falsehood from round to round",
        panels,
        up="highest F that any model saw, 0 to 1",
        note="One thin line per fire circle, the thick one is their mean; n is how many circles held that round.",
    )


def _convergence(seen: StudyData, colours: Mapping[str, int]) -> Drawing | None:
    measures = {"consensus": "share accepting", "debate": "mean confidence"}
    panels = [
        _panel(f"{arm} · {measures[seen.protocols[arm]]}", _carried(seen.protocols[arm], courses), "mean", colours[arm])
        for (arm, _), courses in sorted(seen.courses.items())
        if seen.protocols[arm] in measures
    ]
    return curves(
        "convergence",
        "Convergence",
        panels,
        up="0 to 1",
        note="Consensus: the share of the three that accepted the round's draft; who has agreed goes on as agreed. "
        "Debate: mean stated confidence of those still held, so late rounds show the hardest questions only. Thin "
        "lines are deliberations, the thick one is their mean where there are at least three.",
    )


def _carried(protocol: str, courses: Sequence[Values]) -> Sequence[Values]:
    """Continue the curves of agreed consensuses at 1: else the mean would cover only the others."""
    if protocol != "consensus":
        return courses
    rounds = max(len(values) for values in courses)
    return [[*v, *([1.0] * (rounds - len(v)) if v[-1] == 1.0 else [])] for v in courses]


def _panel(title: str, courses: Sequence[Values], name: str, index: int) -> Panel:
    rounds = max(len(values) for values in courses)
    columns = [[v[n] for v in courses if n < len(v) and v[n] is not None] for n in range(rounds)]
    held = [[value for value in column if value is not None] for column in columns]
    every, fewest = max(1, len(courses) // _MOST_FAINT), min(_FEWEST, len(courses))
    return Panel(
        title=title,
        lines=(Line(name, [mean(column) if len(column) >= fewest else None for column in held], index),),
        faint=tuple(courses[::every][:_MOST_FAINT]) if len(courses) > 1 else (),
        counts=tuple(len(column) for column in held),
    )


def _agreements(seen: StudyData, colours: Mapping[str, int]) -> Drawing | None:
    tenths = {arm: [round(w * _TENTHS) for w in found] for arm, found in seen.agreements.items() if found}
    return histogram(
        "agreement",
        "How far councils agree",
        tenths,
        unit="Kendall's W of the ballots in tenths: 10 is unanimous",
        note="Councils by how far their ballots agree, rounded to a tenth.",
        colours=colours,
    )


def _places(seen: StudyData) -> Drawing | None:
    counts = seen.places
    if not counts:
        return None
    last = max(place for _, place in counts)
    of = {model: sum(counts[model, place] for place in range(1, last + 1)) for model, _ in list(counts)}
    best = sorted(of, key=lambda model: sum(p * counts[model, p] for p in range(1, last + 1)) / of[model])
    places = range(1, last + 1)
    rows = [(f"{model} (n={of[model]})", [_cell(counts[model, p], of[model]) for p in places]) for model in best]
    return heatmap(
        "places",
        "Places of the models in councils",
        [str(place) for place in range(1, last + 1)],
        rows,
        across="place in the final order, 1 is best",
        note="How often each model's answer came to which place, over all councils; the darker, the larger the share "
        "of that model's councils. Best mean place first.",
    )


def _cell(count: int, of: int) -> Square:
    return Square(str(count), count / of if count else None)
