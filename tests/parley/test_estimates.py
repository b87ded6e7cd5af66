"""What a deliberation may cost (seed 000, section 10)."""

import pytest

from parley.call_plans import ROUND_1, ROUND_2, ROUND_3, Range
from parley.errors import RequestError
from parley.estimates import SEED_PRICES, ModelEstimate, Price, Total, by_name, comparison, cost
from parley.specs import PROTOCOLS
from protocols.model_call import ModelId
from protocols.panel import name_of, route
from tests.fakes.estimates import Planned
from tests.fakes.seed_panel import SEED_CIRCLE

CIRCLE = (ROUND_1, ROUND_2, ROUND_3)
PANEL = ("a/known", "b/unknown", "c/free")


def seed_price(model: ModelId, prompt_tokens: int, completion_tokens: int) -> float | None:
    """The seed's prices for one call."""
    price = SEED_PRICES[name_of(model)]
    return (prompt_tokens * price.input + completion_tokens * price.output) / 1000


def some_price(model: ModelId, prompt_tokens: int, completion_tokens: int) -> float | None:
    """A dollar for a million tokens, nothing for what is free, and not known for the rest."""
    prices = {"openrouter:a/known": 1e-6, "openrouter:c/free": 0.0}
    price = prices.get(model)
    return None if price is None else (prompt_tokens + completion_tokens) * price


def no_price(model: ModelId, prompt_tokens: int, completion_tokens: int) -> None:
    """No list knows it."""


def test_a_scripted_model_has_the_price_of_its_name() -> None:
    """A name that no list can have is unknown, and what is refused of a real model stays refused."""

    def refusing(model: ModelId, prompt_tokens: int, completion_tokens: int) -> float | None:
        if not model.startswith("openrouter:a/"):
            raise RequestError(f"{model} is refused")
        return some_price(model, prompt_tokens, completion_tokens)

    price = by_name(refusing)
    assert (3e-6, None) == (price(route("rehearsal:a/known"), 1, 2), price(route("rehearsal:zai-glm-4.7"), 1, 2))
    assert price(route("a/known"), 1, 2) == price(route("rehearsal:a/known"), 1, 2)
    with pytest.raises(RequestError, match="nobody:one is refused"):
        price(route("nobody:one"), 1, 2)


@pytest.mark.parametrize(
    ("model", "by_hand", "expected"),
    [
        (SEED_CIRCLE[0], (600 + 1000 + 1500) * 0.000015 + (300 + 400 + 400) * 0.000075, 0.129),
        (SEED_CIRCLE[1], (600 + 1000 + 1500) * 0.00000036 + (300 + 400 + 400) * 0.0000018, 0.003096),
        (SEED_CIRCLE[2], (600 + 1000 + 1500) * 0.0000014 + (300 + 400 + 400) * 0.0028 / 1000, 0.00742),
    ],
)
def test_a_model_costs_what_the_seeds_formula_gives(model: str, by_hand: float, expected: float) -> None:
    """Section 10.1: all input at its price and all output at its price; DeepSeek's output is priced per thousand."""
    assert expected == cost(CIRCLE, SEED_PRICES[model])
    assert expected == pytest.approx(by_hand)


def test_the_modes_are_compared_at_the_seeds_prices() -> None:
    """Section 10.2: the printed $0.14 is the formula's; the printed $0.02 and $0.06 are not, and are not repeated."""
    told = comparison()
    assert 0.129 + 0.003096 + 0.00742 == pytest.approx(told.fire_circle)
    assert 600 * 0.000015 + 300 * 0.000075 == pytest.approx(told.single)
    assert 0.0315 + 0.000756 + 0.00168 == pytest.approx(told.parallel)
    assert "0.14" == f"{told.fire_circle:.2f}"


def test_modes_cost_more_the_more_is_said() -> None:
    """One model is cheaper than several, and several are cheaper than their dialogue."""
    told = comparison()
    assert told.single < told.parallel < told.fire_circle


def test_an_estimate_at_the_seeds_prices_begins_with_two_rounds() -> None:
    """The low end of the seed's circle is its first two rounds, which is where a circle may stop first."""
    told = Planned("fire-circle").estimate(seed_price)
    assert told.total.usd is not None
    assert sum(cost(CIRCLE[:2], price) for price in SEED_PRICES.values()) == pytest.approx(told.total.usd.low)
    assert (told.total.usd.high or 0) > comparison().fire_circle


