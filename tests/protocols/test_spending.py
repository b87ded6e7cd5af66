"""Adding up what calls used and cost."""

import pytest

from protocols.model_call import Cost, Spending, Usage
from protocols.spending import Reported, add_spending, sum_spending
from tests.fakes.baselines import said_by

PRICED = Reported(
    usage=Usage(prompt_tokens=7, completion_tokens=3, reasoning_tokens=2), cost=Cost(usd=0.1, source="provider")
)
LISTED = Reported(usage=Usage(prompt_tokens=5, completion_tokens=1), cost=Cost(usd=0.2, source="price_list"))
UNPRICED = Reported(usage=Usage(prompt_tokens=5, completion_tokens=1))


@pytest.mark.parametrize(
    ("first", "second", "tokens", "cost"),
    [
        (PRICED, PRICED, 20, Cost(usd=0.2, source="provider")),
        (PRICED, LISTED, 16, Cost(usd=0.3, source="price_list")),
        (PRICED, UNPRICED, 16, Cost()),
        (PRICED, Reported(), 10, PRICED.cost),
        (Reported(), LISTED, 6, LISTED.cost),
        (Reported(), Reported(), None, Cost()),
    ],
)
def test_attempts_add_up(first: Reported, second: Reported, tokens: int | None, cost: Cost) -> None:
    """Known tokens are added; a cost with an unknown part is unknown, and nothing reported adds nothing."""
    both = first.plus(second)
    assert (tokens, cost) == (both.usage.total_tokens, both.cost)


def test_earlier_attempts_are_a_part_of_the_call() -> None:
    """A reply counts with what attempts before it took; without any it stays what it was."""
    reply = said_by("p1", "Blue.", usage=LISTED.usage, cost=LISTED.cost)
    assert reply is Reported().before(reply)
    whole = PRICED.before(reply)
    assert Usage(prompt_tokens=12, completion_tokens=4, reasoning_tokens=2) == whole.usage
    assert Cost(usd=0.3, source="price_list") == whole.cost


def test_requests_without_an_answer_are_counted_and_cost_nothing_known() -> None:
    """They are added up over attempts, beside what was reported, and reach the reply with or without that."""
    once, twice = Reported(unanswered_requests=1), PRICED.model_copy(update={"unanswered_requests": 2})
    reply = said_by("p1", "Blue.", usage=LISTED.usage, cost=LISTED.cost, unanswered_requests=1)
    both = once.plus(twice)

    assert (3, PRICED.cost, PRICED.usage) == (both.unanswered_requests, both.cost, both.usage)
    assert both == twice.plus(once)
    assert (2, LISTED.cost) == (once.before(reply).unanswered_requests, once.before(reply).cost)
    assert (4, 16) == (both.before(reply).unanswered_requests, both.before(reply).usage.total_tokens)


def test_only_a_known_cost_has_requests_beside_it() -> None:
    """A call of unknown cost is counted as such, and its requests are a part of that."""
    known = said_by("p1", "Blue.", cost=LISTED.cost, unanswered_requests=2)
    unknown = said_by("p2", "Blue.", cost=Cost(), unanswered_requests=3)
    spent = add_spending([known, unknown], Spending(calls=1, unanswered_requests=1))

    assert (3, 1, 3) == (spent.calls, spent.calls_of_unknown_cost, spent.unanswered_requests)
    assert 6 == sum_spending([spent, spent]).unanswered_requests


def test_a_reply_of_unknown_cost_stays_one() -> None:
    """The known cost of an earlier attempt is not the cost of the whole call."""
    reply = said_by("p1", "Blue.", usage=Usage(), cost=Cost())
    assert Cost() == PRICED.before(reply).cost
