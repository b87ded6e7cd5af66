"""The budget of one deliberation as an option: limits, prices, and what is refused before anything is spent."""

import math

import pytest

from parley.errors import RequestError
from parley.options.council import CouncilOptions
from protocols.model_call import ModelId
from protocols.update_requests import TokenPrice

MODELS = {"models": ("a/one", "b/two"), "chair": "a/one"}
PRICE = TokenPrice(input=1, output=2)


def options(**given: object) -> CouncilOptions:
    """Return the options of a council of two."""
    return CouncilOptions.of({**MODELS, **given})


def test_without_a_limit_there_is_no_cap() -> None:
    """Neither prices nor a limit on replies are added then."""
    assert options().spending_cap([ModelId("x:y")], lambda _: None) is None


def test_a_limit_in_dollars_has_the_price_of_every_model() -> None:
    """The cap travels with the input, so that a run decides alike when it is replayed."""
    inp = options(budget_usd=0.5, on_budget="wait").build_input("Why?", queues={}, token_price=lambda _: PRICE)

    assert (0.5, "wait") == (inp.cap.usd, inp.cap.on_budget)
    assert set(inp.panel.models) == set(inp.cap.prices)


def test_a_model_of_unknown_price_is_refused_with_both_remedies() -> None:
    """Unless a price is assumed, or tokens are limited in place of dollars."""
    with pytest.raises(RequestError) as refused:
        options(budget_usd=0.5).build_input("Why?", queues={})
    assumed = options(budget_usd=0.5, assume_price="3/15").build_input("Why?", queues={})
    counted = options(budget_tokens=500).build_input("Why?", queues={})

    assert "'openrouter:a/one', 'openrouter:b/two' is not known, so a limit of $0.50" in str(refused.value)
    assert "--assume-price 3/15" in str(refused.value)
    assert "--budget-tokens" in str(refused.value)
    assert (TokenPrice(input=3, output=15), {}) == (assumed.cap.assumed, counted.cap.prices)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"budget_usd": 0}, "budget_usd: '0' cannot be used"),
        ({"budget_usd": math.nan}, "budget_usd"),
        ({"budget_tokens": -5}, "budget_tokens: '-5' cannot be used"),
        ({"on_budget": "stop"}, "on_budget: 'stop' cannot be used"),
        ({"assume_price": "cheap"}, "as in 3/15"),
        ({"assume_price": "3"}, "as in 3/15"),
        ({"assume_price": "-3/15"}, "as in 3/15"),
        ({"budget_us": 1}, "Did you mean 'budget_usd'?"),
    ],
)
def test_a_budget_that_cannot_be_meant_is_refused(given: dict[str, object], message: str) -> None:
    """One sentence names the value and the remedy."""
    with pytest.raises(RequestError) as refused:
        options(**given)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_the_limit_of_the_settings_holds_where_no_other_is_given() -> None:
    """A limit of its own wins, a higher one too."""
    assert (1.0, 5.0) == (options().limited(1.0).budget_usd, options(budget_usd=5).limited(1.0).budget_usd)
    assert options().limited(None).budget_usd is None
