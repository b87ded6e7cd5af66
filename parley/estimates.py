"""Estimates of a deliberation's cost (seed 000, section 10).

Planned calls are priced and added up, one line per model. An unknown price stays unknown: a total then has its least,
and not its most.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import fsum
from typing import NamedTuple

from parley.call_plans import ROUND_1, ROUND_2, ROUND_3, CallSize, PlannedCalls, Range
from parley.errors import RequestError
from protocols.model_call import FrozenModel, ModelId
from protocols.panel import name_of, provider_of, route
from protocols.sources import SEARCH_USD
from protocols.spending_cap import OnBudget
from protocols.update_requests import TokenPrice

Price = Callable[[ModelId, int, int], float | None]
"""Dollars for one call of a model with so many tokens in and out; ``None`` when its price is unknown."""

_DECIMALS = 12
_SCRIPTED = "rehearsal"
_SENTENCE = 100
"""Tokens that ask for a reply once more, at the most."""


class Dollars(FrozenModel):
    """A cost in dollars, from the low to the high end."""

    low: float
    """In a total the sum of what is known: it costs at least that."""
    high: float | None
    """``None`` in a total when the price of a model is unknown: then nothing is known of the most."""


class ModelEstimate(FrozenModel):
    """The calls and the cost of one model, over all its seats."""

    model: ModelId
    """Of a chain the first."""
    calls: Range
    prompt_tokens: Range
    completion_tokens: Range
    usd: Dollars | None
    """``None``: its price is unknown, which is never 0. The high end of a chain is that of its dearest model."""
    fallbacks: tuple[ModelId, ...] = ()
    """The models that its seats are given to when it is lost."""
    unpriced: tuple[ModelId, ...] = ()
    """Those of all its models whose price is unknown."""


class Total(FrozenModel):
    """All models together."""

    calls: Range
    prompt_tokens: Range
    completion_tokens: Range
    usd: Dollars | None
    """``None`` when no price is known."""
    models_of_unknown_price: int


class Limits(FrozenModel):
    """The limits that end a deliberation, or let it wait for a user."""

    usd: float | None
    tokens: int | None
    on_budget: OnBudget


class Estimate(FrozenModel):
    """One deliberation, model by model in the order in which they are first asked."""

    protocol: str
    models: tuple[ModelEstimate, ...]
    total: Total
    """Without further calls."""
    further: Total
    """What comes on top at most: every turn asked once more (not with ``--no-clarify``), and every model of a chain."""
    searches: Range = Range(low=0, high=0)
    """Searches of the web, which are in the dollars; the pages that they find are more tokens of the prompts."""
    further_models: tuple[ModelEstimate, ...] = ()
    """The same, model by model."""
    budget: Limits | None = None
    """What limits it, where something does."""


class PerThousand(NamedTuple):
    """A price in dollars per thousand tokens."""

    input: float
    output: float


SEED_PRICES: Mapping[str, PerThousand] = {
    "anthropic/claude-sonnet-4-20250514": PerThousand(0.015, 0.075),
    "qwen/qwen-2.5-72b-instruct": PerThousand(0.00036, 0.0018),
    "deepseek/deepseek-r1": PerThousand(0.0014, 0.0028),
}
"""The seed's three models and their prices (section 10.1)."""


class Comparison(FrozenModel):
    """Dollars for one evaluation by the seed's models at the seed's prices (section 10.2)."""

    single: float
    """The first model alone."""
    parallel: float
    fire_circle: float
    """Three rounds."""


def cost(exchanges: Iterable[CallSize], price: PerThousand) -> float:
    """Return the cost of ``exchanges`` at ``price``, in dollars: the formula of section 10.1.

    The sums printed there are not all the formula's. The line for DeepSeek multiplies its output by 0.0028, the price
    for a thousand tokens; its printed $0.007 fits only with that price divided by a thousand, as in the other lines.
    """
    made = tuple(exchanges)
    paid = (*(one.input * price.input for one in made), *(one.output * price.output for one in made))
    return round(fsum(paid) / 1000, _DECIMALS)


def is_of_the_seed(estimate: Estimate) -> bool:
    """Return whether one of the seed's models is asked, so that there is something to compare with."""
    return any(line.model.partition(":")[2] in SEED_PRICES for line in estimate.models)


def comparison() -> Comparison:
    """Compute the table of section 10.2 by the formula, which differs from its printed SINGLE and PARALLEL."""
    prices = tuple(SEED_PRICES.values())
    circle = (ROUND_1, ROUND_2, ROUND_3)
    return Comparison(
        single=cost([ROUND_1], prices[0]),
        parallel=round(fsum(cost([ROUND_1], price) for price in prices), _DECIMALS),
        fire_circle=round(fsum(cost(circle, price) for price in prices), _DECIMALS),
    )


