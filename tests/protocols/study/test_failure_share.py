"""Whether far more of the latest deliberations failed than of those before, and the sentence about it."""

import pytest

from protocols.model_call import Spending
from protocols.study import budget
from protocols.study.messages import BudgetInput, DeliberationOutcome, LostCallInfo, ShardReport
from protocols.study.model import Counts, RunSettings
from protocols.study.outages import FailureCause
from protocols.study.outcomes import failure_cause

GONE = FailureCause(error_type="provider.not_found", message="lab: no such model.")
ODD = FailureCause(error_type="provider.odd", message="lab: odd")


def budget_input(*reports: tuple[int, int]) -> BudgetInput:
    """A budget after repeated reports of so many completed and failed deliberations."""
    state = BudgetInput(study="s", batch_id="s", batch_run="run", terms=RunSettings())
    for held, failed in reports:
        tally = Counts(completed=held, failed=failed)
        told = ShardReport(shard_id="a", tally=tally, failures=(GONE,) * failed)
        state = budget.apply_report(state, told)
    return state


@pytest.mark.parametrize(
    ("reports", "warns"),
    [
        (((200, 0), (40, 10)), True),
        (((200, 0), (46, 4)), False),
        (((180, 20), (43, 7)), False),
        (((180, 20), (35, 15)), True),
        (((0, 5),), True),
        (((0, 4),), False),
        (((1, 5), (44, 5)), True),
        (((200, 0), (40, 10), (50, 0)), False),
    ],
)
def test_a_jump(reports: tuple[tuple[int, int], ...], warns: bool) -> None:
    """It warns when the last fifty have five failures at least, and a share above the earlier one by a tenth."""
    assert warns is (budget.failure_jump(budget_input(*reports)) is not None)


def test_the_warning_names_figures_cause_and_remedy() -> None:
    """The commonest cause of the latest failures, with one of its messages."""
    found = budget.failure_jump(budget_input((200, 2), (40, 10)))

    assert found is not None
    assert "10 of the last 50 deliberations failed (2 of the 202 before)" in found.as_text
    assert "provider.not_found, lab: no such model. What to do: the provider does not serve the model" in found.as_text


def test_a_cause_that_is_not_known_has_a_remedy_all_the_same() -> None:
    """One that reads it knows what comes next."""
    told = ShardReport(shard_id="a", tally=Counts(failed=6), failures=(ODD,) * 5)
    found = budget.failure_jump(budget.apply_report(budget_input(), told))

    assert found is not None
    assert (ODD, True) == (found.cause, "parley batch retry" in found.remedy)


@pytest.mark.parametrize(
    ("lost", "expected"),
    [
        (("provider.odd", "provider.not_found", "provider.not_found"), "provider.not_found"),
        ((), "stopped: too_small"),
    ],
)
def test_the_cause_of_one_failure(lost: tuple[str, ...], expected: str) -> None:
    """What lost most of its calls; without a lost call, the reason for which it stopped."""
    failed = tuple(LostCallInfo(error_type=name, message="m" * 300) for name in lost)

    assert (
        expected
        == failure_cause(DeliberationOutcome(stop_reason="too_small", failed=failed, spent=Spending())).error_type
    )
