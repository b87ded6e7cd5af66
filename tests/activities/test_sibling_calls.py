"""Replies to calls of one workflow run that come at nearly the same moment are reported together."""

import asyncio

import pytest

from activities.sibling_calls import SiblingCalls

LONG = 60.0
"""Seconds that no test waits."""


async def turns() -> None:
    """Let all tasks go as far as they can."""
    for _ in range(5):
        await asyncio.sleep(0)


class Calls:
    """Calls of workflow runs, and the order in which their replies came and were reported."""

    def __init__(self, patience: float) -> None:
        self._siblings = SiblingCalls(patience)
        self.events: list[str] = []

    async def call(self, name: str, ended: asyncio.Event, *, run: str = "run", error: Exception | None = None) -> None:
        """Make a call that gets a reply, or fails, when ``ended`` is set."""
        with self._siblings.counting(run):
            await ended.wait()
            self.events.append(f"{name} ended")
            if error:
                raise error
        await self._siblings.gather(run)
        self.events.append(f"{name} reported")

    def begin(self, name: str, ended: asyncio.Event, run: str = "run") -> "asyncio.Task[None]":
        """Make a call in a task of its own."""
        return asyncio.create_task(self.call(name, ended, run=run))


async def test_a_reply_waits_for_the_last_one_of_its_run() -> None:
    """The first of two replies is reported when the second has come, which waits for nothing."""
    calls, ends = Calls(LONG), (asyncio.Event(), asyncio.Event())
    first, second = calls.begin("first", ends[0]), calls.begin("second", ends[1])
    await turns()
    ends[0].set()
    await turns()
    assert calls.events == ["first ended"]
    ends[1].set()
    await asyncio.gather(first, second)
    assert calls.events[:2] == ["first ended", "second ended"]


async def test_a_call_alone_waits_for_nothing() -> None:
    """A reply is reported at once where no other call of its run is running; calls of other runs do not count."""
    calls, ends, never = Calls(LONG), asyncio.Event(), asyncio.Event()
    other = calls.begin("other", never, run="another run")
    await turns()
    ends.set()
    await calls.call("alone", ends)
    assert calls.events == ["alone ended", "alone reported"]
    other.cancel()
    await asyncio.gather(other, return_exceptions=True)


async def test_a_long_call_holds_up_no_reply() -> None:
    """A reply that waited long enough is reported, and the next one waits anew."""
    calls, ended, never = Calls(0.01), asyncio.Event(), asyncio.Event()
    long = calls.begin("long", never)
    await turns()
    ended.set()
    await calls.call("first", ended)
    await calls.call("second", ended)
    assert calls.events == ["first ended", "first reported", "second ended", "second reported"]
    never.set()
    await long


@pytest.mark.parametrize("way", ["error", "cancelled"])
async def test_a_call_without_a_reply_holds_up_no_other(way: str) -> None:
    """A call that fails or is cancelled ends too: those that waited for it are reported."""
    calls, ends, last = Calls(LONG), asyncio.Event(), asyncio.Event()
    failing = asyncio.create_task(calls.call("failing", last, error=ValueError("no reply")))
    waiting = calls.begin("waiting", ends)
    await turns()
    ends.set()
    await turns()
    if way == "error":
        last.set()
    else:
        failing.cancel()
    await asyncio.gather(failing, return_exceptions=True)
    await waiting
    assert calls.events[-1] == "waiting reported"


async def test_a_reply_whose_attempt_is_cancelled_leaves_the_others_waiting() -> None:
    """Who waits beside a cancelled attempt is reported when the last call ends, and not with an error."""
    calls, ends, last = Calls(LONG), asyncio.Event(), asyncio.Event()
    cancelled, waiting, running = calls.begin("one", ends), calls.begin("two", ends), calls.begin("three", last)
    await turns()
    ends.set()
    await turns()
    cancelled.cancel()
    await asyncio.gather(cancelled, return_exceptions=True)
    assert "two reported" not in calls.events
    last.set()
    await asyncio.gather(waiting, running)
    assert "one reported" not in calls.events