def by_name(price: Price, assumed: TokenPrice | None = None) -> Price:
    """Return ``price``, of scripted models that of the real one of their name, and ``assumed`` for unknown models."""

    def listed(model: ModelId, *sizes: int) -> float | None:
        if provider_of(model) != _SCRIPTED:
            return price(model, *sizes)
        try:
            return price(route(name_of(model)), *sizes)
        except RequestError:
            return None

    def priced(model: ModelId, *sizes: int) -> float | None:
        known = listed(model, *sizes)
        return assumed.of(*sizes) if assumed and known is None else known

    return priced


def estimate_calls(protocol: str, calls: Sequence[PlannedCalls], price: Price, *, clarify: bool) -> Estimate:
    """Return what ``calls`` may take and cost at ``price``; with ``clarify`` each turn may have one further call."""
    lines = _lines(calls, price)
    more = _lines([more for call in calls for more in _further(call, price, clarify=clarify)], price)
    searches = _sum(_times(call, call.searches.low, call.searches.high) for call in calls)
    return Estimate(
        protocol=protocol,
        models=lines,
        total=_total(lines),
        further=_total(more),
        searches=searches,
        further_models=more,
    )


def _further(call: PlannedCalls, price: Price, *, clarify: bool) -> list[PlannedCalls]:
    """Return the calls that may come on top: the turn asked once more, and the other models of its chain.

    The conversation contains the earlier reply, or the same question is asked with twice the length. The dearest model
    of the chain is planned, so each of the others comes on top.
    """
    seat, last = call.seat, _dearest(call, price)
    others = [model for model in (seat.model, *seat.fallbacks) if model != last]
    alone = [seat.model_copy(update={"model": model, "fallbacks": ()}) for model in others]
    rare = call._replace(times=Range(low=0, high=call.times.high))
    on_top = [rare._replace(seat=one) for one in alone]
    return [*on_top, *(_asked_again(one) for one in (rare, *on_top) if clarify)]


def _asked_again(call: PlannedCalls) -> PlannedCalls:
    most = CallSize(call.most.input + call.most.output + _SENTENCE, 2 * call.most.output)
    return call._replace(least=CallSize(call.least.input, 0), most=most)


def _dearest(call: PlannedCalls, price: Price) -> ModelId:
    """Return the model of a chain whose call costs most; an unknown price is taken as none."""
    return max((call.seat.model, *call.seat.fallbacks), key=lambda model: price(model, *call.most) or 0.0)


def _lines(calls: Sequence[PlannedCalls], price: Price) -> tuple[ModelEstimate, ...]:
    models = dict.fromkeys(call.model for call in calls)
    return tuple(_line(model, [call for call in calls if call.model == model], price) for model in models)


def _line(model: ModelId, calls: Sequence[PlannedCalls], price: Price) -> ModelEstimate:
    later = tuple(dict.fromkeys(name for call in calls for name in call.seat.fallbacks if name != model))
    return ModelEstimate(
        model=model,
        fallbacks=later,
        unpriced=tuple(name for name in (model, *later) if price(name, 1, 1) is None),
        calls=_sum(call.times for call in calls),
        prompt_tokens=_sum(_times(call, call.least.input, call.most.input) for call in calls),
        completion_tokens=_sum(_times(call, call.least.output, call.most.output) for call in calls),
        usd=_dollars(calls, price),
    )


def _times(call: PlannedCalls, low: int, high: int) -> Range:
    return Range(low=call.times.low * low, high=call.times.high * high)


def _sum(spans: Iterable[Range]) -> Range:
    added = tuple(spans)
    return Range(low=sum(span.low for span in added), high=sum(span.high for span in added))


def _dollars(calls: Sequence[PlannedCalls], price: Price) -> Dollars | None:
    low, high = [], []
    for call in calls:
        least, most = price(call.model, *call.least), price(_dearest(call, price), *call.most)
        if least is None or most is None:
            return None
        low.append(call.times.low * (least + call.searches.low * SEARCH_USD))
        high.append(call.times.high * (most + call.searches.high * SEARCH_USD))
    is_known = all(price(model, 1, 1) is not None for call in calls for model in call.seat.fallbacks)
    return Dollars(low=round(fsum(low), _DECIMALS), high=round(fsum(high), _DECIMALS) if is_known else None)


def _total(lines: Sequence[ModelEstimate]) -> Total:
    known = [line.usd for line in lines if line.usd is not None]
    highest = [usd.high for usd in known if usd.high is not None]
    is_whole = len(highest) == len(lines)
    usd = Dollars(
        low=round(fsum(usd.low for usd in known), _DECIMALS), high=round(fsum(highest), _DECIMALS) if is_whole else None
    )
    return Total(
        calls=_sum(line.calls for line in lines),
        prompt_tokens=_sum(line.prompt_tokens for line in lines),
        completion_tokens=_sum(line.completion_tokens for line in lines),
        usd=usd if known else None,
        models_of_unknown_price=len({model for line in lines for model in line.unpriced}),
    )
