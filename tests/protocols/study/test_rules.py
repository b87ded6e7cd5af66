"""What follows from the values of a study: leave to begin, caps, tallies, trouble, spans of shards."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.flaws import Flaw, degraded_of
from protocols.model_call import ParticipantId, Spending
from protocols.study import budget, outcomes
from protocols.study.messages import (
    BudgetInput,
    DeliberationOutcome,
    LostCallInfo,
    PermitRequest,
    RunChange,
    Settlement,
    ShardReport,
)
from protocols.study.model import (
    MOST_IN_FLIGHT,
    SHARD_SIZE,
    Amount,
    BatchInput,
    Budget,
    Counts,
    PauseReason,
    RunSettings,
    add_counts,
)
from protocols.update_requests import BudgetChange

PERSON = PauseReason(cause="person", reason="lunch")
EMPTY = PauseReason(cause="credit", reason="no credit")


def budget_input(
    *, window: int = 10, usd: float | None = None, tokens: int | None = None, **changes: Any
) -> BudgetInput:
    """A budget in which nothing has happened."""
    terms = RunSettings(window=window, cap=Budget(usd=usd, tokens=tokens))
    return BudgetInput(study="s", batch_id="s", batch_run="run", terms=terms, **changes)


def wanting(*usd: float, shard: str = "a", first: int = 0) -> ShardReport:
    """A shard that wants leave for deliberations of these estimates."""
    wanted = (PermitRequest(number=n, estimate=Amount(usd=u, tokens=10)) for n, u in enumerate(usd, start=first))
    return ShardReport(shard_id=shard, wanted=tuple(wanted))


def settling(number: int, usd: float, *, shard: str = "a") -> ShardReport:
    """A shard that settles one deliberation."""
    return ShardReport(shard_id=shard, settled=(Settlement(number=number, used=Amount(usd=usd, tokens=10)),))


def test_leave_is_given_in_the_order_of_requesting() -> None:
    """First come, first served, over all shards, as far as the window goes; what is estimated is reserved."""
    asked = budget.apply_report(
        budget.apply_report(budget_input(window=3), wanting(1, 1)), wanting(1, 1, shard="b", first=5)
    )
    state, leave = budget.issue_permits(asked)

    assert {"a": (0, 1), "b": (5,)} == leave
    assert (Amount(usd=3, tokens=30), 3, 1) == (
        budget.reservations(state).total(),
        budget.count_in_flight(state),
        len(state.queue),
    )


def test_what_has_settled_waits_no_more() -> None:
    """After a reset requests and ends come again: what has ended leaves the queue, and others of its number stay."""
    state = budget.apply_report(budget_input(), wanting(1, 1, shard="a"))
    state = budget.apply_report(state, wanting(1, shard="b"))
    state = budget.apply_report(state, settling(0, 0.5, shard="a"))

    assert [("a", 1), ("b", 0)] == [(shard, wanted.number) for shard, wanted in state.queue]
    assert (Amount(usd=0.5, tokens=10), 0) == (state.used, budget.count_in_flight(state))


def test_settling_makes_space() -> None:
    """What was reserved comes back, what it really took is used, and the next one begins."""
    state, _ = budget.issue_permits(budget.apply_report(budget_input(window=1), wanting(1, 1)))
    state, leave = budget.issue_permits(budget.apply_report(state, settling(0, 2.5)))

    assert {"a": (1,)} == leave
    assert (Amount(usd=2.5, tokens=10), Amount(usd=1, tokens=10)) == (state.used, budget.reservations(state).total())


def test_a_shard_that_leaves_waits_for_nothing() -> None:
    """What it asked for before, and what its last report still asks for, is given to no one."""
    state = budget.apply_report(budget_input(), wanting(1, 1))
    state = budget.apply_report(state, wanting(1, first=2).model_copy(update={"is_leaving": True}))

    assert ((), {}) == (state.queue, budget.issue_permits(state)[1])


def test_nothing_begins_beyond_the_cap() -> None:
    """What is used and reserved together stays within the cap; while some of it may come back, there is no pause."""
    state, leave = budget.issue_permits(budget.apply_report(budget_input(usd=2), wanting(1, 1, 1)))

    assert ({"a": (0, 1)}, None) == (leave, state.pause)


def test_a_tenth_ten_times_is_one() -> None:
    """Binary fractions do not cost the last deliberation its place."""
    _, leave = budget.issue_permits(budget.apply_report(budget_input(usd=1), wanting(*[0.1] * 11)))

    assert 10 == len(leave["a"])


def test_what_is_free_begins_though_the_budget_is_used_up() -> None:
    """After a reset what has a verdict runs again first, also in a pause of the budget, and in no other pause."""
    free = tuple(one.model_copy(update={"is_free": True}) for one in wanting(1, 1, first=7).wanted)
    state, _ = budget.issue_permits(budget.apply_report(budget_input(usd=1), wanting(1, 1)))
    state, _ = budget.issue_permits(budget.apply_report(state, settling(0, 1)))
    state = budget.apply_report(state, ShardReport(shard_id="a", wanted=free))
    held = state.model_copy(update={"pause": PauseReason(cause="person", reason="lunch")})

    assert ("budget", {"a": (7, 8)}) == (state.pause and state.pause.cause, budget.issue_permits(state)[1])
    assert (state.pause, {}) == (budget.issue_permits(state)[0].pause, budget.issue_permits(held)[1])


@pytest.mark.parametrize(
    ("cap", "remedy"),
    [({"usd": 1.5}, "parley batch budget s --usd"), ({"tokens": 15}, "parley batch budget s --tokens")],
)
def test_a_cap_that_nothing_can_free_pauses(cap: dict[str, Any], remedy: str) -> None:
    """When the next one would not fit though everything reserved returned, it pauses and says what to do."""
    state, _ = budget.issue_permits(budget.apply_report(budget_input(**cap), wanting(1, 1)))
    state, leave = budget.issue_permits(budget.apply_report(state, settling(0, 1)))

    assert {} == leave
    assert state.pause is not None
    assert "budget" == state.pause.cause
    assert remedy in state.pause.reason


def test_a_pause_of_the_budget_states_what_is_used_by_now() -> None:
    """Deliberations in flight settle while it lasts: its figure and the batch's are one."""
    asked = budget.apply_report(budget_input(usd=2.0), wanting(1.5, 1, 1))
    waiting, _ = budget.issue_permits(asked.model_copy(update={"used": Amount(usd=0.4)}))
    paused = budget.apply_report(waiting, settling(0, 1.25))
    state, _ = budget.issue_permits(paused)
    later = budget.apply_report(state, settling(1, 0.5))

    status = budget.budget_status(later)
    assert status.pause is not None
    assert f"Budget of $2.00 reached: ${status.used.usd:.4f} used" in status.pause.reason


