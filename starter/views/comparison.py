"""A study's arms side by side on a screen of a hundred columns: quality, cost, differences, agreement, and notes.

A name that is too long for its column is cut in the middle, and the whole of it stands in the legend.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from protocols.cost_text import cost_heading
from protocols.flaws import WORDS
from protocols.visible_text import one_line
from starter.views.progress import rehearsal_label
from studies.comparison.model import Agreement, ArmFigures, Figure, Interval, Pair, StudyComparison

WIDTH = 100
"""Columns that every table fits."""

_NAME = 18
_SHORT_NAME = 12
"""Where deliberations are missing, the tables have more to say."""
_REASON = 60
_UNKNOWN = "–"
_LEAST_P = 0.001
_MANY, _DEAR, _LONG = 10_000_000, 100, 10_000
"""From here on tokens are told in millions, dollars in cents, and seconds whole."""

_Names = Mapping[str, str]


def comparison(compared: StudyComparison, notes: Sequence[str]) -> RenderableType:
    """Every table that has something to show, and ``notes`` below. Rehearsals have their label on top."""
    is_whole = compared.n == compared.planned and not any(one.lost for one in compared.arms)
    names = short([one.arm for one in compared.arms], _NAME if is_whole else _SHORT_NAME)
    parts: list[RenderableType] = [rehearsal_label()] if compared.rehearsals else []
    parts += [Text(one_line(_headline(compared), width=WIDTH), style="bold"), _quality(compared, names)]
    parts += [_binary(compared, names)] if any(one.confusion for one in compared.arms) else []
    parts += [_flaws(compared, names)] if any(one.flaws for one in compared.arms) else []
    parts.append(_cost(compared, names))
    parts += [_pairs(compared, names)] if compared.pairs else []
    parts += _scores(compared, names)
    parts += [Text(line) for line in (*_agreement(compared.agreement), *_own_agreement(compared, names))]
    parts += [Text(line) for line in _failures(compared, names)]
    parts += [Text(line, style="dim") for line in _legend(names)]
    parts += [Text(f"· {note}", style="dim") for note in notes]
    return Group(*parts)


def short(names: Sequence[str], width: int = _NAME) -> dict[str, str]:
    """Each name in at most ``width`` characters, cut in the middle, no two alike."""
    found: dict[str, str] = {}
    for name in names:
        plain = one_line(name, width=10_000)
        told, number = _cut(plain, width), 2
        while told in found.values():
            told, number = f"{_cut(plain, width - len(f'~{number}'))}~{number}", number + 1
        found[name] = told
    return found


def _cut(name: str, width: int) -> str:
    if len(name) <= width:
        return name
    head = (width - 1) // 2
    return f"{name[:head]}…{name[head + 1 - width :]}"


def _headline(compared: StudyComparison) -> str:
    ended = f"{compared.n:,}" if compared.n == compared.planned else f"{compared.n:,} of {compared.planned:,}"
    return f"{compared.study}: {len(compared.arms)} arms, {compared.rows:,} rows, {ended} deliberations ended"


def _quality(compared: StudyComparison, names: _Names) -> Table:
    lost = ("lost",) if any(one.lost for one in compared.arms) else ()
    table = _table("quality", "arm", "ended", "held", "failed", *lost, "degraded", "unread.")
    if compared.is_labelled:
        _add(table, "accuracy", "of", "95 %", "answered")
    for one in compared.arms:
        unreadable = _UNKNOWN if one.unreadable is None else f"{one.unreadable:,}"
        counts = (one.held, one.failed, *((one.lost,) if lost else ()), one.degraded)
        cells = [_ended(one), *(f"{count:,}" for count in counts), unreadable]
        if compared.is_labelled:
            cells += [_share(one.accuracy.value), f"{one.labelled:,}"]
            cells += [_between(one.accuracy.interval), _share(one.accuracy_answered.value)]
        table.add_row(Text(names[one.arm]), *cells)
    return table


def _flaws(compared: StudyComparison, names: _Names) -> Table:
    """How often each kind of flaw occurred, in every arm."""
    kinds = compared.flaw_kinds
    table = _table("flaws, over all that ended", *_arm_headings(compared), *(WORDS[kind][1] for kind in kinds))
    for one in compared.arms:
        table.add_row(*_arm_cells(one, compared, names), *(_count(one.flaws.get(kind, 0)) for kind in kinds))
    return table


def _binary(compared: StudyComparison, names: _Names) -> Table:
    table = _table("what was found (95 % intervals)", "arm", "of", "precision", "", "recall", "", "F1", "")
    for one in compared.arms:
        if one.confusion is not None:
            told = (one.confusion.precision, one.confusion.recall, one.confusion.f1)
            cells = (cell for figure in told for cell in _with_interval(figure))
            table.add_row(Text(names[one.arm]), f"{one.labelled:,}", *cells)
    return table


def _with_interval(figure: Figure) -> tuple[str, str]:
    return _share(figure.value), _between(figure.interval)


def _cost(compared: StudyComparison, names: _Names) -> Table:
    paid = cost_heading(rehearsal=compared.n > 0 and compared.rehearsals == compared.n)
    table = _table(f"{paid}, and time", *_arm_headings(compared), "calls", "tokens", "USD")
    if compared.is_labelled:
        _add(table, "USD/right", "tokens/right")
    _add(table, "median s", "p90 s")
    for one in compared.arms:
        cells = [_count(one.calls), _count(one.tokens), _usd(one.usd, one)]
        if compared.is_labelled:
            cells += [_usd(one.usd_per_correct.value, one), _count(one.tokens_per_correct.value)]
        table.add_row(
            *_arm_cells(one, compared, names), *cells, _seconds(one.seconds_median), _seconds(one.seconds_p90)
        )
    return table


def _pairs(compared: StudyComparison, names: _Names) -> Table:
    title = f"{compared.metric} beside {names[compared.baseline]} ({_chosen(compared)})"
    table = _table(title, "arm", "rows", "n", "difference", "95 % interval", "p", "p (Holm)", "test")
    for one in compared.pairs:
        told = _signed(compared.metric, [one.difference, *_ends(one)])
        between = f"{told[1]} … {told[2]}" if one.interval else _UNKNOWN
        cells = (f"{one.rows:,}", f"{one.deliberations:,}", told[0])
        table.add_row(Text(names[one.arm]), *cells, between, _p(one.p), _p(one.p_holm), one.test)
    return table


def _chosen(compared: StudyComparison) -> str:
    return {"asked for": "as asked for", "cheapest": "the cheapest arm", "fewest tokens": "fewest tokens"}[
        compared.baseline_is
    ]


def _ends(pair: Pair) -> list[float | None]:
    return [pair.interval.low, pair.interval.high] if pair.interval else [None, None]


def _signed(metric: str, values: Sequence[float | None]) -> list[str]:
    """Differences in the digits that their unit wants."""
    spec = "+,.4g" if metric.startswith(("usd", "scores.")) else "+,.1f"
    spec = "+.3f" if metric in {"accuracy", "accuracy_answered", "precision", "recall", "f1", "failed"} else spec
    return [_UNKNOWN if value is None else format(value, spec) for value in values]


def _measured(compared: StudyComparison) -> list[str]:
    """The scores that are shown as means: few and not one for each seat."""
    names = sorted({name for one in compared.arms for name in one.scores if "." not in name})
    return [] if compared.is_labelled else names


def _scores(compared: StudyComparison, names: _Names) -> list[RenderableType]:
    """Return a table for each measure: two measures share no column, because none of them is another."""
    tables: list[RenderableType] = []
    for name in _measured(compared):
        table = _table(name, *_arm_headings(compared), "mean", "95 %")
        for one in compared.arms:
            if (figure := one.scores.get(name)) is not None:
                cells = (_number(figure.value), _between(figure.interval, _number))
                table.add_row(*_arm_cells(one, compared, names), *cells)
        tables.append(table)
    return tables


def _agreement(found: Agreement) -> Iterator[str]:
    if found.alpha is not None:
        yield f"agreement of the arms' answers: alpha {found.alpha:.3f} over {found.alpha_units:,} rows and repeats"
    for name, value in found.scores_w.items():
        yield f"agreement of the arms on {name}: Kendall's W {value:.3f} over {found.scores_w_rows[name]:,} rows"


def _own_agreement(compared: StudyComparison, names: _Names) -> Iterator[str]:
    for one in compared.arms:
        if one.alpha_repeats is not None:
            yield f"agreement of the repeats of {names[one.arm]}: alpha {one.alpha_repeats:.3f}"
        if one.rankings_w is not None:
            yield f"agreement of the rankings of {names[one.arm]}: mean Kendall's W {one.rankings_w:.3f}"


def _failures(compared: StudyComparison, names: _Names) -> Iterator[str]:
    for one in compared.arms:
        if one.failures:
            told = ", ".join(f"{one_line(reason, width=_REASON)} {n:,}" for reason, n in one.failures.items())
            yield f"failed in {names[one.arm]}: {told}"


def _legend(names: _Names) -> Iterator[str]:
    cut = {told: one_line(name, width=10_000) for name, told in names.items()}
    return (f"{told} = {name}" for told, name in cut.items() if told != name)


def _table(title: str, *headings: str) -> Table:
    table = Table(box=box.SIMPLE, title=Text(one_line(title, width=WIDTH)), title_justify="left", padding=(0, 1, 0, 0))
    table.add_column(headings[0], no_wrap=True)
    _add(table, *headings[1:])
    return table


def _add(table: Table, *headings: str) -> None:
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)


def _arm_headings(compared: StudyComparison) -> tuple[str, ...]:
    """Return the first headings of a table: the arm, and how many of it ended where some have not."""
    return ("arm", "ended") if compared.n < compared.planned else ("arm",)


def _arm_cells(one: ArmFigures, compared: StudyComparison, names: _Names) -> tuple[Text, ...]:
    name = Text(names[one.arm])
    return (name, Text(_ended(one))) if compared.n < compared.planned else (name,)


def _ended(one: ArmFigures) -> str:
    """Return how many ended, and of how many where some did not."""
    return f"{one.n:,}" if not one.open else f"{one.n:,} of {one.planned:,}"


def _share(value: float | None) -> str:
    return _UNKNOWN if value is None else f"{value:.3f}"


def _number(value: float | None) -> str:
    return _UNKNOWN if value is None else f"{value:,.4g}"


def _between(found: Interval | None, told: Callable[[float | None], str] = _share) -> str:
    return _UNKNOWN if found is None else f"{told(found.low)}–{told(found.high)}"


def _count(value: float | None) -> str:
    if value is None:
        return _UNKNOWN
    return f"{value:,.0f}" if value < _MANY else f"{value / 1e6:,.1f} M"


def _usd(value: float | None, arm: ArmFigures) -> str:
    if value is None:
        return _UNKNOWN
    return f"{'≥ ' if arm.is_lower_bound else ''}{value:,.{4 if value < _DEAR else 2}f}"


def _seconds(value: float | None) -> str:
    return _UNKNOWN if value is None else f"{value:,.{1 if value < _LONG else 0}f}"


def _p(value: float | None) -> str:
    if value is None:
        return _UNKNOWN
    return f"< {_LEAST_P}" if value < _LEAST_P else f"{value:.3f}"
