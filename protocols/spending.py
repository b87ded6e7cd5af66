"""Adding up what calls used and cost."""

from collections import Counter
from collections.abc import Iterable
from math import fsum

from pydantic import Field

from protocols.model_call import Answered, Cost, Failed, FrozenModel, Spending, Usage

_DECIMALS = 12
"""Of a dollar: finer than any price, and coarse enough that adding up one by one leaves no dust."""


class Reported(FrozenModel):
    """The tokens and the cost that a provider reported of attempts at one call, and of how many it reported nothing."""

    usage: Usage = Usage()
    cost: Cost = Cost()
    unanswered_requests: int = Field(default=0, ge=0)
    """Requests without an answer, of which nothing was reported and which may be billed."""

    @classmethod
    def of(cls, reply: Answered | Failed | None) -> "Reported":
        """Return what was reported of a ``reply``, if there is one."""
        return cls.model_validate(reply, from_attributes=True) if reply else cls()

    @property
    def is_known(self) -> bool:
        """Return whether anything was reported."""
        return self.usage.total_tokens is not None or self.cost.usd is not None

    def plus(self, other: "Reported") -> "Reported":
        """Return both together; an attempt of which nothing was reported adds nothing.

        A cost of which a part is not known is unknown.
        """
        unanswered = self.unanswered_requests + other.unanswered_requests
        if not (self.is_known and other.is_known):
            known = self if self.is_known else other
            return known.model_copy(update={"unanswered_requests": unanswered})
        usage, cost = _sum_usage(self.usage, other.usage), _sum_cost(self.cost, other.cost)
        return Reported(usage=usage, cost=cost, unanswered_requests=unanswered)

    def before(self, reply: Answered | Failed) -> Answered | Failed:
        """Return ``reply`` with what attempts before it took: they are part of its call."""
        unanswered = {"unanswered_requests": self.unanswered_requests + reply.unanswered_requests}
        if not self.is_known:
            return reply.model_copy(update=unanswered) if self.unanswered_requests else reply
        usage, cost = _sum_usage(self.usage, reply.usage), _sum_cost(self.cost, reply.cost)
        return reply.model_copy(update={"usage": usage, "cost": cost, **unanswered})


FREE = Reported(usage=Usage(prompt_tokens=0, completion_tokens=0), cost=Cost(usd=0.0, source="provider"))
"""That of a request which was refused before a model saw it, or never sent."""


def _sum_usage(*parts: Usage) -> Usage:
    known = {name: [n for one in parts if (n := getattr(one, name)) is not None] for name in Usage.model_fields}
    return Usage(**{name: sum(numbers) if numbers else None for name, numbers in known.items()})


def _sum_cost(first: Cost, second: Cost) -> Cost:
    if first.usd is None or second.usd is None:
        return Cost()
    source = first.source if first.source == second.source else "price_list"
    return Cost(usd=round(fsum((first.usd, second.usd)), _DECIMALS), source=source)


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
        calls_of_unknown_tokens=total.calls_of_unknown_tokens + sum(map(_is_uncounted, counted)),
        unanswered_requests=total.unanswered_requests
        + sum(r.unanswered_requests for r in counted if r.cost.usd is not None),
        shared_calls=total.shared_calls,
        answered=dict(answered),
    )


def sum_spending(parts: Iterable[Spending]) -> Spending:
    """Return the sum of ``parts``, without whose answers they are."""
    each = tuple(parts)
    numbers = Spending.model_fields.keys() - {"shared_calls", "answered"}
    return Spending.model_validate({name: sum(getattr(one, name) for one in each) for name in numbers})


def _is_uncounted(reply: Answered | Failed) -> bool:
    return reply.kind == "answered" and None in {reply.usage.prompt_tokens, reply.usage.completion_tokens}