def test_a_raised_budget_lifts_its_pause() -> None:
    """Other terms lift the pause that the budget caused, when they are enough."""
    state, _ = budget.issue_permits(budget.apply_report(budget_input(usd=1, used=Amount(usd=1)), wanting(1)))
    still = budget.apply_change(state, RunChange(number=1, terms=RunSettings(cap=Budget(usd=1))))
    more = budget.apply_change(state, RunChange(number=2, terms=RunSettings(cap=Budget(usd=2))))

    assert still.pause is not None
    assert (None, 2, {"a": (0,)}) == (more.pause, more.orders, budget.issue_permits(more)[1])


def test_a_budget_below_what_is_used_pauses() -> None:
    """Nothing more begins, whether a shard waits or not."""
    state = budget.apply_change(
        budget_input(used=Amount(usd=5)), RunChange(number=1, terms=RunSettings(cap=Budget(usd=3)))
    )

    assert state.pause is not None
    assert "budget" == state.pause.cause


def test_a_person_s_pause_is_lifted_by_a_person_alone() -> None:
    """Neither trouble nor other terms replace it."""
    paused = budget.apply_change(budget_input(), RunChange(number=1, pause=PERSON))
    troubled = budget.apply_report(paused, ShardReport(shard_id="a", trouble=EMPTY))
    changed = budget.apply_change(troubled, RunChange(number=2, terms=RunSettings(cap=Budget(usd=3))))

    assert [PERSON] * 3 == [paused.pause, troubled.pause, changed.pause]
    assert budget.apply_change(changed, RunChange(number=3, resume=True)).pause is None


