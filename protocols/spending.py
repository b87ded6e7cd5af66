"""Adding up what calls used and cost."""

from collections import Counter
from collections.abc import Iterable
from math import fsum

from protocols.model_call import Answered, Failed, Spending

_DECIMALS = 12
"""Of a dollar: finer than any price, and coarse enough that adding up one by one leaves no dust."""


def add_spending(replies: Iterable[Answered | Failed], before: Spending | None = None) -> Spending:
    """Add up what ``replies`` used and cost, on top of ``before``. Each call counts once, however it was come by."""
    counted = tuple(replies)
    total = before or Spending()
    answered = Counter(total.answered)
    answered.update(r.model.partition(":")[0] for r in counted if r.kind == "answered")
    priced = [r.cost.usd for r in counted if r.cost.usd is not None]
    return Spending(
        calls=total.calls + len(counted),
        prompt_tokens=total.prompt_tokens + sum(r.usage.prompt_tokens or 0 for r in counted),
        completion_tokens=total.completion_tokens + sum(r.usage.completion_tokens or 0 for r in counted),
        usd=round(fsum((total.usd, *priced)), _DECIMALS),
        calls_of_unknown_cost=total.calls_of_unknown_cost + len(counted) - len(priced),
        shared_calls=total.shared_calls,
        answered=dict(answered),
    )


def sum_spending(parts: Iterable[Spending]) -> Spending:
    """Return the sum of ``parts``, without whose answers they are."""
    each = tuple(parts)
    numbers = ("calls", "prompt_tokens", "completion_tokens", "usd", "calls_of_unknown_cost")
    return Spending.model_validate({name: sum(getattr(one, name) for one in each) for name in numbers})
