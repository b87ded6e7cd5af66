"""The result of a comparison: figures of arms, differences between arms, and their agreement."""

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from ledger.studies.reading import Progress
from protocols.flaws import KINDS, FlawKind
from protocols.model_call import FrozenModel
from studies.comparison.scoring import LabelRule

TestName = Literal["mcnemar", "permutation", "none"]
"""``mcnemar``: exact, on right and wrong with one deliberation per row. ``permutation``: arms swapped within rows.
``none``: a side has nothing to divide by."""

AGREEMENT_MEASURES: Mapping[str, str] = {
    "kendall_w": "Kendall's W of the ballots",
    "winner_share": "share of the most frequent answer",
    "accepting_share": "share of the debaters that accept in the end",
}
"""What protocols measure of their own agreement; no two, and no two protocols, may share an axis or a column."""


class Interval(FrozenModel):
    """A confidence interval of 95 %."""

    low: float
    high: float
    method: Literal["bca", "percentile", "exact"]
    """``bca``: bias-corrected accelerated bootstrap over rows. ``percentile``: plain bootstrap, where BCa is not
    defined or the rows are too many for it. ``exact``: Clopper-Pearson, for a share that is the same in every row."""


class Figure(FrozenModel):
    """A ratio of two sums over rows, and how sure it is."""

    value: float | None
    """``None``: nothing to divide by."""
    interval: Interval | None = None
    """``None`` where nothing varies or too little is there to draw from."""


NOTHING = Figure(value=None)


class Confusion(FrozenModel):
    """Hits and misses on rows with a positive or negative label; a missing answer flags nothing."""

    true_positives: int
    false_positives: int
    false_negatives: int
    true_negatives: int
    unanswered_negatives: int
    """Negative rows without an answer: wrong in accuracy and specificity, and no false alarm."""
    precision: Figure
    recall: Figure
    specificity: Figure
    f1: Figure


class ArmFigures(FrozenModel):
    """The figures of one arm."""

    arm: str
    protocol: str
    """Blank of a panel that several protocols asked."""
    planned: int
    """Deliberations of the study, repeats included."""
    n: int
    """Those that ended: completed, failed and missing together."""
    completed: int
    """Ended with a verdict."""
    failed: int
    """Ended without one."""
    missing: int
    """Ended without a line in the ledger, for example terminated."""
    degraded: int
    """Of the completed: something was lost or could not be used as it was meant."""
    flaws: dict[FlawKind, int] = Field(default_factory=dict)
    """By kind, over all that ended: refusals are counted apart from calls that were lost."""
    unreadable: int | None
    """Of the completed: no answer could be read, or the scorer gave no score; ``None`` where the study says nothing of
    how to read."""
    labelled: int
    """Deliberations of rows that have a label: what the accuracy divides by where repeats are added up."""
    labelled_rows: int
    """Those rows: what the accuracy divides by where their repeats are aggregated."""
    correct: int
    accuracy: Figure
    """Of the labelled; failed, missing and unreadable ones are wrong."""
    accuracy_answered: Figure
    """Of the labelled that have a readable answer."""
    confusion: Confusion | None
    """With labels that are positive or negative."""
    calls: int
    tokens: int
    usd: float | None
    """The known part; ``None`` when nothing is known."""
    calls_of_unknown_cost: int
    calls_of_unknown_tokens: int = 0
    """Answered calls of which the provider did not report all tokens."""
    unanswered_requests: int = 0
    """Of calls whose cost is known, the requests without an answer, which may be billed beside it."""
    usd_per_correct: Figure
    """Known dollars over all right answers: a lower bound, without an interval, while the cost of a call is unknown."""
    tokens_per_correct: Figure
    seconds_median: float | None
    """Of the completed."""
    seconds_p90: float | None
    failures: dict[str, int] = Field(default_factory=dict)
    """Stop reason to number, of the failed and the missing."""
    scores: dict[str, Figure] = Field(default_factory=dict)
    """Means of what the protocol measured."""
    alpha_repeats: float | None
    """Krippendorff's alpha (nominal) of the answers, the repeats being the coders."""
    alpha_rows: int = 0
    """Rows with two answers or more."""
    rankings_w: float | None
    """Councils: mean of Kendall's W of each one's rankings."""
    rankings: int = 0
    """The councils that have one."""

    @property
    def is_lower_bound(self) -> bool:
        """True if some of the cost is not known."""
        return self.calls_of_unknown_cost > 0

    @property
    def open(self) -> int:
        """Deliberations that did not end yet."""
        return self.planned - self.n

    @property
    def usd_each(self) -> float | None:
        """Known US dollars per deliberation."""
        return None if self.usd is None or not self.n else self.usd / self.n

    @property
    def known_tokens_each(self) -> float | None:
        """Tokens per deliberation; ``None`` where a call was answered without a count of them."""
        return None if self.calls_of_unknown_tokens or not self.n else self.tokens / self.n


