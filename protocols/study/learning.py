r"""Reservations that follow the use of an arm by its first deliberations.

For each arm, and for dollars and tokens apart, ``r_i`` is what the ``i``-th completed deliberation took, divided by its
plan. After ``n`` of them ``m`` is their mean and ``s`` their standard deviation. Deliberations in flight with the plans
``p_j``, of several arms, reserve together::

    Σ p_j · max( m,  1 + n / (n + k) · (m - 1) )   +   z · √ Σ s² · ( Σ p_j² + (Σ p_j)² / n )

Under the root the outer sum adds arms, and the inner ones add the deliberations of the arm. The first term
expects of each what its arm took: an arm that takes more than was planned is believed at once, one that takes less is
shrunk towards the plan, which counts as ``k`` deliberations. The second term makes the reservation the amount below
which all of them together stay with a probability of 99 % (``z`` = 2.326), if their costs are independent and normally
distributed: the first part of its sum is how much they scatter, the second how uncertain the mean is. Where nothing is
known of an arm, it is ``Σ p_j``, the plan. Where nothing was planned because no price was known, ``r_i`` is the amount
itself, and the plan counts as 0.

Only deliberations with a verdict and a count of all tokens are observed: one that failed took less than the next one
will. Three sums of each kind are kept of an arm, so the state does not grow with the study.
"""

from collections.abc import Iterable, Mapping
from math import ceil, sqrt
from typing import NamedTuple

from protocols.study.messages import PermitRequest
from protocols.study.model import Amount, ArmUse, RatioSums, sum_amounts

PLAN_WEIGHT = 4
"""``k``: so many deliberations count as much as the plan."""
SAFETY = 2.326
"""``z``: the quantile of the normal distribution at 99 %."""
_DECIMALS = 12
_NOTHING = RatioSums()


def observe(use: ArmUse, planned: Amount, took: Amount, *, is_priced: bool) -> ArmUse:
    """Return ``use`` with one more deliberation; ``is_priced`` is true if all its dollars are known."""
    priced = {} if is_priced else {"usd": 0.0}
    return ArmUse(
        planned=sum_amounts(use.planned, planned.model_copy(update=priced)),
        used=sum_amounts(use.used, took.model_copy(update=priced)),
        usd=_added(use.usd, took.usd / (planned.usd or 1)) if is_priced else use.usd,
        tokens=_added(use.tokens, took.tokens / (planned.tokens or 1)),
    )


def mean_plan(use: ArmUse) -> Amount:
    """Return the mean plan of the observed deliberations; in dollars, of those with a known cost."""
    return _each(use.planned, use)


def mean_use(use: ArmUse) -> Amount:
    """Return the mean use of the observed deliberations; in dollars, of those with a known cost."""
    return _each(use.used, use)


def expected_total(
    learned: Mapping[str, ArmUse], planned: Mapping[str, Amount], deliberations: Mapping[str, int]
) -> Amount:
    """Return the use of a study by the mean of each arm, or by its plan without an observation.

    Args:
        learned: By arm, of those that were observed.
        planned: By arm, of all its deliberations.
        deliberations: By arm, their number.
    """
    return sum_amounts(*(_expected(learned.get(arm, ArmUse()), planned[arm], deliberations[arm]) for arm in planned))


class Reservations:
    """The reservation of deliberations in flight."""

    def __init__(self, learned: Mapping[str, ArmUse], wanted: Iterable[PermitRequest] = ()) -> None:
        self._usd = _Sums({arm: use.usd for arm, use in learned.items()})
        self._tokens = _Sums({arm: use.tokens for arm, use in learned.items()})
        for one in wanted:
            self.add(one)

    def add(self, wanted: PermitRequest) -> None:
        """Add a deliberation; what it was charged before is not reserved again."""
        self._usd.add(wanted.arm, wanted.estimate.usd, wanted.charged.usd)
        self._tokens.add(wanted.arm, wanted.estimate.tokens, wanted.charged.tokens)

    def total(self) -> Amount:
        """Return the amount that is reserved."""
        return _amount(self._usd.total, self._tokens.total)

    def total_with(self, wanted: PermitRequest) -> Amount:
        """Return the amount with one more deliberation."""
        usd = self._usd.total_with(wanted.arm, wanted.estimate.usd, wanted.charged.usd)
        return _amount(usd, self._tokens.total_with(wanted.arm, wanted.estimate.tokens, wanted.charged.tokens))


