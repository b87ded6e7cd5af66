"""The timer that notices a silent provider."""

import asyncio
import time

import pytest

from activities.providers import silence
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


async def test_what_arrived_while_the_process_was_stopped_is_no_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    """Behind a stop that is longer than both limits there is time to read first; then they hold as before."""
    monkeypatch.setattr(silence, "_STOPPED", 0.02)
    monkeypatch.setattr(silence, "_TO_READ", 0.2)
    timer, read = SilenceTimer(0.01, 0.03), list[int]()
    time.sleep(0.05)  # noqa: ASYNC251 - a process that is stopped

    async def read_all() -> None:
        for number in range(6):
            await asyncio.sleep(0)
            read.append(number)
        await asyncio.Event().wait()

    with pytest.raises(TimeoutError):
        async with timer.timeout:
            await read_all()
    assert (6, True) == (len(read), timer.is_silent)
