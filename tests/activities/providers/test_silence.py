"""The timer that notices a silent provider."""

import asyncio
import time

import pytest

from activities.providers.silence import SilenceTimer


async def test_silence_ends_the_block() -> None:
    """Nothing noted within the time is a timeout."""
    timer = SilenceTimer(0.01)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(60), timer.timeout:
            await asyncio.Event().wait()
    assert timer.timeout.expired()


async def test_a_shorter_limit_counts_at_once() -> None:
    """A limit that becomes shorter is not waited for until the longer one would have run out."""
    timer = SilenceTimer(3600)
    timer.restart(0.01)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(60), timer.timeout:
            await asyncio.Event().wait()
    assert timer.timeout.expired()


async def test_a_timer_that_was_moved_runs_out_later() -> None:
    """What is noted in time moves the end, with one timer for all of it."""
    timer = SilenceTimer(0.0)
    timer.restart(3600)
    async with timer.timeout:
        for _ in range(3):
            await asyncio.sleep(0)
    timer.stop()
    assert not timer.timeout.expired()


async def test_the_total_time_ends_the_block_and_is_no_silence() -> None:
    """What is noted in time does not move the total."""
    timer = SilenceTimer(3600, 0.01)
    timer.restart(3600)
    with pytest.raises(TimeoutError):
        async with timer.timeout:
            await asyncio.Event().wait()
    assert not timer.is_silent


@pytest.mark.parametrize(("seconds", "is_silent"), [(0.01, True), (0.05, False)])
async def test_the_first_of_both_limits_is_the_reason(seconds: float, *, is_silent: bool) -> None:
    """A silence that ends before the total time is one, and one that would end behind it is none."""
    timer = SilenceTimer(seconds, 0.03)
    with pytest.raises(TimeoutError):
        async with timer.timeout:
            await asyncio.Event().wait()
    assert timer.is_silent is is_silent


async def test_a_silence_that_is_noticed_late_is_one() -> None:
    """Where the event loop was busy until after both limits, the one that was reached first is the reason."""
    timer = SilenceTimer(0.01, 0.03)
    time.sleep(0.05)  # noqa: ASYNC251 - a loop that is busy
    with pytest.raises(TimeoutError):
        async with timer.timeout:
            await asyncio.Event().wait()
    assert timer.is_silent