def amount_to_reserve(learned: Mapping[str, ArmUse], wanted: PermitRequest) -> Amount:
    """Return the amount that one deliberation alone reserves."""
    return Reservations(learned, [wanted]).total()


class _Plans(NamedTuple):
    """The plans of the deliberations of one arm that are in flight, and the sum of their squares."""

    total: float
    squares: float


class _Sums:
    """The two terms of the reservation, of dollars or of tokens."""

    def __init__(self, ratios: Mapping[str, RatioSums]) -> None:
        self._ratios = ratios
        self._plans: dict[str, _Plans] = {}
        self._expected = 0.0

    @property
    def total(self) -> float:
        """The sum of both terms."""
        return self._total(self._plans, self._expected)

    def add(self, arm: str, planned: float, charged: float) -> None:
        """Add a deliberation."""
        self._plans[arm], self._expected = self._with(arm, planned, charged)

    def total_with(self, arm: str, planned: float, charged: float) -> float:
        """Return the total with one more deliberation."""
        plans, expected = self._with(arm, planned, charged)
        return self._total({**self._plans, arm: plans}, expected)

    def _with(self, arm: str, planned: float, charged: float) -> tuple[_Plans, float]:
        unit, (total, squares) = planned or 1.0, self._plans.get(arm, _Plans(0.0, 0.0))
        expected = unit * _ratio(self._ratios.get(arm, _NOTHING), plan=float(planned > 0))
        return _Plans(total + unit, squares + unit * unit), self._expected + max(0.0, expected - charged)

    def _total(self, plans: Mapping[str, _Plans], expected: float) -> float:
        return expected + SAFETY * sqrt(sum(self._scatter(arm, of_arm) for arm, of_arm in plans.items()))

    def _scatter(self, arm: str, plans: _Plans) -> float:
        """Return the variance of the use of the deliberations of an arm, that of their mean included."""
        sums = self._ratios.get(arm, _NOTHING)
        return _variance(sums) * (plans.squares + plans.total**2 / (sums.count or 1))


def _amount(usd: float, tokens: float) -> Amount:
    return Amount(usd=round(usd, _DECIMALS), tokens=ceil(round(tokens, _DECIMALS)))


def _expected(use: ArmUse, planned: Amount, deliberations: int) -> Amount:
    mean = mean_use(use)
    usd = mean.usd * deliberations if use.usd.count else planned.usd
    return Amount(usd=round(usd, _DECIMALS), tokens=mean.tokens * deliberations if use.tokens.count else planned.tokens)


def _ratio(sums: RatioSums, *, plan: float) -> float:
    """Return the expected ratio: the mean, but not below the mean that is shrunk towards ``plan``."""
    if not sums.count:
        return plan
    return max(sums.total / sums.count, (PLAN_WEIGHT * plan + sums.total) / (PLAN_WEIGHT + sums.count))


def _variance(sums: RatioSums) -> float:
    return 0.0 if sums.count < 2 else sums.deviations / (sums.count - 1)  # noqa: PLR2004 - one number has no variance


def _added(sums: RatioSums, ratio: float) -> RatioSums:
    count, total = sums.count + 1, sums.total + ratio
    step = (ratio - sums.total / sums.count) * (ratio - total / count) if sums.count else 0.0
    deviations = sums.deviations + max(0.0, step)
    return RatioSums(count=count, total=round(total, _DECIMALS), deviations=round(deviations, _DECIMALS))


def _each(sum_of: Amount, use: ArmUse) -> Amount:
    usd = sum_of.usd / use.usd.count if use.usd.count else 0.0
    return Amount(usd=round(usd, _DECIMALS), tokens=round(sum_of.tokens / (use.tokens.count or 1)))
