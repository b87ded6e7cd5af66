"""A study whose plan is wrong by a factor of three keeps its budget and fills its window once it has learned."""

import pytest

from bench.reservations import Plan, simulate, table


@pytest.mark.parametrize("seed", range(3))
def test_too_low_a_plan_no_longer_overshoots(seed: int) -> None:
    """Costs three times the plan: by plan the budget is exceeded by what was in flight, learned it is kept."""
    plan = Plan(factor=3.0, seed=seed)
    plain, learned = simulate(plan, learns=False), simulate(plan, learns=True)

    assert plain.overshoot > 0.1 * plan.usd
    assert learned.overshoot <= 0.02 * plan.usd
    assert learned.points[-1].used > 0.95 * plan.usd


@pytest.mark.parametrize("seed", range(3))
def test_too_high_a_plan_no_longer_starves_the_window(seed: int) -> None:
    """Costs a third of the plan: the empty places near the end of the budget become fewer than half."""
    plan = Plan(factor=1 / 3, seed=seed, deliberations=450, window=30, usd=5.0)
    plain, learned = simulate(plan, learns=False), simulate(plan, learns=True)

    assert learned.overshoot <= 0.02 * plan.usd
    assert learned.idle < plain.idle / 2
    assert learned.minutes < plain.minutes


def test_the_table_shows_both_runs_over_time() -> None:
    """Used, reserved and really in flight, by plan and learned, and the two figures of each run."""
    plan = Plan(factor=3.0, deliberations=200, window=20, usd=3.0)
    lines = list(table(simulate(plan, learns=False), simulate(plan, learns=True), lines=4))

    assert len(lines) == 9
    assert all(line.count("|") == 10 for line in lines[2:7])
    assert "overshoot $" in lines[-1]
