"""The comparison of a study as tables: quality, detection, flaws, cost, differences and measures of the arms."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from protocols.cost_text import cost_heading, in_dollars
from protocols.flaws import WORDS
from protocols.plurals import counted
from protocols.tables import UNKNOWN, Cell, Column, Table, decimal, probability, rows
from protocols.visible_text import one_line
from studies.comparison.model import ArmFigures, Figure, Interval, Pair, PositionBias, StudyComparison
from studies.comparison.scoring import OF_YES

_SEVERAL, _TENTH = 10, 0.1
_MANY, _DEAR, _LONG, _WHOLE = 10_000_000, 100, 10_000, 9_999.5
"""From here on tokens are shown in millions, dollars in cents, and seconds and scores whole."""
_REASON = 60
_BASELINES = {
    "asked for": "as asked for",
    "cheapest": "the cheapest arm",
    "fewest tokens": "fewest tokens",
    "fewest calls": "fewest calls",
    "the first": "the arm of the same name, or the only one",
}

Row = list[str | Cell]


def comparison_tables(compared: StudyComparison, names: Mapping[str, str] | None = None) -> list[Table]:
    """Return every table that has rows; ``names`` holds the shown name of each arm."""
    shown = names or {one.arm: one.arm for one in compared.arms}
    tables = [
        _quality(compared, shown),
        _detection(compared, shown),
        _flaws(compared, shown),
        _cost(compared, shown),
        _differences(compared, shown),
        _trends(compared),
        *_measures(compared, shown),
    ]
    return [table for table in tables if table.rows]


def remarks(compared: StudyComparison, names: Mapping[str, str]) -> Iterator[str]:
    """Yield the bias of the judge, the agreement of the arms and of their repeats, and the reasons of failures."""
    yield from map(position_remark, filter(None, [compared.position]))
    found = compared.agreement
    if found.alpha is not None:
        units = f"{counted(found.alpha_units, 'row')} (each repeat counts) with two answers or more"
        yield f"agreement of the arms' answers: alpha {decimal(found.alpha, 3)} over {units}"
    for name, value in found.scores_w.items():
        rows = counted(found.scores_w_rows[name], "row")
        yield f"agreement of the arms on {name}: Kendall's W {decimal(value, 3)} over {rows}"
    said = "protocols and repeats" if compared.over == "panels" else "repeats"
    for one in compared.arms:
        if one.alpha_repeats is not None:
            over = counted(one.alpha_rows, "row")
            yield f"agreement of the {said} of {names[one.arm]}: alpha {decimal(one.alpha_repeats, 3)} over {over}"
        if one.rankings_w is not None:
            mean = f"mean Kendall's W {decimal(one.rankings_w, 3)} of {counted(one.rankings, 'deliberation')}"
            yield f"agreement of the rankings of {names[one.arm]}: {mean}"
    for found_at in compared.equal_costs:
        if found_at.others is not None:
            shares = {arm: float(decimal(share, 2)) for arm, share in found_at.shares.items()}
            mixed = " and ".join(f"{100 * share:g}% {names[arm]}" for arm, share in shares.items())
            cost = "tokens" if found_at.unit == "tokens" else "cost"
            reached, others = decimal(found_at.accuracy, 3), decimal(found_at.others, 3)
            yield f"at the {cost} of {names[found_at.arm]}: {reached}; {mixed}: {others}"
    for one in compared.arms:
        if one.failures:
            reasons = (f"{one_line(reason, width=_REASON)} {n:,}" for reason, n in one.failures.items())
            yield f"failed in {names[one.arm]}: {', '.join(reasons)}"


def position_remark(found: PositionBias) -> str:
    """Return the sentence on how often the judge preferred one position."""
    first, second = (f"{decimal(one.value, 3)} ({between(one.interval)})" for one in (found.first, found.second))
    return (
        f"position bias of the judge: of {counted(found.pairs, 'pair')} the answer shown first was preferred in both "
        f"orders in {first}, the second in {second}"
    )


def _table(title: str, headings: Sequence[str | Column], body: Sequence[Sequence[str | Cell]]) -> Table:
    """Return a table whose first column names the arm; the other columns hold numbers."""
    first, *others = (one if isinstance(one, Column) else Column(one, is_number=True) for one in headings)
    return Table(title, (first._replace(is_number=False), *others), rows(body))


def _quality(compared: StudyComparison, names: Mapping[str, str]) -> Table:
    missing = ("missing",) if any(one.missing for one in compared.arms) else ()
    headings: list[str | Column] = ["arm", "ended", "completed", "failed", *missing, "degraded", "unread"]
    of_rows = compared.over_repeats is not None
    if compared.is_labelled:
        right = () if of_rows else (Column("right", is_number=True, least="page"),)
        headings += ["accuracy", "rows" if of_rows else "of", *right, "95 %", "read"]
    body = []
    for one in compared.arms:
        unreadable = UNKNOWN if one.unreadable is None else f"{one.unreadable:,}"
        counts = (one.completed, one.failed, *((one.missing,) if missing else ()), one.degraded)
        cells = [names[one.arm], ended(one), *(f"{count:,}" for count in counts), unreadable]
        if compared.is_labelled:
            of = one.labelled_rows if of_rows else one.labelled
            correct = () if of_rows else (f"{one.correct:,} of {one.labelled:,}",)
            cells += [decimal(one.accuracy.value, 3), f"{of:,}", *correct]
            cells += [between(one.accuracy.interval), decimal(one.accuracy_answered.value, 3)]
        body.append(cells)
    return _table("Quality" + _repeats(compared, "accuracy"), headings, body)


def _repeats(compared: StudyComparison, metric: str) -> str:
    """Return how the repeats of ``metric`` were aggregated, for the title of a table."""
    is_one = compared.over_repeats is None or metric not in {"accuracy", compared.metric}
    return "" if is_one else f", {compared.over_repeats} over repeats"


def _detection(compared: StudyComparison, names: Mapping[str, str]) -> Table:
    body = [
        [names[one.arm], f"{one.labelled:,}", *with_intervals(*(getattr(found, name) for name in OF_YES))]
        for one in compared.arms
        if (found := one.confusion) is not None
    ]
    headings = [heading for name in OF_YES for heading in (name.replace("f1", "F1"), "")]
    return _table("Detection (95 % intervals)", ["arm", "of", *headings], body)


def with_intervals(*figures: Figure, to: str = "–") -> list[str]:
    """Return the value and the interval of each figure."""
    return [cell for figure in figures for cell in (decimal(figure.value, 3), between(figure.interval, to))]


def _flaws(compared: StudyComparison, names: Mapping[str, str]) -> Table:
    kinds, arms = compared.flaw_kinds, compared.arms if compared.flaw_kinds else ()
    body = [[*_arm(one, compared, names), *(f"{one.flaws.get(kind, 0):,}" for kind in kinds)] for one in arms]
    headings = [*_arm_headings(compared), *(WORDS[kind][1] for kind in kinds)]
    return _table("Flaws, over all that ended", headings, body)


def _cost(compared: StudyComparison, names: Mapping[str, str]) -> Table:
    labelled = ("USD/right", "tokens/right") if compared.is_labelled else ()
    each = (Column("USD each", is_number=True, least="page"), Column("tokens each", is_number=True, least="page"))
    headings = [*_arm_headings(compared), "calls", "tokens", "USD", *each, *labelled, "median s", "p90 s"]
    body = []
    for one in compared.arms:
        cells = [*_arm(one, compared, names), _count(one.calls), _tokens(one.tokens, one), _usd(one.usd, one)]
        cells += [_usd(one.usd_each, one), _tokens(one.tokens / one.n if one.n else None, one)]
        if labelled:
            cells += [_usd(one.usd_per_correct.value, one), _tokens(one.tokens_per_correct.value, one)]
        body.append([*cells, _seconds(one.seconds_median), _seconds(one.seconds_p90)])
    paid = cost_heading(rehearsal=compared.n > 0 and compared.rehearsals == compared.n)
    return _table(f"{paid.capitalize()}, and time", headings, body)


def _differences(compared: StudyComparison, names: Mapping[str, str]) -> Table:
    signed, body = _signed(compared.metric), []
    for one in compared.pairs:
        counts = (f"{one.rows:,}", f"{one.deliberations:,}")
        tested = (probability(one.p), probability(one.p_holm), one.test)
        body.append([names[one.arm], *counts, *_change(one.difference, one.interval, signed), *tested, _times(one)])
    beside = f"{names.get(compared.baseline, compared.baseline)} ({_BASELINES[compared.baseline_is]})"
    headings = ["arm", "rows", "n", "difference", "95 % interval", "p", "p (Holm)", "test", "cost"]
    return _table(f"{compared.metric}{_repeats(compared, compared.metric)} beside {beside}", headings, body)


def _change(value: float | None, sure: Interval | None, text: Callable[[float], str]) -> tuple[str, str]:
    return UNKNOWN if value is None else text(value), between(sure, " … ", text)


def _trends(compared: StudyComparison) -> Table:
    signed = "{:+,.3g}".format
    body = [
        [one.arm, f"{one.firings:,}", f"{one.days:,.2f}", f"{one.rows:,}", *_change(one.per_day, one.interval, signed)]
        for one in compared.trends
    ]
    headings = ["arm", "firings", "days", "rows", "change a day", "95 % interval"]
    return _table(f"{compared.metric} over time", headings, body)


def _measures(compared: StudyComparison, names: Mapping[str, str]) -> Iterator[Table]:
    """Yield a table for each measure of agreement of each protocol, and for each other one."""
    known = compared.measures
    others = {name for one in compared.arms for name in one.scores if "." not in name}
    for name in sorted(known if compared.is_labelled else others | set(known)):
        text = _share if name in known else number
        having = [(one, one.scores[name]) for one in compared.arms if name in one.scores]
        for protocol in sorted({one.protocol for one, _ in having}) if name in known else ("",):
            body = [
                [*_arm(one, compared, names), text(found.value), between(found.interval, text=text)]
                for one, found in having
                if protocol in {"", one.protocol}
            ]
            title = f"{name} ({': '.join(filter(None, (protocol, known[name])))})" if name in known else name
            yield _table(title + _repeats(compared, f"scores.{name}"), [*_arm_headings(compared), "mean", "95 %"], body)


def _arm_headings(compared: StudyComparison) -> tuple[str, ...]:
    """Return the first headings: the arm, and how many of its deliberations ended where some have not."""
    return ("arm", "ended") if compared.n < compared.planned else ("arm",)


def _arm(one: ArmFigures, compared: StudyComparison, names: Mapping[str, str]) -> tuple[str, ...]:
    return (names[one.arm], ended(one)) if compared.n < compared.planned else (names[one.arm],)


def ended(one: ArmFigures) -> str:
    """Return the number of ended deliberations, with the planned number while some are open."""
    return f"{one.n:,}" if not one.open else f"{one.n:,} of {one.planned:,}"


def _signed(metric: str) -> Callable[[float], str]:
    """Return how differences are written, with the digits that suit their unit."""
    text = _share if metric in {"accuracy", "accuracy_answered", "failed", *OF_YES} else number
    is_fine = text is _share or metric.startswith(("usd", "scores.", "seconds"))
    return (lambda change: "+" * (change >= 0) + text(change)) if is_fine else "{:+z,.1f}".format


def number(value: float | None) -> str:
    """Return a value of any scale with four digits, a large one whole."""
    if value is None:
        return UNKNOWN
    return f"{value:,.4g}" if abs(value) < _WHOLE else f"{value:,.0f}"


def _share(value: float | None) -> str:
    return decimal(value, 3)


def between(found: Interval | None, to: str = "–", text: Callable[[float], str] = _share) -> str:
    """Return both ends of an interval, with ``to`` between them."""
    return UNKNOWN if found is None else f"{text(found.low)}{to}{text(found.high)}"


def _count(value: float | None) -> str:
    if value is None:
        return UNKNOWN
    return f"{value:,.0f}" if value < _MANY else f"{value / 1e6:,.1f} M"


def _tokens(value: float | None, arm: ArmFigures) -> str:
    if not arm.calls_of_unknown_tokens:
        return _count(value)
    return f"≥ {_count(value)}" if value else UNKNOWN


def _usd(value: float | None, arm: ArmFigures) -> str:
    if value is None:
        return UNKNOWN
    shown = in_dollars(value).lstrip("$") if value < _DEAR else decimal(value, 2)
    return f"{'≥ ' if arm.is_lower_bound else ''}{shown}"


def _seconds(value: float | None) -> str:
    return decimal(value, 0 if value is not None and value >= _LONG else 1)


def _times(pair: Pair) -> str:
    """Return the cost of an arm as a multiple of the baseline's; of tokens where dollars are unknown."""
    ratio, unit = (pair.token_ratio, " tokens") if pair.usd_ratio is None else (pair.usd_ratio, "")
    if ratio is None:
        return UNKNOWN
    return (f"{ratio:.1g}x" if 0 < ratio < _TENTH else f"{ratio:,.{0 if ratio >= _SEVERAL else 1}f}x") + unit
