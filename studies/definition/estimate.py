"""Estimates of the cost of each deliberation, so that the budget can reserve it.

Reserved is the middle between the low and the high end of ``estimates``, in tokens and, as far as prices are known, in
dollars: the low end would let too many begin under a cap, the high end would leave most of a budget idle. Further calls
of a turn are rare, so they raise the high end and not the reservation. A scripted model is estimated at the price of
the one whose name it has. A model without a price adds nothing to the reservation: its name is listed, and the
dollars are marked as the least.

Rows of nearly the same length are estimated alike.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from math import fsum
from typing import NamedTuple

from parley.call_plans import Range, text_tokens, with_files
from parley.estimates import Dollars, Estimate, ModelEstimate, Price, Total, by_name, estimate_calls
from parley.options.budget import BudgetOptions
from parley.turns import read_turns, text_of
from protocols.attachments import attached_tokens
from protocols.model_call import ModelId
from protocols.study.model import Amount, sum_amounts
from studies.definition.column_mapping import StudyRow
from studies.definition.grid import Arm

_FINE, _COARSE = 256, 4096
"""Bytes by which lengths differ that are estimated alike, below and above ``_LONG``."""
_LONG = 8192
_DECIMALS = 12


class EstimateRange(NamedTuple):
    """The ends between which tokens and dollars lie, further calls included."""

    tokens: Range
    usd: Dollars | None
    """``None``: no price is known; without a high end where the price of a model is not."""
    unpriced: int
    """Models without a price."""
    known_most: float
    """The high end of the dollars of those that have one."""


class StudyEstimate(NamedTuple):
    """The estimate of a whole study."""

    deliberations: dict[str, int]
    """By arm."""
    amount: Amount
    by_arm: dict[str, Amount]
    unpriced: tuple[ModelId, ...]
    """Models whose price is unknown: the dollars are those of the others."""
    ranges: dict[str, EstimateRange]
    """By arm."""
    range: EstimateRange

    @property
    def least(self) -> Amount:
        """The low end of what is known."""
        return Amount(usd=self.range.usd.low if self.range.usd else 0.0, tokens=self.range.tokens.low)

    @property
    def most(self) -> Amount:
        """The high end of what is known."""
        return Amount(usd=self.range.known_most, tokens=self.range.tokens.high)


class RowLength(NamedTuple):
    """The length of a row, as far as estimates differ by it."""

    turns: tuple[int, ...]
    """Bytes of the questions, each rounded up; a deliberation answers each."""
    files: int = 0
    """Tokens of the attached files."""
    before: int = 0
    """Bytes of the conversation before the questions, rounded up."""


class StudyEstimator:
    """Estimates of the deliberations of a study."""

    def __init__(self, arms: Iterable[Arm], price: Price) -> None:
        self._arms = {arm.name: arm for arm in arms}
        self._price = by_name(price)
        self._known: dict[tuple[str, RowLength], tuple[Amount, EstimateRange]] = {}
        self._unpriced: dict[ModelId, None] = {}
        self._lengths: Counter[RowLength] = Counter()

    def of(self, arm: Arm, row: StudyRow) -> Amount:
        """Return the amount to reserve for one deliberation."""
        return self._alike(arm, _length(row))[0]

    def each(self, arm: Arm) -> Amount:
        """Return the mean amount of ``arm`` over the counted rows; its dollars are 0 where a price is unknown."""
        alone = StudyEstimator([arm], self._price)
        rows = self._lengths.total()
        whole = alone._sum(arm, self._lengths)
        return Amount(usd=0.0 if alone._unpriced else whole.usd / rows, tokens=whole.tokens // rows)

    def with_arms(self, arms: Iterable[Arm]) -> "StudyEstimator":
        """Return the estimates of the same rows for other arms."""
        other = StudyEstimator(arms, self._price)
        other._lengths = self._lengths.copy()
        return other

    def count(self, row: StudyRow) -> None:
        """Count ``row`` in for ``total``."""
        self._lengths[_length(row)] += 1

    def total(self, repeats: int) -> StudyEstimate:
        """Return the estimate of all counted rows, in every arm, so many times."""
        times = Counter({length: rows * repeats for length, rows in self._lengths.items()})
        return self._total(dict.fromkeys(self._arms, times))

    def total_of(self, deliberations: Iterable[tuple[str, StudyRow]]) -> StudyEstimate:
        """Return the estimate of these deliberations, each an arm and a row."""
        times: dict[str, Counter[RowLength]] = {name: Counter() for name in self._arms}
        for arm, row in deliberations:
            times[arm][_length(row)] += 1
        return self._total(times)

    def _total(self, times: Mapping[str, Counter[RowLength]]) -> StudyEstimate:
        by_arm = {name: self._sum(arm, times[name]) for name, arm in self._arms.items()}
        ranges = {name: self._range(arm, times[name]) for name, arm in self._arms.items()}
        counted = {name: of_arm.total() for name, of_arm in times.items()}
        whole = _joined(((one, 1) for name, one in ranges.items() if counted[name]), len(self._unpriced))
        return StudyEstimate(counted, sum_amounts(*by_arm.values()), by_arm, tuple(self._unpriced), ranges, whole)

    def _sum(self, arm: Arm, times: Mapping[RowLength, int]) -> Amount:
        alike = [(self._alike(arm, length)[0], number) for length, number in times.items()]
        usd = fsum(one.usd * times for one, times in alike)
        return Amount(usd=round(usd, _DECIMALS), tokens=sum(one.tokens * times for one, times in alike))

    def _range(self, arm: Arm, times: Mapping[RowLength, int]) -> EstimateRange:
        alike = [(self._alike(arm, length)[1], number) for length, number in times.items()]
        return _joined(alike, max((one.unpriced for one, _ in alike), default=0))

    def _alike(self, arm: Arm, length: RowLength) -> tuple[Amount, EstimateRange]:
        key = (arm.name, length)
        if key not in self._known:
            turns, before = map(_tokens, length.turns), _tokens(length.before)
            calls = arm.kind.spec.plan_turns(arm.options, arm.panel, tuple(turns), before)
            calls = with_files(calls, length.files)
            estimate = estimate_calls(arm.protocol, calls, self._price, clarify=arm.options.clarify)
            amount, ends = self._weighed(estimate)
            self._known[key] = _capped(amount, arm.options), ends
        return self._known[key]

    def _weighed(self, estimate: Estimate) -> tuple[Amount, EstimateRange]:
        self._unpriced |= dict.fromkeys(model for line in estimate.models for model in line.unpriced)
        ends = [line.usd for line in estimate.models if line.usd is not None]
        usd = round(fsum((one.low + one.high) / 2 for one in ends if one.high is not None), _DECIMALS)
        spans = (estimate.total.prompt_tokens, estimate.total.completion_tokens)
        amount = Amount(usd=usd, tokens=sum(span.low + span.high for span in spans) // 2)
        of_both = ((estimate.total, estimate.models), (estimate.further, estimate.further_models))
        parts = [_range_of(one, lines) for one, lines in of_both if one.calls.high]
        return amount, _joined(((one, 1) for one in parts), estimate.total.models_of_unknown_price)


def _capped(amount: Amount, limits: BudgetOptions) -> Amount:
    """Return the amount to reserve for a deliberation with these limits."""
    usd = amount.usd if limits.budget_usd is None else min(amount.usd, limits.budget_usd)
    tokens = amount.tokens if limits.budget_tokens is None else min(amount.tokens, limits.budget_tokens)
    return Amount(usd=usd, tokens=tokens)


def _range_of(total: Total, lines: Iterable[ModelEstimate]) -> EstimateRange:
    spans = (total.prompt_tokens, total.completion_tokens)
    tokens = Range(low=sum(span.low for span in spans), high=sum(span.high for span in spans))
    most = fsum(line.usd.high for line in lines if line.usd and line.usd.high is not None)
    return EstimateRange(tokens, total.usd, total.models_of_unknown_price, most)


def _joined(ranges: Iterable[tuple[EstimateRange, int]], unpriced: int) -> EstimateRange:
    """Return the sum of ``ranges``, each so many times; dollars have no high end where one of them has none."""
    each = tuple(ranges)
    ends = [(one.tokens.low * times, one.tokens.high * times) for one, times in each]
    tokens = Range(low=sum(low for low, _ in ends), high=sum(high for _, high in ends))
    known = [(one.usd, times) for one, times in each if one.usd is not None]
    high = [usd.high * times for usd, times in known if usd.high is not None]
    usd = Dollars(
        low=round(fsum(usd.low * times for usd, times in known), _DECIMALS),
        high=round(fsum(high), _DECIMALS) if len(high) == len(each) else None,
    )
    most = round(fsum(one.known_most * times for one, times in each), _DECIMALS)
    return EstimateRange(tokens, usd if known else None, unpriced, most)


def _length(row: StudyRow) -> RowLength:
    files = attached_tokens(one.ref for one in row.files)
    if not row.turns:
        size = max(len(text.encode()) for text in (row.question, "".join(row.layers.values())))
        return RowLength((_rounded(size),), files)
    asked = read_turns(row.turns)
    sizes = (len(text_of(one).encode()) for one in (*asked.before, asked.last))
    given = sum(len(message.content.encode()) for message in asked.context)
    return RowLength(tuple(map(_rounded, sizes)), files, _rounded(given))


def _rounded(size: int) -> int:
    step = _FINE if size <= _LONG else _COARSE
    return -(-size // step) * step


def _tokens(size: int) -> Range:
    return text_tokens("x" * size)
