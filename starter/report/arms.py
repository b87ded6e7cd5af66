"""The comparison of a study's arms as tables and as quality against cost."""

from collections.abc import Sequence

from protocols.cost_text import cost_heading
from protocols.flaws import WORDS
from starter.comparison.model import ArmFigures, Figure, Interval, Pair, StudyComparison
from starter.comparison.notes import notes
from starter.report.figures import UNKNOWN, dollars, duration, many, share
from starter.report.markup import Markup, el
from starter.report.plots.frame import Drawing, table
from starter.report.plots.scatter import Point, scatter

_AGREEMENT = "agreement"


def comparison(compared: StudyComparison) -> Markup:
    """What each arm is worth, how it differs from the baseline, and what it took."""
    return el(
        "section",
        el("h2", "The arms side by side"),
        el("h3", "Quality"),
        _quality(compared),
        _differences(compared) if compared.pairs else None,
        _flaws(compared) if compared.flaw_kinds else None,
        el("h3", "Cost and time"),
        _costs(compared.arms, _paid(compared)),
        [el("p", note, class_="soft") for note in notes(compared)],
    )


def against_cost(compared: StudyComparison, colours: Sequence[str]) -> Drawing | None:
    """Accuracy, or without labels agreement, against dollars, or where none are known against tokens."""
    by_dollars = any(one.usd_each for one in compared.arms)
    points = [
        point
        for one in compared.arms
        if (point := _point(one, _quality_of(one, compared), colours.index(one.arm), by_dollars=by_dollars))
    ]
    quality = "accuracy" if compared.is_labelled else "agreement"
    cost = "US dollars" if by_dollars else "tokens"
    meant = "" if compared.is_labelled else " Agreement is each protocol's own measure: no evidence of being right."
    return scatter(
        points,
        title="Quality against cost",
        across=f"{cost} per deliberation, mean",
        up=quality,
        told=dollars if by_dollars else many,
        note=f"Up and to the left is better. Bars are 95 % bootstrap intervals over rows; n is deliberations.{meant}",
    )


def _quality_of(one: ArmFigures, compared: StudyComparison) -> Figure | None:
    return one.accuracy if compared.is_labelled else one.scores.get(_AGREEMENT)


def _point(one: ArmFigures, quality: Figure | None, index: int, *, by_dollars: bool) -> Point | None:
    cost = one.usd_each if by_dollars else one.tokens / one.n
    if quality is None or quality.value is None or cost is None:
        return None
    sure = quality.interval
    n = one.labelled or one.n
    return Point(one.arm, cost, quality.value, sure.low if sure else None, sure.high if sure else None, n, index)


def _quality(compared: StudyComparison) -> Markup:
    heading = ["arm", "n", "held", "failed", "degraded"]
    labelled = ["accuracy [95 %]", "right", "among answered", "unreadable"] if compared.is_labelled else []
    is_binary = any(one.confusion for one in compared.arms)
    binary = ["precision", "recall", "F1"] if is_binary else []
    scored = ["agreement [95 %]"] if any(_AGREEMENT in one.scores for one in compared.arms) else []
    rows = []
    for one in compared.arms:
        cells = [one.arm, str(one.n), str(one.held), str(one.failed), str(one.degraded)]
        if labelled:
            right = f"{one.correct} of {one.labelled}"
            unreadable = UNKNOWN if one.unreadable is None else str(one.unreadable)
            cells += [_sure(one.accuracy), right, share(one.accuracy_answered.value), unreadable]
        if is_binary:
            cells += [share(value) for value in _detection(one)]
        if scored:
            cells.append(_sure(one.scores.get(_AGREEMENT)))
        rows.append(cells)
    return table((*heading, *labelled, *binary, *scored), rows)


def _flaws(compared: StudyComparison) -> Markup:
    kinds = compared.flaw_kinds
    rows = [[one.arm, *(f"{one.flaws.get(kind, 0):,}" for kind in kinds)] for one in compared.arms]
    return el("div", el("h3", "Flaws, over all that ended"), table(("arm", *(WORDS[kind][1] for kind in kinds)), rows))


def _detection(one: ArmFigures) -> tuple[float | None, float | None, float | None]:
    found = one.confusion
    return (None, None, None) if found is None else (found.precision.value, found.recall.value, found.f1.value)


def _differences(compared: StudyComparison) -> Markup:
    heading = ("arm", f"{compared.metric}, difference [95 %]", "p (Holm)", "test", "rows both have")
    rows = [
        (
            one.arm,
            UNKNOWN if one.difference is None else f"{one.difference:+.3g}{_range(one.interval)}",
            _p(one),
            one.test,
            str(one.rows),
        )
        for one in compared.pairs
    ]
    title = f"Differences from {compared.baseline} ({compared.baseline_is})"
    return el("div", el("h3", title), table(heading, rows))


def _p(one: Pair) -> str:
    corrected = one.p if one.p_holm is None else one.p_holm
    return UNKNOWN if corrected is None else "< 0.001" if corrected < 0.001 else f"{corrected:.3f}"  # noqa: PLR2004 - as printed


def _costs(arms: Sequence[ArmFigures], paid: str) -> Markup:
    heading = ("arm", f"{paid}, each", f"{paid}, per right answer", "tokens each", "tokens per right answer", "calls")
    rows = [
        (
            one.arm,
            _bound(one, dollars(one.usd_each)),
            _bound(one, dollars(one.usd_per_correct.value)),
            many(one.tokens / one.n) if one.n else UNKNOWN,
            many(one.tokens_per_correct.value),
            f"{one.calls:,}",
            duration(one.seconds_median),
            duration(one.seconds_p90),
        )
        for one in arms
    ]
    return table((*heading, "time, median", "time, 90 of 100"), rows)


def _paid(compared: StudyComparison) -> str:
    return cost_heading(rehearsal=compared.n > 0 and compared.rehearsals == compared.n)


def _bound(one: ArmFigures, said: str) -> str:
    return f"≥ {said}" if one.is_lower_bound and said != UNKNOWN else said


def _sure(figure: Figure | None) -> str:
    if figure is None or figure.value is None:
        return UNKNOWN
    return f"{figure.value:.3f}{_range(figure.interval)}"


def _range(sure: Interval | None) -> str:
    return "" if sure is None else f" [{sure.low:.3g}, {sure.high:.3g}]"
