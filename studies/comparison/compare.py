"""A study's arms side by side, from its deliberations and its label rule."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import fsum
from typing import Any

import numpy as np

from parley.errors import RequestError
from protocols.flaws import total
from studies.comparison.agreement import alpha, kendall_w
from studies.comparison.differences import compare_pairs, equal_costs
from studies.comparison.metrics import METRICS, SCORES, Metric, OverRepeats, by_row, metric, score, sums
from studies.comparison.model import NOTHING, Agreement, ArmFigures, BaselineIs, Confusion, Figure, StudyComparison
from studies.comparison.resampling import interval
from studies.comparison.scoring import OF_YES, LabelRule, ScoredRow, grouped

_DEFAULT_SEED = 7
_LARGEST_SEED = 2**63

_SAME_EVERYWHERE = frozenset({"falsehood"})
"""Scores that mean the same in every protocol that has them; ``rounds``, for one, does not."""
_COUNTS = frozenset({"asked", "cast", "abstained", "tied", "layers"})
"""What is counted while a vote is taken: it puts rows in no order."""
_RANKINGS_W = "kendall_w"
_SUMMED = ("calls", "tokens", "calls_of_unknown_cost", "calls_of_unknown_tokens", "unanswered_requests")
_FIGURES = ("accuracy", "accuracy_answered", "usd_per_correct", "tokens_per_correct")
_FIRST: BaselineIs = "the first"


def compare_scored(
    study: str,
    marks: Iterable[ScoredRow],
    content: Mapping[str, Any],
    *,
    baseline: str | None = None,
    of: str | None = None,
    beside: Mapping[str, str] | None = None,
    over_repeats: OverRepeats | None = None,
) -> StudyComparison:
    """Return every arm's figures, and every other arm beside the baseline.

    Args:
        study: Its name.
        marks: Its deliberations, in any order; a scored row holds no text.
        content: The study's content; its ``label`` says how answers are read, its ``seed`` seeds every draw.
        baseline: The arm that the others are compared with; by default the cheapest that has a value of the metric.
        of: The metric of the pairs; by default ``accuracy``, or ``tokens`` where nothing is labelled.
        beside: Arm to the arm it is compared with, in place of one baseline for all.
        over_repeats: The aggregation of a row's repeats, for right and wrong and for the metric of the pairs.
    """
    rule, every = LabelRule.of(content), sorted(marks, key=lambda one: (one.arm, one.row_id, one.repeat))
    entries = _ended(study, every)
    planned, by_arm = Counter(one.arm for one in every), grouped(entries, lambda one: one.arm)
    wanted, seed = _wanted(of, entries, rule), seed_of(content)
    metrics = {**METRICS, wanted.name: wanted, **(over_repeats.aggregated(wanted, by_arm) if over_repeats else {})}
    arms = tuple(_figures(ended, rule, metrics, seed, planned[arm]) for arm, ended in by_arm.items())
    able = [a for a in arms if a.completed and sums(by_arm[a.arm], metrics[wanted.name]).denominators.any()] or arms
    chosen, chosen_is = (baseline or "", _FIRST) if beside else _baseline(arms, baseline, able)
    return StudyComparison(
        study=study,
        rows=len({one.row_id for one in entries}),
        planned=len(every),
        n=len(entries),
        not_started={arm: number for arm, number in sorted(planned.items()) if arm not in by_arm},
        rehearsals=sum(entry.rehearsal for entry in entries),
        rule=rule,
        unreadable_labels=sum(entry.label_unreadable for entry in entries),
        arms=arms,
        metric=wanted.name,
        over_repeats=over_repeats.name if over_repeats else None,
        baseline=chosen,
        baseline_is=chosen_is,
        pairs=compare_pairs(by_arm, beside or chosen, metrics[wanted.name], seed),
        equal_costs=() if over_repeats and over_repeats.name in {"mode", "max"} else equal_costs(arms),
        agreement=_agreement(by_arm, rule),
        seed=seed,
    )


def _ended(study: str, every: Sequence[ScoredRow]) -> list[ScoredRow]:
    entries = [one for one in every if one.status != "open"]
    if not entries:
        raise RequestError(f"no deliberation of {study!r} has ended yet, so there is nothing to compare")
    return entries


def _wanted(of: str | None, entries: Sequence[ScoredRow], rule: LabelRule | None) -> Metric:
    if of in OF_YES and not (rule is not None and rule.is_binary):
        raise RequestError(f"{of} takes labels that are yes or no; choose another metric, for example accuracy")
    usual = "accuracy" if any(entry.expected is not None for entry in entries) else "tokens"
    return metric(of or usual, (name for one in entries for name in one.scores))


def seed_of(content: Mapping[str, Any]) -> int:
    """Return the seed of every interval and test of the study with this content."""
    value = content.get("seed")
    return value % _LARGEST_SEED if isinstance(value, int) else _DEFAULT_SEED


def _figures(
    entries: Sequence[ScoredRow], rule: LabelRule | None, metrics: Mapping[str, Metric], seed: int, planned: int
) -> ArmFigures:
    completed = [entry for entry in entries if entry.is_completed]
    known = [entry.cost_usd for entry in entries if entry.cost_usd is not None]
    seconds = [entry.seconds for entry in completed if entry.seconds is not None]
    statuses = Counter(entry.status for entry in entries)
    measured = sorted({name for entry in entries for name in entry.scores})
    rankings = [entry.scores[_RANKINGS_W] for entry in completed if _RANKINGS_W in entry.scores]
    repeated = _answers(entries, lambda one: one.row_id, rule)
    figures: dict[str, Any] = {name: figure_of(entries, metrics[name], seed) for name in _FIGURES}
    figures |= {name: sum(getattr(entry, name) for entry in entries) for name in _SUMMED}
    return ArmFigures(
        arm=entries[0].arm,
        protocol=entries[0].protocol if len({entry.protocol for entry in entries}) == 1 else "",
        planned=planned,
        n=len(entries),
        completed=len(completed),
        failed=statuses["failed"],
        missing=statuses["missing"],
        degraded=sum(entry.degraded for entry in completed),
        flaws=total(entry.flaws for entry in entries),
        unreadable=None if rule is None else sum(entry.unread for entry in completed),
        labelled=sum(entry.expected is not None for entry in entries),
        labelled_rows=len({entry.row_id for entry in entries if entry.expected is not None}),
        correct=sum(entry.correct for entry in entries),
        confusion=_confusion(entries, seed) if rule is not None and rule.is_binary else None,
        usd=fsum(known) if known else None,
        seconds_median=float(np.quantile(seconds, 0.5)) if seconds else None,
        seconds_p90=float(np.quantile(seconds, 0.9)) if seconds else None,
        failures=dict(sorted(Counter(entry.stop_reason for entry in entries if not entry.is_completed).items())),
        scores={name: figure_of(entries, metrics.get(SCORES + name, score(name)), seed) for name in measured},
        alpha_repeats=alpha(repeated),
        alpha_rows=sum(len(said) > 1 for said in repeated),
        rankings_w=fsum(rankings) / len(rankings) if rankings else None,
        rankings=len(rankings),
        **figures,
    )


def figure_of(entries: Sequence[ScoredRow], of: Metric, seed: int) -> Figure:
    """Return the figure ``of`` these deliberations; a lower bound without an interval where a cost is unknown."""
    counted = sums(entries, of)
    if not counted.denominators.any():
        return NOTHING
    if not all(map(of.is_known, entries)):
        return Figure(value=counted.ratio) if counted.numerators.any() else NOTHING
    return Figure(value=counted.ratio, interval=interval(counted, seed, is_share=of.is_share))


def _confusion(entries: Sequence[ScoredRow], seed: int) -> Confusion | None:
    marks = Counter((e.expected, e.answer) for e in entries if e.expected is not None)
    if not marks:
        return None
    return Confusion(
        true_positives=marks["yes", "yes"],
        false_positives=marks["no", "yes"],
        false_negatives=marks["yes", "no"] + marks["yes", None],
        true_negatives=marks["no", "no"],
        unanswered_negatives=marks["no", None],
        **{name: figure_of(entries, METRICS[name], seed) for name in OF_YES},
    )


def _baseline(arms: Sequence[ArmFigures], asked: str | None, able: Sequence[ArmFigures]) -> tuple[str, BaselineIs]:
    """Return the requested arm, else the cheapest ``able`` one, by tokens where costs are unknown, else by calls."""
    if asked is not None:
        if asked not in {one.arm for one in arms}:
            raise RequestError(
                f"there is no arm {asked!r} in this study; its arms are {', '.join(a.arm for a in arms)}"
            )
        return asked, "asked for"
    is_priced = all(one.usd is not None and not one.is_lower_bound for one in able) and any(one.usd for one in able)
    if is_priced:
        return min(able, key=lambda one: (one.usd_each or 0.0, one.arm)).arm, "cheapest"
    if counted := [(each, one.arm) for one in able if (each := one.known_tokens_each) is not None]:
        return min(counted)[1], "fewest tokens"
    return min(able, key=lambda one: (one.calls / one.n, one.arm)).arm, "fewest calls"


def _answers(entries: Iterable[ScoredRow], unit: Any, rule: LabelRule | None) -> list[list[str]]:
    """Return the answers by ``unit``; none where each is a whole text."""
    is_text = rule is not None and rule.read == "contains"
    said = grouped((entry for entry in entries if entry.answer is not None and not is_text), unit)
    return [[entry.answer for entry in of if entry.answer is not None] for of in said.values()]


def _agreement(by_arm: Mapping[str, Sequence[ScoredRow]], rule: LabelRule | None) -> Agreement:
    everything = [entry for entries in by_arm.values() for entry in entries]
    units = _answers(everything, lambda one: (one.row_id, one.repeat), rule)
    shared = set.intersection(*({name for one in entries for name in one.scores} for entries in by_arm.values()))
    names = sorted(shared - _COUNTS)
    if len({entry.protocol for entry in everything}) > 1:
        names = [name for name in names if name in _SAME_EVERYWHERE]
    measured = {name: _ratings(by_arm, name) for name in names}
    agreement = {name: found for name, (ratings, _) in measured.items() if (found := kendall_w(ratings)) is not None}
    return Agreement(
        alpha=alpha(units),
        alpha_units=sum(len(said) > 1 for said in units),
        scores_w=agreement,
        scores_w_rows={name: measured[name][1] for name in agreement},
    )


def _ratings(by_arm: Mapping[str, Sequence[ScoredRow]], name: str) -> tuple[list[list[float]], int]:
    """Return for each arm the mean score of every row that all arms share, and the number of these rows."""
    every = (by_row(entries, score(name)) for entries in by_arm.values())
    means = [{row: above / below for row, (above, below) in one.items()} for one in every]
    rows = sorted(set.intersection(*(set(one) for one in means)))
    return [[one[row] for row in rows] for one in means], len(rows)
