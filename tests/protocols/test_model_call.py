"""The values of a call: what it may hold, and how spending adds up."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue, TypeAdapter, ValidationError

from protocols.model_call import (
    Answered,
    CallTimeouts,
    Cost,
    Failed,
    FrozenModel,
    LostCall,
    ModelId,
    ParticipantId,
    Reply,
    Spending,
    Usage,
    lost_call,
)
from protocols.spending import add_spending

P1, MODEL = ParticipantId("p1"), ModelId("openrouter:a/b")


def answered(usage: Usage | None = None, cost: Cost | None = None) -> Answered:
    """An answer that used and cost this much."""
    return Answered(
        call_id="opinion-p1",
        participant=P1,
        model=MODEL,
        text="yes",
        provider="openrouter",
        usage=usage or Usage(),
        cost=cost or Cost(),
    )


def failed(usage: Usage | None = None, cost: Cost | None = None) -> Failed:
    """A lost call that used and cost this much."""
    return Failed(
        kind="timeout",
        call_id="opinion-p2",
        participant=P1,
        model=MODEL,
        error_type="provider.timeout",
        message="",
        usage=usage or Usage(),
        cost=cost or Cost(),
    )


counts = st.none() | st.integers(0, 10**9)
dollars = st.none() | st.floats(0, 1e6, allow_nan=False)
replies = st.lists(
    st.builds(
        lambda make, usage, usd: make(usage, Cost(usd=usd, source="unknown" if usd is None else "provider")),
        st.sampled_from([answered, failed]),
        st.builds(Usage, prompt_tokens=counts, completion_tokens=counts),
        dollars,
    )
)


@given(replies)
def test_spending_does_not_depend_on_the_order_of_the_replies(found: list[Answered | Failed]) -> None:
    """The same replies in another order give the same sum, to the last cent."""
    assert add_spending(found) == add_spending(found[::-1])


@given(replies)
def test_every_call_is_counted_and_unknown_costs_are_reported(found: list[Answered | Failed]) -> None:
    """An unknown cost is distinguished from a cost of nothing."""
    total = add_spending(found)
    assert total.calls == len(found)
    assert total.calls_of_unknown_cost == sum(reply.cost.usd is None for reply in found)


def test_a_lost_call_is_paid_for_all_the_same() -> None:
    """What a failed call used and cost is in the sum beside what was answered."""
    both: list[Answered | Failed] = [
        answered(Usage(prompt_tokens=10, completion_tokens=5), Cost(usd=0.25, source="provider")),
        failed(Usage(prompt_tokens=7), Cost(usd=0.5, source="price_list")),
    ]
    total = add_spending(both)
    assert total == Spending(calls=2, prompt_tokens=17, completion_tokens=5, usd=0.75, answered={"openrouter": 1})
    assert total.tokens == 22


def test_nothing_said_costs_nothing() -> None:
    """No reply at all is a sum of zero, and adds nothing to what was spent before."""
    before = Spending(calls=3, prompt_tokens=17, usd=0.25, calls_of_unknown_cost=1)
    assert add_spending([]) == Spending()
    assert add_spending([], before) == before


def test_what_was_spent_before_is_in_the_sum() -> None:
    """Every figure continues from where it was."""
    before = Spending(calls=3, prompt_tokens=17, completion_tokens=5, usd=0.25, calls_of_unknown_cost=1)
    later: list[Answered | Failed] = [
        answered(Usage(prompt_tokens=10, completion_tokens=2), Cost(usd=0.5, source="provider")),
        failed(),
    ]
    assert add_spending(later, before) == Spending(
        calls=5,
        prompt_tokens=27,
        completion_tokens=7,
        usd=0.75,
        calls_of_unknown_cost=2,
        answered={"openrouter": 1},
    )


@given(replies)
def test_adding_one_by_one_comes_to_the_same(found: list[Answered | Failed]) -> None:
    """Replies counted as they come in are the same sum as all of them at once, but for the rounding to 12 decimals."""
    one_by_one = Spending()
    for reply in found:
        one_by_one = add_spending([reply], one_by_one)
    at_once = add_spending(found)
    assert one_by_one.usd == pytest.approx(at_once.usd, rel=1e-12, abs=1e-12 * (len(found) + 1))
    assert one_by_one.model_copy(update={"usd": at_once.usd}) == at_once


def test_three_hundred_small_sums_leave_no_dust() -> None:
    """A tenth of a cent three hundred times, one by one, is thirty cents and no fraction more."""
    total = Spending()
    for _ in range(300):
        total = add_spending([answered(cost=Cost(usd=0.001, source="provider"))], total)
    assert total.usd == 0.3


@pytest.mark.parametrize(
    ("prompt", "completion", "total"), [(None, None, None), (3, None, 3), (None, 4, 4), (3, 4, 7), (0, 0, 0)]
)
def test_tokens_are_unknown_only_when_nothing_is_known(
    prompt: int | None, completion: int | None, total: int | None
) -> None:
    """Unknown is ``None`` and never zero."""
    assert Usage(prompt_tokens=prompt, completion_tokens=completion).total_tokens == total


def test_a_lost_call_is_reported_with_where_it_was_lost() -> None:
    """A result has who was lost, in which stage and round, why, and after how many attempts; no text and no cost."""
    reply = failed(cost=Cost(usd=0.5, source="provider")).model_copy(update={"message": "no answer", "attempts": 6})
    assert lost_call(reply, "consensus_check", 7) == LostCall(
        participant=P1,
        model=MODEL,
        stage="consensus_check",
        round=7,
        kind="timeout",
        error_type="provider.timeout",
        message="no answer",
        attempts=6,
    )


def test_a_lost_call_without_a_round_is_of_the_first() -> None:
    """A protocol of one round need not say so, and neither did older results."""
    told = lost_call(failed(), "opinion").model_dump(mode="json", exclude={"round"})
    assert LostCall.model_validate(told) == lost_call(failed(), "opinion", 1)


def test_patience_may_have_no_end() -> None:
    """120 s bound an attempt unless another bound is given (seed 002); ``None`` bounds nothing (seed 004)."""
    endless = CallTimeouts(total=None)
    assert (CallTimeouts().total, endless.total) == (120.0, None)
    assert CallTimeouts.model_validate_json(endless.model_dump_json()) == endless


@pytest.mark.parametrize("total", [0, -1, 86_401, math.inf])
def test_a_limit_on_an_attempt_is_a_time_that_passes(total: float) -> None:
    """No limit is written as ``None``, never with nothing or for ever."""
    with pytest.raises(ValidationError):
        CallTimeouts(total=total)


@pytest.mark.parametrize("number", [math.nan, math.inf, -0.01])
def test_a_cost_is_finite_and_not_negative(number: float) -> None:
    """A number that no invoice can show is refused."""
    with pytest.raises(ValidationError):
        Cost(usd=number, source="provider")


@pytest.mark.parametrize("reply", [answered(), failed()], ids=["answered", "failed"])
def test_a_reply_survives_the_wire(reply: Answered | Failed) -> None:
    """What is read back from JSON is the value that was written, of the same kind."""
    adapter: TypeAdapter[Answered | Failed] = TypeAdapter(Reply)
    assert adapter.validate_json(adapter.dump_json(reply)) == reply


def test_a_newer_field_is_ignored() -> None:
    """An older worker reads what a newer one wrote."""
    newer: dict[str, JsonValue] = {**answered().model_dump(mode="json"), "mood": "good"}
    assert Answered.model_validate(newer) == answered()


def test_a_value_never_changes() -> None:
    """A value refuses to be changed after it was made, and stays as it was."""
    value: FrozenModel = Usage(prompt_tokens=1)
    with pytest.raises(ValidationError):
        setattr(value, "prompt_tokens", 2)  # noqa: B010 - a plain assignment is what the type checker refuses already
    assert value == Usage(prompt_tokens=1)