def test_trouble_is_graver_than_the_budget() -> None:
    """More money in the cap does not help while the provider's account is empty."""
    state = budget_input(pause=PauseReason(cause="budget", reason="spent"))

    assert EMPTY == budget.apply_report(state, ShardReport(shard_id="a", trouble=EMPTY)).pause


def test_while_it_is_paused_nothing_begins() -> None:
    """One that asks waits."""
    state, leave = budget.issue_permits(budget.apply_report(budget_input(pause=PERSON), wanting(1)))

    assert ({}, 1) == (leave, len(state.queue))


@st.composite
def races(draw: st.DrawFn) -> tuple[float, list[tuple[float, float]], list[int]]:
    """A cap, estimates with what each really takes, and the order in which those in flight end."""
    money = st.floats(min_value=0.01, max_value=3)
    return draw(money) * 5, draw(st.lists(st.tuples(money, money), max_size=30)), draw(st.lists(st.integers(0, 99)))


@given(races())
def test_the_cap_is_overshot_by_the_error_of_what_is_in_flight_at_most(
    race: tuple[float, list[tuple[float, float]], list[int]],
) -> None:
    """However wrong estimates are: beyond the cap is only what those in flight took above what was reserved."""
    cap, costs, order = race
    state = budget.apply_report(budget_input(window=7, usd=cap), wanting(*(estimate for estimate, _ in costs)))
    allowed, ending = cap, list(order)
    while True:
        state, leave = budget.issue_permits(state)
        flying = sorted(state.reserved.get("a", {}))
        if leave:
            errors = (costs[n][1] - costs[n][0] for n in flying)
            allowed = cap + sum(max(0.0, error) for error in errors)
        if not flying:
            break
        number = flying[(ending.pop() if ending else 0) % len(flying)]
        state = budget.apply_report(state, settling(number, costs[number][1]))

    assert state.used.usd <= allowed + 1e-6
    assert not state.queue or state.pause is not None


def outcome(*error_types: str, **changes: Any) -> DeliberationOutcome:
    """A result with calls lost in these ways."""
    failed = tuple(LostCallInfo(error_type=name, message="told.") for name in error_types)
    return DeliberationOutcome(
        stop_reason="x", failed=failed, spent=Spending(calls=2, usd=0.5, prompt_tokens=7), **changes
    )


@pytest.mark.parametrize(
    ("lost", "is_failed", "cause"),
    [
        (("provider.payment_required",), True, "credit"),
        (("provider.quota_exhausted",), True, "credit"),
        (("provider.auth", "provider.auth"), True, "key"),
        (("config.missing_key",), True, "config"),
        (("provider.auth", "provider.bad_request"), True, None),
        (("provider.auth", "provider.bad_request"), False, "key"),
        (("provider.bad_request",), False, None),
        ((), True, None),
        ((), False, None),
    ],
)
def test_trouble(lost: tuple[str, ...], is_failed: bool, cause: str | None) -> None:
    """A failure is trouble when a user can mend all its losses, and a verdict otherwise."""
    found = outcomes.pause_reason("s", outcome(*lost), is_failed=is_failed)

    assert cause == (found and found.cause)
    assert found is None or found.reason.endswith("then: parley batch resume s")


