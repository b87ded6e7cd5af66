"""Reservations follow what the first deliberations of an arm took."""

import math
import statistics
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.study import learning
from protocols.study.messages import PermitRequest
from protocols.study.model import Amount, ArmUse

PLAN = Amount(usd=0.5, tokens=1000)


def learned(*ratios: float, planned: Amount = PLAN, is_priced: bool = True) -> ArmUse:
    """An arm whose deliberations took so many times their plan."""
    use = ArmUse()
    for ratio in ratios:
        took = Amount(usd=ratio * (planned.usd or 1), tokens=round(ratio * (planned.tokens or 1)))
        use = learning.observe(use, planned, took, is_priced=is_priced)
    return use


def wanted(number: int = 0, *, planned: Amount = PLAN, arm: str = "a", charged: Amount | None = None) -> PermitRequest:
    """A request for a deliberation of the arm."""
    return PermitRequest(number=number, estimate=planned, arm=arm, charged=charged or Amount())


def reserved(use: ArmUse | None, *requests: PermitRequest) -> Amount:
    """What ``requests`` reserve together."""
    return learning.Reservations({"a": use} if use else {}, requests or [wanted()]).total()


def by_definition(ratios: Sequence[float], plans: Sequence[float]) -> float:
    """The formula of the module for one arm, with the statistics of the standard library."""
    n, mean = len(ratios), statistics.fmean(ratios)
    expected = max(mean, 1 + n / (n + 4) * (mean - 1))
    variance = statistics.variance(ratios) if n > 1 else 0.0
    scatter = variance * (sum(plan**2 for plan in plans) + sum(plans) ** 2 / n)
    return float(sum(plans) * expected + 2.326 * math.sqrt(scatter))


def test_without_observations_the_plan_is_reserved() -> None:
    """What nothing is known of costs what was planned, and no more is set aside for its scatter."""
    assert PLAN == reserved(None)
    assert Amount(usd=1.0, tokens=2000) == reserved(ArmUse(), wanted(1), wanted(2))


def test_an_arm_that_takes_more_is_believed_at_once() -> None:
    """One deliberation that took three times its plan triples the reservation of the next one."""
    assert Amount(usd=1.5, tokens=3000) == reserved(learned(3.0))


def test_an_arm_that_takes_less_is_shrunk_towards_its_plan() -> None:
    """The plan counts as four deliberations: after four of a half each, three quarters are reserved."""
    assert Amount(usd=0.375, tokens=750) == reserved(learned(0.5, 0.5, 0.5, 0.5))


@given(
    st.lists(st.floats(min_value=0.01, max_value=20), min_size=1, max_size=30),
    st.lists(st.floats(min_value=0.001, max_value=5), min_size=1, max_size=30),
)
def test_the_reservation_is_its_formula(ratios: list[float], plans: list[float]) -> None:
    """Sums that are kept give the same as means and variances of all ratios, however many are in flight."""
    use = ArmUse()
    for ratio in ratios:
        planned = Amount(usd=2.0)
        use = learning.observe(use, planned, Amount(usd=2.0 * ratio), is_priced=True)
    asked = [wanted(n, planned=Amount(usd=plan)) for n, plan in enumerate(plans)]

    found = learning.Reservations({"a": use}, asked).total().usd

    assert found == pytest.approx(by_definition(ratios, plans), rel=1e-6, abs=1e-6)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.floats(min_value=0.01, max_value=9)), min_size=1, max_size=20))
def test_one_more_costs_what_adding_it_costs(asked: list[tuple[str, float]]) -> None:
    """What would be reserved with the next one is what is reserved once it is added, in any order."""
    uses = {"a": learned(0.5, 2.0), "b": learned(3.0, 3.5, 2.5)}
    requests = [wanted(n, arm=arm, planned=Amount(usd=usd, tokens=7)) for n, (arm, usd) in enumerate(asked)]
    before = learning.Reservations(uses, requests[:-1])
    with_last = before.total_with(requests[-1])
    before.add(requests[-1])
    backwards = learning.Reservations(uses, reversed(requests)).total()

    assert with_last == before.total()
    assert with_last.usd == pytest.approx(backwards.usd, rel=1e-6)


def test_independent_arms_reserve_less_together_than_apart() -> None:
    """What scatters in many deliberations evens out: the margin grows with the root of their number."""
    uses = {arm: learned(0.5, 1.0, 1.5, 1.0, 0.8, 1.2) for arm in "abcd"}
    requests = [wanted(n, arm="abcd"[n % 4]) for n in range(40)]
    together = learning.Reservations(uses, requests).total().usd
    apart = sum(learning.amount_to_reserve(uses, one).usd for one in requests)

    assert 40 * 0.5 < together < apart


def test_a_deliberation_without_a_price_teaches_tokens_alone() -> None:
    """Dollars of which a part is unknown say nothing; the plan of the dollars is kept."""
    assert Amount(usd=0.5, tokens=2000) == reserved(learned(2.0, is_priced=False))


def test_an_arm_without_a_planned_price_learns_its_dollars() -> None:
    """Where no price was known, the plan is nothing, and the observed amount itself is what the next one may take."""
    unpriced = Amount(usd=0.0, tokens=1000)
    use = learned(*[2.0] * 8, planned=unpriced)

    assert Amount(usd=0.0, tokens=1000) == reserved(ArmUse(), wanted(planned=unpriced))
    assert pytest.approx(2.0) == reserved(use, wanted(planned=unpriced)).usd


def test_what_was_charged_before_is_not_reserved_again() -> None:
    """A deliberation that is run again reserves the rest of what its arm takes."""
    charged = Amount(usd=0.4, tokens=900)

    assert Amount(usd=1.1, tokens=2100) == reserved(learned(3.0), wanted(charged=charged))


def test_the_mean_of_an_arm_is_of_what_was_observed() -> None:
    """Planned and taken on average; nothing of an arm without observations."""
    use = learned(1.0, 3.0)

    assert (PLAN, Amount(usd=1.0, tokens=2000)) == (learning.mean_plan(use), learning.mean_use(use))
    assert Amount() == learning.mean_use(ArmUse())


def test_the_mean_dollars_of_an_arm_are_of_those_that_are_known() -> None:
    """Dollars of which a part is unknown are in neither mean: the known part alone would look like a low cost."""
    use = learning.observe(learned(2.0), PLAN, Amount(usd=0.1, tokens=4000), is_priced=False)

    assert (PLAN, Amount(usd=1.0, tokens=3000)) == (learning.mean_plan(use), learning.mean_use(use))


def test_the_whole_study_is_expected_by_its_arms() -> None:
    """The mean of each arm times its deliberations; an arm without observations costs its plan.

    A study that is completed is expected to take what it took, and what has no price in the plan has what it cost.
    """
    planned = {"a": Amount(usd=0, tokens=100), "b": Amount(usd=5, tokens=50)}
    took = learned(1.0, 3.0)

    found = learning.expected_total({"a": took}, planned, {"a": 2, "b": 7})

    assert Amount(usd=took.used.usd + 5, tokens=took.used.tokens + 50) == found