class Pair(FrozenModel):
    """One arm beside the baseline, over the deliberations that both have, of dollars over those of known cost."""

    arm: str
    baseline: str
    rows: int
    deliberations: int
    """Of each of the two: those of which both have the same row and repeat."""
    arm_value: float | None
    baseline_value: float | None
    difference: float | None
    """The arm's value less the baseline's."""
    interval: Interval | None
    p: float | None
    """Two-sided; ``None`` where it is not defined."""
    p_holm: float | None
    """Corrected by Holm over all pairs that have a ``p``."""
    test: TestName
    usd_ratio: float | None = None
    """Dollars of the arm over those of the baseline; ``None`` where a cost is unknown or the baseline cost nothing."""
    token_ratio: float | None = None
    """The same of tokens."""
    only_arm: int | None = None
    """McNemar: rows that the arm alone has right."""
    only_baseline: int | None = None


class EqualCost(FrozenModel):
    """One arm beside the best mixture of the others that costs no more; see ``differences.equal_costs``."""

    arm: str
    cost: float
    """Of a deliberation on average."""
    unit: Literal["usd", "tokens"]
    accuracy: float
    others: float | None
    """The accuracy of the mixture; ``None`` where every other arm costs more."""
    shares: dict[str, float] = Field(default_factory=dict)
    """By arm, the share of the rows that the mixture asks it."""


class PositionBias(FrozenModel):
    """The share of pairs in which a judge preferred the same position in both orders."""

    pairs: int
    """Those of which both orders were read."""
    first: Figure
    second: Figure


class Agreement(FrozenModel):
    """The agreement between the arms."""

    alpha: float | None
    """Krippendorff's alpha (nominal) of the answers: a unit is a row and repeat, the coders are the arms."""
    alpha_units: int
    """Units with at least two answers."""
    scores_w: dict[str, float] = Field(default_factory=dict)
    """Score to Kendall's W: how far the arms put the rows in one order by it. Needs two arms and three rows."""
    scores_w_rows: dict[str, int] = Field(default_factory=dict)


class Trend(FrozenModel):
    """The change of one arm over the firings of a schedule: the slope of a straight line by least squares."""

    arm: str
    firings: int
    days: float
    """From the first to the last one."""
    rows: int
    """Those that every firing has."""
    per_day: float | None
    interval: Interval | None
    """Rows drawn together for all firings; ``None`` when nothing varies."""


Over = Literal["arms", "panels", "firings", "studies"]
"""What is side by side."""

BaselineIs = Literal["asked for", "cheapest", "fewest tokens", "fewest calls", "the first"]


class StudyComparison(FrozenModel):
    """The arms of a study, of several studies, or its panels side by side."""

    study: str
    """Its name, or that of the schedule; of several studies all names, with commas between them."""
    over: Over = "arms"
    rows: int
    """Rows of the dataset of which at least one deliberation ended."""
    planned: int
    """Deliberations of the study."""
    n: int
    """Those that ended."""
    rehearsals: int
    """Deliberations of scripted models: they measure the machinery, not the models."""
    rule: LabelRule | None
    over_repeats: str | None = None
    """How the repeats of a row were aggregated: ``mean``, ``mode``, ``max`` or ``pass@K``; ``None``: added up."""
    score: str | None = None
    """The scorer in place of the study's own labels."""
    rehearsed_scores: int = 0
    """Scores of that scorer by scripted models."""
    position: PositionBias | None = None
    """Of the judge, where the scorer compares pairs."""
    not_started: dict[str, int] = Field(default_factory=dict)
    """Arms of which nothing ended yet, and how many deliberations each has."""
    unreadable_labels: int
    """Deliberations of rows whose label cannot be read by the rule; they count as unlabelled."""
    arms: tuple[ArmFigures, ...]
    metric: str
    """What the pairs compare."""
    baseline: str
    """An arm, or the study whose arms of the same name the others are compared with."""
    baseline_is: BaselineIs
    pairs: tuple[Pair, ...]
    left_out: dict[str, int] = Field(default_factory=dict)
    """Study to rows, or arm to deliberations, that are in no figure, because the others lack them."""
    trends: tuple[Trend, ...] = ()
    """Of three firings and more."""
    equal_costs: tuple[EqualCost, ...] = ()
    """Of two arms and more that have an accuracy; none of one that takes all repeats of a row: it costs all of them."""
    agreement: Agreement
    seed: int
    """Of every interval and test."""

    @property
    def progress(self) -> Progress:
        """The deliberations by state, when the figures were read."""
        completed, failed = sum(arm.completed for arm in self.arms), sum(arm.failed for arm in self.arms)
        return Progress(total=self.planned, completed=completed, failed=failed, missing=self.n - completed - failed)

    @property
    def flaw_kinds(self) -> tuple[FlawKind, ...]:
        """The kinds of flaws that occurred in any arm."""
        return tuple(kind for kind in KINDS if any(one.flaws.get(kind) for one in self.arms))

    @property
    def measures(self) -> dict[str, str]:
        """The measures of agreement that the protocols of this study have, with a description of each."""
        found = {name for one in self.arms for name in one.scores}
        return {name: words for name, words in AGREEMENT_MEASURES.items() if name in found}

    @property
    def is_labelled(self) -> bool:
        """True if any deliberation has a label."""
        return any(one.labelled for one in self.arms)
