"""The page of a study: the arms side by side, the drawings, and the table of deliberations."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean

from ledger.studies.scores import Score
from protocols.tables import CurveStyle
from report.collect import StudyData
from report.figures import dollars, many, short
from report.markup import Markup, el, join
from report.page import page
from report.plots.bars import histogram
from report.plots.curves import Line, Panel, Values, curves
from report.plots.frame import Drawing, figure
from report.plots.heatmap import Square, heatmap
from report.plots.scatter import Point, scatter
from report.plots.timeline import timeline
from report.scores_section import scores_section
from report.study_facts import StudyFacts, arms_section, facts, methods_section
from report.table import deliberations, disagreements_section
from report.tables import render
from report.transcripts import LEAST_CHARACTERS, MOST_BYTES, pack
from studies.comparison.model import StudyComparison
from studies.comparison.notes import notes
from studies.comparison.tables import comparison_tables, remarks
from studies.scores.calibration import calibrations

_MOST_FAINT = 60
"""Thin lines in one panel: more could not be distinguished, and the file must stay small."""

_LINE = 750
"""Bytes of a line of the table, at most about."""

_TENTHS = 10
_FEWEST = 3
"""Deliberations of which a mean is drawn, when there are so many at all."""
_LINES_NOTE = (
    "Thin lines are deliberations, the thick one is their mean where there are at least three; n is how many are in "
    "the mean."
)


def study_page(about: StudyFacts, seen: StudyData, compared: StudyComparison, scores: Sequence[Score] = ()) -> str:
    """Return the whole document."""
    drawings = [one for one in _drawings(seen, compared) if one is not None]
    top = join(
        (
            el("h1", about.title),
            facts(about, seen, compared),
            methods_section(about, seen, compared),
            arms_section(about),
            comparison_section(compared),
            scores_section(about.scores, calibrations(seen.marks), seen.arms),
            disagreements_section(seen, scores),
            el("h2", "Drawings") if drawings else None,
            el("div", [figure(one) for one in drawings], class_="plots"),
        )
    )
    space = MOST_BYTES - len(top.encode()) - _LINE * len(seen.listed)
    packed = pack(seen.opened, max(space, LEAST_CHARACTERS))
    return page(
        f"{about.title}: report",
        top,
        deliberations(seen, about.name, packed),
        rehearsals=seen.rehearsals,
        of=seen.ended,
        scripted=True,
    )


def _drawings(seen: StudyData, compared: StudyComparison) -> Sequence[Drawing | None]:
    colours = {arm: number for number, arm in enumerate(seen.arms)}
    return (
        against_cost(compared, seen.arms),
        histogram(
            "rounds-to-consensus",
            "Rounds to consensus",
            dict(seen.rounds),
            unit="rounds until all accepted",
            note="Deliberations that reached a consensus, by the rounds it took; those that did not are left out.",
            colours=colours,
        ),
        *_curves(seen, colours),
        _agreements(seen, colours),
        _places(seen),
        timeline(
            seen.ends,
            note="How the deliberations ended, by when; degraded: with a verdict, but something was lost or could not "
            "be used as it was meant.",
        ),
    )


def _curves(seen: StudyData, colours: Mapping[str, int]) -> Iterator[Drawing | None]:
    """Yield a drawing for each title, with a panel for each arm, or for each arm and label."""
    for title in sorted({style.title for style in seen.curves}):
        styles = [style for style in seen.curves if style.title == title]
        panels = [
            _panel(
                " · ".join(filter(None, (arm, style.measure, label and f"label {label}"))),
                _continued(values, style),
                "mean",
                colours[arm],
            )
            for style in styles
            for (arm, label), values in seen.curves[style].items()
        ]
        yield curves(
            title.partition(" ")[0].lower(),
            title,
            sorted(panels, key=lambda panel: panel.title),
            up=styles[0].scale,
            note=" ".join(filter(None, (*(style.note for style in styles), _LINES_NOTE))),
        )


def _continued(found: Sequence[Values], style: CurveStyle) -> Sequence[Values]:
    """Continue the curves that ended at 1, if the style asks for it."""
    if not style.stays_at_one:
        return found
    rounds = max(len(values) for values in found)
    return [[*v, *([1.0] * (rounds - len(v)) if v[-1] == 1.0 else [])] for v in found]


def _panel(title: str, courses: Sequence[Values], name: str, index: int) -> Panel:
    rounds = max(len(values) for values in courses)
    known = [[at for v in courses if n < len(v) and (at := v[n]) is not None] for n in range(rounds)]
    every, fewest = max(1, len(courses) // _MOST_FAINT), min(_FEWEST, len(courses))
    return Panel(
        title=title,
        lines=(Line(name, [fmean(column) if len(column) >= fewest else None for column in known], index),),
        faint=tuple(courses[::every][:_MOST_FAINT]) if len(courses) > 1 else (),
        counts=tuple(len(column) for column in known),
    )


def _agreements(seen: StudyData, colours: Mapping[str, int]) -> Drawing | None:
    return histogram(
        "agreement",
        "How far ballots agree",
        {arm: [int(w * _TENTHS + 0.5) for w in found] for arm, found in seen.agreements.items()},
        unit="Kendall's W of the ballots in tenths, rounded: 10 is 0.95 and more",
        note="Deliberations by how far their ballots agree, rounded to a tenth.",
        colours=colours,
    )


def _places(seen: StudyData) -> Drawing | None:
    counts = seen.places
    if not counts:
        return None
    places = range(1, max(place for _, place in counts) + 1)
    of = {model: sum(counts[model, place] for place in places) for model, _ in list(counts)}
    best = sorted(of, key=lambda model: sum(place * counts[model, place] for place in places) / of[model])
    alike = Counter(map(short, of))
    names = {model: short(model) if alike[short(model)] == 1 else model for model in best}
    rows = [
        (f"{names[one]} (n={of[one]})", [Square(str(n), n / of[one] or None) for n in (counts[one, p] for p in places)])
        for one in best
    ]
    return heatmap(
        "places",
        "Places of the models",
        list(map(str, places)),
        rows,
        across="place in the final order, 1 is best",
        note="How often each model's answer had which place, over all rankings; the darker, the larger the share "
        "of that model's rankings. Best mean place first.",
    )


def comparison_section(compared: StudyComparison) -> Markup:
    """Return the tables of the comparison with their notes."""
    return el(
        "section",
        el("h2", "The arms side by side"),
        el("div", render(comparison_tables(compared)), class_="tables"),
        [el("p", remark) for remark in remarks(compared, {one.arm: one.arm for one in compared.arms})],
        [el("p", note, class_="soft") for note in notes(compared)],
    )


def against_cost(compared: StudyComparison, colours: Sequence[str]) -> Drawing | None:
    """Return accuracy against dollars, against tokens where a cost is not known; without labels nothing is drawn.

    What a protocol measures of its own agreement is no quality, and is another thing in each protocol.
    """
    is_priced = not any(one.is_lower_bound for one in compared.arms)
    by_dollars = is_priced and any(one.usd_each for one in compared.arms)
    points = [
        Point(one.arm, cost, one.accuracy.value, one.accuracy.interval, one.labelled, colours.index(one.arm))
        for one in compared.arms
        if (cost := one.usd_each if by_dollars else one.known_tokens_each) is not None
        and one.accuracy.value is not None
    ]
    unit = "US dollars" if by_dollars else "tokens"
    return scatter(
        points,
        title="Accuracy against cost",
        across=f"{unit} per deliberation, mean",
        up="accuracy",
        describe=dollars if by_dollars else many,
        note="Up and to the left is better. Bars are 95 % intervals over rows; n is labelled deliberations.",
    )