@pytest.mark.parametrize("mode", ["single", "parallel"])
def test_a_baseline_costs_what_the_comparison_states(mode: str) -> None:
    """Where there is one round, low and high are the same and the comparison's."""
    told = Planned("fire-circle-baseline", (), {"mode": mode}).estimate(seed_price).total.usd
    assert told is not None
    assert told.low == told.high == pytest.approx(getattr(comparison(), mode))


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("prompt", [None, Range(low=10, high=20), Range(low=4_000, high=50_000)])
def test_low_ends_are_never_above_high_ends(protocol: str, prompt: Range | None) -> None:
    """Calls, tokens and dollars are in order for every model and for all."""
    told = Planned(protocol, prompt=prompt).estimate(lambda _model, sent, got: sent * 1e-6 + got * 4e-6)
    lines: list[ModelEstimate | Total] = [*told.models, told.total]
    for line in lines:
        assert line.usd is not None
        assert all(s.low <= s.high for s in (line.calls, line.prompt_tokens, line.completion_tokens))
        assert 0 < line.usd.low <= (line.usd.high or 0)


def test_a_model_has_one_line_whatever_seats_it_holds() -> None:
    """A participant that concludes too is one model with more calls."""
    told = Planned("council", ("a/one", "b/two"), {"chair": "b/two"}).estimate(no_price)
    assert [("openrouter:a/one", 2), ("openrouter:b/two", 3)] == [(line.model, line.calls.high) for line in told.models]


def test_all_is_the_sum_of_the_models() -> None:
    """Nothing is lost and nothing counted twice in the total."""
    told = Planned("consensus").estimate(lambda *_: 0.001)
    for counted in ("calls", "prompt_tokens", "completion_tokens"):
        lines = [getattr(line, counted) for line in told.models]
        whole = getattr(told.total, counted)
        assert (sum(s.low for s in lines), sum(s.high for s in lines)) == (whole.low, whole.high)
    assert told.total.usd is not None
    assert (0.007, 0.301) == (told.total.usd.low, told.total.usd.high)


def test_an_unknown_price_is_never_zero() -> None:
    """A model that no list knows has no dollars; one that is free has zero dollars."""
    known, unknown, free = Planned("vote", PANEL).estimate(some_price).models
    assert (None, 0.0) == (unknown.usd, free.usd and free.usd.high)
    assert known.usd is not None
    assert 0.0009 == known.usd.low


def test_a_total_with_an_unknown_price_has_no_high_end() -> None:
    """It costs at least what is known, and no one knows how much at most."""
    total = Planned("vote", PANEL).estimate(some_price).total
    assert total.usd is not None
    assert (0.0009, None, 1) == (total.usd.low, total.usd.high, total.models_of_unknown_price)


@pytest.mark.parametrize(("price", "unknown"), [(no_price, 3), (some_price, 1)])
def test_a_total_without_any_price_is_unknown(price: Price, unknown: int) -> None:
    """Only where no price is known there are no dollars at all."""
    total = Planned("vote", PANEL).estimate(price).total
    assert (unknown, unknown == len(PANEL)) == (total.models_of_unknown_price, total.usd is None)


def test_prices_are_looked_up_under_the_models_full_name() -> None:
    """A bare id of Cerebras is priced there, whichever other provider serves it."""
    seen: set[ModelId] = set()

    def price(model: ModelId, _sent: int, _got: int) -> float:
        seen.add(model)
        return 0.1

    Planned("vote", ("gpt-oss-120b", "x/y")).estimate(price)
    assert {route("gpt-oss-120b"), route("x/y")} == seen


@pytest.mark.parametrize(("clarify", "most"), [(True, 3), (False, 0)])
def test_every_turn_may_have_one_further_call(clarify: bool, most: int) -> None:
    """None to one per turn comes on top, each with the earlier turn and twice the length; a switch leaves them out."""
    told = Planned("vote", ("m/a", "m/b", "m/c")).estimate(lambda *_: 0.5, clarify=clarify)

    assert (Range(low=3, high=3), Range(low=0, high=most)) == (told.total.calls, told.further.calls)
    assert Range(low=0, high=most * 2 * ROUND_1.output) == told.further.completion_tokens
    assert [Range(low=0, high=1)] * most == [line.calls for line in told.further_models]
