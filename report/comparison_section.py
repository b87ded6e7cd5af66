"""The comparison of a study's arms as tables, and accuracy against cost."""

from collections.abc import Sequence

from protocols.cost_text import cost_heading
from protocols.flaws import WORDS
from report.figures import UNKNOWN, dollars, duration, many, share
from report.markup import Markup, el
from report.plots.frame import Drawing, table
from report.plots.scatter import Point, scatter
from studies.comparison.model import ArmFigures, Figure, Interval, Pair, StudyComparison
from studies.comparison.notes import notes


def comparison(compared: StudyComparison) -> Markup:
    """What each arm is worth, how it differs from the baseline, and what it took."""
    return el(
        "section",
        el("h2", "The arms side by side"),
        el("h3", "Quality"),
        _quality(compared),
        _differences(compared) if compared.pairs else None,
        _measures(compared) if compared.measures else None,
        _flaws(compared) if compared.flaw_kinds else None,
        el("h3", "Cost and time"),
        _costs(compared.arms, _paid(compared)),
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
        told=dollars if by_dollars else many,
        note="Up and to the left is better. Bars are 95 % bootstrap intervals over rows; n is labelled deliberations.",
    )


def _point(one: ArmFigures, quality: Figure, index: int, *, by_dollars: bool) -> Point | None:
    cost = one.usd_each if by_dollars else one.tokens / one.n
    if quality.value is None or cost is None:
        return None
    sure = quality.interval
    low, high = (sure.low, sure.high) if sure else (None, None)
    return Point(one.arm, cost, quality.value, low, high, one.labelled, index)


def _quality(compared: StudyComparison) -> Markup:
    heading = ["arm", "ended", "held", "failed", "lost", "degraded"]
    labelled = ["accuracy [95 %]", "right", "among answered", "unreadable"] if compared.is_labelled else []
    is_binary = any(one.confusion for one in compared.arms)
    binary = ["precision", "recall", "F1"] if is_binary else []
    rows = []
    for one in compared.arms:
        cells = [one.arm, counted(one), str(one.held), str(one.failed), str(one.lost), str(one.degraded)]
        if labelled:
            right = f"{one.correct} of {one.labelled}"
            unreadable = UNKNOWN if one.unreadable is None else str(one.unreadable)
            cells += [_sure(one.accuracy), right, share(one.accuracy_answered.value), unreadable]
        if is_binary:
            cells += [share(value) for value in _detection(one)]
        rows.append(cells)
    return table((*heading, *labelled, *binary), rows)


def _flaws(compared: StudyComparison) -> Markup:
    kinds = compared.flaw_kinds
    rows = [[one.arm, counted(one), *(f"{one.flaws.get(kind, 0):,}" for kind in kinds)] for one in compared.arms]
    heading = ("arm", "ended", *(WORDS[kind][1] for kind in kinds))
    return el("div", el("h3", "Flaws, over all that ended"), table(heading, rows))


def _measures(compared: StudyComparison) -> Markup:
    """Return a table for each measure, because two measures are never the same thing."""
    tables = [
        (
            el("h4", words),
            table(
                ("arm", "ended", "mean [95 %]"),
                [[one.arm, counted(one), _sure(one.scores[name])] for one in compared.arms if name in one.scores],
            ),
        )
        for name, words in compared.measures.items()
    ]
    return el("div", el("h3", "What the protocols measured of their own agreement"), tables)


def _detection(one: ArmFigures) -> tuple[float | None, float | None, float | None]:
    found = one.confusion
    return (None, None, None) if found is None else (found.precision.value, found.recall.value, found.f1.value)


def _differences(compared: StudyComparison) -> Markup:
    heading = ("arm", f"{compared.metric}, difference [95 %]", "p (Holm)", "test", "rows both have", "deliberations")
    rows = [
        (
            one.arm,
            UNKNOWN if one.difference is None else f"{one.difference:+.3g}{_range(one.interval)}",
            _p(one),
            one.test,
            str(one.rows),
            str(one.deliberations),
        )
        for one in compared.pairs
    ]
    title = f"Differences from {compared.baseline} ({compared.baseline_is})"
    return el("div", el("h3", title), table(heading, rows))


def _p(one: Pair) -> str:
    corrected = one.p if one.p_holm is None else one.p_holm
    return UNKNOWN if corrected is None else "< 0.001" if corrected < 0.001 else f"{corrected:.3f}"  # noqa: PLR2004 - as printed


def _costs(arms: Sequence[ArmFigures], paid: str) -> Markup:
    heading = (
        "arm",
        "ended",
        f"{paid}, each",
        f"{paid}, per right answer",
        "tokens each",
        "tokens per right answer",
        "calls",
    )
    rows = [
        (
            one.arm,
            counted(one),
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


def counted(one: ArmFigures) -> str:
    """Return how many ended, and of how many where some did not."""
    return f"{one.n:,}" if not one.open else f"{one.n:,} of {one.planned:,}"


def _sure(figure: Figure) -> str:
    if figure.value is None:
        return UNKNOWN
    return f"{figure.value:.3f}{_range(figure.interval)}"


def _range(sure: Interval | None) -> str:
    return "" if sure is None else f" [{sure.low:.3g}, {sure.high:.3g}]"