def test_a_long_reason_keeps_its_remedy() -> None:
    """What the provider said is cut, what to do is not."""
    told = DeliberationOutcome(stop_reason="x", failed=(LostCallInfo(error_type="provider.auth", message="no " * 300),))
    found = outcomes.pause_reason("s", told, is_failed=True)

    assert found is not None
    assert found.reason.endswith("parley batch resume s")


def test_a_deliberation_is_counted_once() -> None:
    """Held or failed, degraded only when held, with its calls and what it took."""
    flawed = degraded_of([Flaw(kind="refused", stage="opinion", participant=ParticipantId("p1"))])
    held = outcomes.count_outcome(outcome(degraded=flawed), is_failed=False)
    failed = outcomes.count_outcome(outcome(degraded=flawed), is_failed=True)
    both = add_counts(held, failed, Counts(missing=1))

    assert ((1, 0, 1), (0, 1, 0)) == (
        (held.completed, held.failed, held.degraded),
        (failed.completed, failed.failed, failed.degraded),
    )
    assert (3, 4, Amount(usd=1.0, tokens=14), {"refused": 2}) == (both.ended, both.calls, both.used, both.flaws)
    twice = DeliberationOutcome(stop_reason="x", spent=Spending(calls=1, unanswered_requests=2))
    repeated = outcomes.count_outcome(twice, is_failed=False)
    assert 4 == add_counts(repeated, repeated, both).unanswered_requests


def test_what_reported_nothing_is_charged_what_was_reserved() -> None:
    """The cap holds even when part of a spending is unknown, and that teaches nothing; what was charged is left out."""
    reserved = Amount(usd=1, tokens=10)

    assert reserved == outcomes.amount_to_charge(reserved, Spending(), is_reported=False)
    assert Amount() == outcomes.amount_to_charge(reserved, Spending())
    for known, charged in ((Spending(usd=0.4, prompt_tokens=30), 30), (Spending(usd=0.4, prompt_tokens=3), 10)):
        uncounted = known.model_copy(update={"calls": 3, "calls_of_unknown_tokens": 1})
        result = DeliberationOutcome(stop_reason="x", spent=uncounted)
        assert Amount(usd=1, tokens=charged) == outcomes.amount_to_charge(reserved, uncounted)
        assert outcomes.settlement(1, reserved, result, has_verdict=True).took is None
    assert Amount(usd=0.25, tokens=0) == budget.remaining(Amount(usd=0.5, tokens=7), Amount(usd=0.25, tokens=9))


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (BudgetChange(usd=2), Budget(usd=2, tokens=9)),
        (BudgetChange(tokens=5), Budget(usd=1, tokens=5)),
        (BudgetChange(any_usd=True), Budget(tokens=9)),
        (BudgetChange(any_tokens=True, usd=3), Budget(usd=3)),
    ],
)
def test_a_budget_is_changed_where_it_is_named(change: BudgetChange, expected: Budget) -> None:
    """What is not named stays."""
    assert expected == budget.change_budget(Budget(usd=1, tokens=9), change)


@given(end=st.integers(1, 5000), window=st.integers(1, MOST_IN_FLIGHT))
def test_shards_cover_every_instance_once(end: int, window: int) -> None:
    """Shards follow each other without a gap, and so many are open that the window is filled."""
    place, found = 0, list[int]()
    while place < end:
        numbers = budget.shard_numbers(None, place, end)
        place += len(numbers)
        found += numbers
    most = budget.shard_limit(window)

    assert list(range(end)) == found
    assert min(window, MOST_IN_FLIGHT) <= most * SHARD_SIZE <= MOST_IN_FLIGHT


def test_a_list_of_instances_is_spanned_by_its_places() -> None:
    """A retry holds those that are listed, in their order, however far ``end`` goes."""
    inp = BatchInput(study="s", title="s", end=9, only=(40, 7, 12))

    assert 3 == inp.last_place
    assert (7, 12) == budget.shard_numbers(inp.only, 1, inp.last_place)
