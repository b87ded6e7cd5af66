"""The scores of a study on its page: tables, win rates as a matrix, strengths, and reliability diagrams."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from protocols.tables import UNKNOWN, decimal
from report.markup import Markup, el
from report.plots.frame import Drawing, figure
from report.plots.heatmap import Square, heatmap
from report.plots.intervals import Estimate, intervals
from report.plots.scatter import reliability
from report.tables import render
from studies.comparison.model import Figure
from studies.scores.calibration import CONFIDENCES, Calibration
from studies.scores.summary import PreferenceFigures, ScoreReport
from studies.scores.tables import score_tables

_MOST_WITH_INTERVALS = 5
"""Arms whose cells in the matrix have space for an interval."""


def scores_section(report: ScoreReport | None, calibrated: Sequence[Calibration], arms: Sequence[str]) -> Markup | None:
    """Return every scorer's figures and drawings; ``None`` without scores and without confidences."""
    colours = {arm: number for number, arm in enumerate(arms)}
    drawings = [*_of_preferences(report, colours), *_of_confidences(calibrated, colours)]
    plots = el("div", list(map(figure, drawings)), class_="plots")
    if report is not None and report.scorers:
        tables = el("div", render(score_tables(report), "scores-"), class_="tables")
        return el("section", el("h2", "Scores"), tables, plots)
    return el("section", el("h2", "Confidence and truth"), plots) if drawings else None


def _of_preferences(report: ScoreReport | None, colours: Mapping[str, int]) -> Iterator[Drawing]:
    for one in report.scorers if report else ():
        if one.preferences is not None:
            found = (_matrix(one.scorer, one.preferences), _strengths(one.scorer, one.preferences, colours))
            yield from (drawing for drawing in found if drawing is not None)


def _matrix(scorer: str, found: PreferenceFigures) -> Drawing | None:
    arms = list(dict.fromkeys(name for one in found.rates for name in (one.arm, one.other)))
    if found.strengths is not None:
        arms = [one.arm for one in found.strengths.arms]
    is_wide = len(arms) > _MOST_WITH_INTERVALS
    cells = {(one.arm, one.other): _square(one.rate, is_wide=is_wide) for one in found.rates}
    cells |= {(one.other, one.arm): _square(_turned(one.rate), is_wide=is_wide) for one in found.rates}
    nothing = Square("")
    return heatmap(
        f"wins-{scorer}",
        f"Win rates by {scorer}",
        arms,
        [(arm, [cells.get((arm, other), nothing) for other in arms]) for arm in arms],
        across="share of the pairs in which the arm at the left was preferred to",
        note="A tie is half a win; in brackets 95 % intervals over rows. Position bias and rates at "
        "equal length are in the tables.",
    )


def _turned(rate: Figure) -> Figure:
    """Return the rate of the other arm."""
    if rate.value is None or rate.interval is None:
        return Figure(value=None if rate.value is None else 1 - rate.value)
    sure = rate.interval.model_copy(update={"low": 1 - rate.interval.high, "high": 1 - rate.interval.low})
    return Figure(value=1 - rate.value, interval=sure)


def _square(rate: Figure, *, is_wide: bool) -> Square:
    if rate.value is None:
        return Square(UNKNOWN)
    sure = rate.interval
    between = f" ({_short(sure.low)}–{_short(sure.high)})" if sure is not None and not is_wide else ""
    return Square(f"{decimal(rate.value)}{between}", rate.value)


def _short(share: float) -> str:
    """Format a share without the nought before its point."""
    return decimal(share).removeprefix("0")


def _strengths(scorer: str, found: PreferenceFigures, colours: Mapping[str, int]) -> Drawing | None:
    strengths = found.strengths.arms if found.strengths is not None else ()
    return intervals(
        f"strengths-{scorer}",
        f"Strengths by {scorer}",
        [Estimate(one.arm, one.strength, one.low, one.high, colours.get(one.arm, 0)) for one in strengths],
        unit="strength in logits, mean 0",
        note="Bradley and Terry's model; lines are 95 % intervals over rows.",
    )


def _of_confidences(calibrated: Sequence[Calibration], colours: Mapping[str, int]) -> Iterator[Drawing]:
    for measure, of in groupby(calibrated, key=lambda one: one.measure):
        every = list(of)
        figures = "; ".join(
            f"{one.arm}: Brier {decimal(one.brier, 3)}, calibration error {decimal(one.error, 3)}, over {one.n:,} of "
            f"{one.labelled:,} with a label"
            for one in every
        )
        yield reliability(
            f"reliability-{measure}",
            f"Reliability of {measure}",
            [(f"{one.arm} (n={one.n})", one.bins, colours.get(one.arm, 0)) for one in every],
            note=f"{CONFIDENCES[measure].capitalize()}. On the dotted line they are equal. {figures}.",
        )
