"""Costs in words."""

import pytest

from protocols.cost_text import cost, cost_heading, in_dollars, limit, spending
from protocols.model_call import Spending

PAID = Spending(calls=7, prompt_tokens=1_000, completion_tokens=234, usd=0.5, calls_of_unknown_cost=1, shared_calls=2)


def test_a_rehearsal_is_never_a_bill() -> None:
    """The costs of scripted models are called invented."""
    assert "invented cost $0.50" == cost("$0.50", rehearsal=True)
    assert "invented cost" == cost_heading(rehearsal=True)
    assert "invented cost $0.5000" in spending(PAID, rehearsal=True)


def test_what_real_models_took_is_a_cost() -> None:
    """Of real models the amount is alone, with what is unknown and what another deliberation paid."""
    assert "$0.50" == cost("$0.50", rehearsal=False)
    assert "cost" == cost_heading(rehearsal=False)
    assert "7 calls, 1,234 tokens, $0.5000 and the unknown cost of 1 call; 2 answers shared, not paid again" == (
        spending(PAID, rehearsal=False)
    )


def test_what_may_be_billed_beside_the_cost_is_said() -> None:
    """Requests without an answer are named behind the cost, which is without them."""
    paid = PAID.model_copy(update={"unanswered_requests": 1, "calls_of_unknown_cost": 0, "shared_calls": 0})
    assert "7 calls, 1,234 tokens, $0.5000; up to 1 request without an answer may be billed too" == (
        spending(paid, rehearsal=False)
    )


def test_no_known_price_is_said_as_such() -> None:
    """Where no call has a known price there is no amount at all."""
    assert "2 calls, 0 tokens, cost unknown" == spending(Spending(calls=2, calls_of_unknown_cost=2), rehearsal=False)


def test_tokens_that_no_provider_counted_are_not_none() -> None:
    """Where an answer came without a count the tokens are unknown, or those of the other answers at least."""
    partly = PAID.model_copy(update={"calls_of_unknown_tokens": 1})
    assert "2 calls, tokens unknown, $0.0000" == spending(Spending(calls=2, calls_of_unknown_tokens=2), rehearsal=False)
    assert "7 calls, at least 1,234 tokens, $0.5000" in spending(partly, rehearsal=False)


@pytest.mark.parametrize(
    ("usd", "written"),
    [
        (0.05, "$0.05"),
        (12.5, "$12.50"),
        (1234.5678, "$1,234.5678"),
        (0.125, "$0.125"),
        (0.1 + 0.2, "$0.3"),
        (1e-7, "$0.0000001"),
        (3e-9, "$0.000000003"),
    ],
)
def test_a_limit_is_written_as_it_was_given(usd: float, written: str) -> None:
    """A limit has two decimals, or as many as it needs, however small it is; errors of addition are left out."""
    assert written == limit(usd)


@pytest.mark.parametrize(
    ("usd", "written"),
    [
        (0, "$0.0000"),
        (0.00003, "$0.00003"),
        (0.0000499, "$0.00005"),
        (0.000063, "$0.000063"),
        (0.00049, "$0.00049"),
        (0.0046, "$0.0046"),
        (2.5e-7, "$0.00000025"),
        (0.5, "$0.5000"),
        (1234.5, "$1,234.5000"),
    ],
)
def test_what_was_paid_is_never_shown_as_nothing(usd: float, written: str) -> None:
    """An amount has four decimals, and where those show one digit of it or none its first two."""
    assert written == in_dollars(usd)
