"""Who gets a place, who waits, and who goes back to the queue."""

import asyncio
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta

import pytest

from activities.providers.call_slots import MOST_AWAY, CallSlots, NoSlotError, Turn, slots_for
from tests.fakes.seats import Held, Line

NAMES = ("a", "b", "c", "d")
LONG_AGO = datetime(2026, 5, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("total", "providers", "alone"), [(20, 1, 20), (20, 2, 19), (20, 4, 17), (40, 4, 34), (3, 4, 3)]
)
async def test_a_provider_alone_leaves_a_place_for_each_other_one(total: int, providers: int, alone: int) -> None:
    """One place in twenty stays free for every other provider with a key, where there are enough for all."""
    async with Line(CallSlots(total, NAMES[:providers])) as line:
        await line.come("a", total)
        assert alone == line.holding("a")


async def test_providers_that_hold_everything_never_hold_the_last_ones_place() -> None:
    """When three providers have taken what they can, the fourth has a place at once."""
    async with Line(CallSlots(20, NAMES)) as line:
        for name in "abc":
            await line.come(name, 20)
        await line.come("d", 1)
        assert (19, 1) == (sum(line.holding(name) for name in "abc"), line.holding("d"))


async def test_a_free_place_goes_to_the_provider_with_the_fewest() -> None:
    """Whichever came first, places that become free even the shares out."""
    async with Line(CallSlots(8, NAMES[:2])) as line:
        await line.come("a", 20)
        await line.come("b", 20)
        for _ in range(3):
            await line.end_one("a")
        assert (4, 4) == (line.holding("a"), line.holding("b"))


async def test_a_single_provider_uses_all_its_places_again() -> None:
    """A place that becomes free is taken at once by the next call in line."""
    async with Line(CallSlots(4, NAMES[:1])) as line:
        await line.come("a", 6)
        await line.end_one("a")
        assert (4, 5) == (line.holding("a"), line.served)


async def test_a_providers_own_limit_holds_beside_the_shares() -> None:
    """No more requests of a provider are made at once than it allows, whatever is free."""
    async with Line(CallSlots(20)) as line:
        await line.come("a", 5, most=2)
        await line.come("b", 3)
        assert (2, 3) == (line.holding("a"), line.holding("b"))


async def test_the_line_is_in_order_of_priority_and_age() -> None:
    """A user's call goes before a study's, and the oldest call before a younger one that returned."""
    order: list[str] = []
    places = CallSlots(1)
    turns = {
        "study, young": Turn(4, LONG_AGO + timedelta(hours=1)),
        "study, old": Turn(4, LONG_AGO),
        "person": Turn(2, LONG_AGO + timedelta(hours=2)),
    }

    async def ask(name: str) -> None:
        async with places.take("a", turns[name]):
            order.append(name)

    async with AsyncExitStack() as stack:
        await stack.enter_async_context(places.take("a"))
        asked = [asyncio.create_task(ask(name)) for name in turns]
        await asyncio.sleep(0)
    await asyncio.gather(*asked)
    assert ["person", "study, old", "study, young"] == order


async def test_a_long_line_that_does_not_move_is_sent_back() -> None:
    """While requests hang, calls beyond a short line leave at once; where places become free they may wait."""
    clock = [0.0]
    places = CallSlots(4, NAMES[:2], now=lambda: clock[0])
    async with Line(places) as line:
        await line.come("a", 8)
        waiting_while_fresh = line.waiting("a")
        clock[0] = 60.0
        await line.come("a", 8)
        assert (5, 8, 5) == (waiting_while_fresh, line.refused, line.waiting("a"))
        await line.come("b", 1)
        assert 1 == line.holding("b")


async def test_calls_that_were_sent_back_come_again_one_after_the_other() -> None:
    """The pauses grow as fast as places become free, up to a minute."""
    clock = [0.0]
    places = CallSlots(1, now=lambda: clock[0])
    async with Line(places) as line:
        await line.come("a", 4)
        clock[0] = 10.0
        await line.come("a", 9)
        assert [11.0, 21.0, 31.0, 41.0, 51.0, MOST_AWAY, MOST_AWAY] == line.pauses[:7]


async def test_nobody_waits_longer_than_an_attempt_has() -> None:
    """A call that has waited its time goes back to the queue and leaves the line."""
    async with Line(CallSlots(1, longest=0.02)) as line:
        await line.come("a", 2)
        await line.ended(1)
        assert (1, 0, 1) == (line.refused, line.waiting("a"), line.holding("a"))


async def test_a_call_that_is_cancelled_leaves_the_line() -> None:
    """A cancelled call takes no place, and one that was just given a place gives it on."""
    places = CallSlots(1)
    async with places.take("a"):
        first, second = (asyncio.create_task(Held.hold(places, "a")) for _ in range(2))
        await asyncio.sleep(0)
    first.cancel()
    assert await asyncio.wait_for(second, 5)
    assert first.cancelled() or first.cancelling()


async def test_a_process_that_stops_sends_everyone_back() -> None:
    """Calls that wait leave at once, calls that come are refused, requests that are made continue."""
    places = CallSlots(1)
    async with Line(places) as line:
        await line.come("a", 3)
        places.close()
        await line.ended(2)
        await line.come("a", 1)
        assert (1, 3) == (line.holding("a"), line.refused)


def test_a_worker_accepts_more_calls_than_it_makes() -> None:
    """Beside the calls that are made there is room for those that wait, so that a healthy provider gets its calls."""
    assert 80 == slots_for(20)


def test_the_refusal_names_the_provider() -> None:
    """What Temporal shows between two attempts says why the call waits."""
    assert "lab: all places of this worker are taken" in str(NoSlotError("lab", 1.0))
