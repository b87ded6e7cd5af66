"""The scores of a study as tables: scorers, means by arm, preferences, strengths and agreement."""

from collections import Counter
from collections.abc import Iterator
from math import inf
from typing import get_args

from ledger.studies.scores import Outcome
from protocols.cost_text import cost
from protocols.plurals import counted
from protocols.tables import UNKNOWN, Cell, Note, Table, columns, decimal, probability, rows
from studies.comparison.tables import position_remark, with_intervals
from studies.scores.strengths import FEWEST_PER_ARM
from studies.scores.summary import PreferenceFigures, ScoreReport, ScorerSummary

_MOST_CLASSES = 12
"""Of a table of two scorers that a page shows."""
_SMALL_P = 0.05
_OUTCOMES = get_args(Outcome)
Row = list[str | Cell]


def score_tables(report: ScoreReport) -> list[Table]:
    """Return every table that has rows."""
    tables = [_scorers(report)]
    for one in report.scorers:
        tables += _arms(one)
        tables += _pairs(one) if one.preferences else []
    tables += _agreement(report)
    return [table for table in tables if table.rows]


def _scorers(report: ScoreReport) -> Table:
    headings = ("scorer", "kind", *_OUTCOMES, "calls", "tokens", "cost")
    body: list[Row] = []
    for one in report.scorers:
        counts = [f"{one.outcomes.get(name, 0):,}" for name in _OUTCOMES]
        bound = "≥ " * bool(one.calls_of_unknown_cost)
        paid = UNKNOWN if one.cost_usd is None else cost(f"{bound}${decimal(one.cost_usd, 4)}", rehearsal=one.rehearsal)
        body.append([one.scorer, one.kind, *counts, f"{one.calls:,}", f"{one.tokens:,}", paid])
    notes = tuple(Note(note, "warning") for one in report.scorers for note in one.notes)
    return Table("Scorers", columns(*headings, right=headings[2:]), rows(body), notes)


def _arms(scorer: ScorerSummary) -> Iterator[Table]:
    read = sum((Counter(one.classes) for one in scorer.arms), Counter[str]())
    if read:
        yield _classes(scorer, read)
    if read and all(one.mean.value is one.share_right.value is None for one in scorer.arms):
        return
    way, is_right = scorer.over_repeats, any(one.share_right.value is not None for one in scorer.arms)
    of_rows = f" ({way})" if way else ""
    mean, right = ("mean", f"accuracy{of_rows}") if is_right else (f"mean{of_rows}", "accuracy")
    headings = ("arm", "looked at", "scored", mean, "95 %", right, "of", "95 %")
    body = []
    for one in scorer.arms:
        counts = (f"{one.n:,}", f"{one.outcomes.get('scored', 0):,}")
        *figures, sure = with_intervals(one.mean, one.share_right, to=" to ")
        body.append([one.arm, *counts, *figures, f"{one.judged:,}" if is_right else UNKNOWN, sure])
    yield Table(f"Scores by {scorer.scorer}", columns(*headings, right=headings[1:]), rows(body))


def _classes(scorer: ScorerSummary, read: Counter[str]) -> Table:
    """Return how often each class was read, of many the most frequent ones."""
    names = [name for name, _ in read.most_common(_MOST_CLASSES)]
    headings = ("arm", "scored", *names)
    body: list[Row] = []
    for one in scorer.arms:
        counts = (one.outcomes.get("scored", 0), *(one.classes.get(name, 0) for name in names))
        body.append([one.arm, *(f"{count:,}" for count in counts)])
    return Table(f"Classes by {scorer.scorer}", columns(*headings, right=headings[1:]), rows(body))


def _pairs(scorer: ScorerSummary) -> Iterator[Table]:
    found = scorer.preferences
    if found is None:
        return
    headings = ("arm", "preferred to", "pairs", "win rate", "95 %", "inconsistent", "unread")
    body = []
    for one in found.rates:
        flawed = (f"{one.inconsistent:,}", f"{one.unread:,}")
        body.append([one.arm, one.other, f"{one.preferences:,}", *with_intervals(one.rate, to=" to "), *flawed])
    notes = tuple(Note(line) for line in _remarks(found))
    yield Table(f"Preferences by {scorer.scorer}", columns(*headings, right=headings[2:]), rows(body), notes)
    even = [
        [one.arm, one.other, *with_intervals(one.controlled, to=" to ")]
        for one in found.rates
        if one.controlled.value is not None
    ]
    at_equal = columns(*headings[:2], *headings[3:5], right=headings[3:5])
    yield Table(f"Preferences by {scorer.scorer}, at equal length", at_equal, rows(even))
    if found.strengths is not None:
        strongest = [
            [one.arm, f"{one.strength:+.3f}", f"{one.low:+.3f} to {one.high:+.3f}"] for one in found.strengths.arms
        ]
        least = found.strengths.least_p
        few = f"; so few rows allow no p below {probability(least)}" if least > _SMALL_P else ""
        equal = f"all equal: score test {found.strengths.statistic:.2f}, p {probability(found.strengths.p)}{few}"
        heads = columns("arm", "strength", "95 %", right=("strength", "95 %"))
        said = (Note(equal), Note("Bradley and Terry's model, in logits; intervals over rows."))
        yield Table(f"Strengths by {scorer.scorer}", heads, rows(strongest), said)


def _remarks(found: PreferenceFigures) -> Iterator[str]:
    yield "A tie is half a win; a pair whose two orders contradict each other is a tie."
    yield position_remark(found.position)
    if found.length_bias is not None:
        bias = found.length_bias
        yield (
            f"length: {bias.coefficient:+.3f} logits a standard deviation ({bias.low:+.3f} to {bias.high:+.3f}), "
            f"p {probability(bias.p)}"
        )
    if found.has_few:
        read = counted(found.position.pairs, "pair")
        yield f"length: too few pairs for its effect: {read}, and it takes {FEWEST_PER_ARM} for each arm"
    if found.strengths is None:
        is_tied = all(one.rate.value in {None, 0.5} for one in found.rates)
        why = "no pair has a winner" if is_tied else "an arm was never preferred to some of the others, or always"
        yield f"no strengths: {why}"


def _agreement(report: ScoreReport) -> Iterator[Table]:
    headings = ("scorer", "other", "both", "same", "kappa", "alpha", "rank correlation", "difference")
    body = []
    for one in report.agreement:
        figures = (one.same, one.kappa, one.alpha, one.rank_correlation, one.mean_difference)
        body.append([one.first, one.second, f"{one.n:,}", *(decimal(value, 3) for value in figures)])
    yield Table("Agreement of scorers", columns(*headings, right=headings[2:]), rows(body))
    for one in report.agreement:
        names = sorted({cell.first for cell in one.table} | {cell.second for cell in one.table}, key=_by_size)
        if 1 < len(names) <= _MOST_CLASSES:
            counts = {(cell.first, cell.second): cell.n for cell in one.table}
            lines = [[name, *(f"{counts.get((name, other), 0):,}" for other in names)] for name in names]
            title, heads = f"{one.first} (rows) and {one.second} (columns)", columns(one.first, *names, right=names)
            yield Table(title, heads, rows(lines), least="page")


def _by_size(name: str) -> tuple[float, str]:
    try:
        return float(name), name
    except ValueError:
        return inf, name
