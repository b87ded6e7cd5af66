"""Places for requests: how many one worker makes at once, shared so that no provider takes them all.

A provider that accepts requests and never answers holds its places for a minute and a half. So some places are kept
free for every other provider that has a key, always, and a place that becomes free goes to the provider that holds the
fewest. Within one provider the order is the priority of the deliberations, then the age of the calls.

Calls that wait for a slot fill the worker's slots too, and hide the calls behind them from it. So a waiting line
that does not move is kept short: a call beyond it leaves with ``NoSlotError``, goes back to Temporal's queue, and
comes back after a pause. Lines that move are left alone: there a free slot is a matter of moments.
"""

import asyncio
import random
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import NamedTuple

LONGEST_IN_LINE = 20.0
"""Seconds that a call waits for a place before it goes back to the queue; an attempt has 30 beside its request."""
MOST_AWAY = 60.0
"""Seconds after which a call that was sent back comes again at the latest."""

_ONE_IN = 20
_SLOTS_PER_PLACE = 4
_MOVING = 5.0
"""A line moves when its last call will have a place within so many seconds."""
_LEAST_AWAY = 1.0
_SMOOTHING = 0.2


class NoSlotError(Exception):
    """All places that a provider may use stayed taken. Nothing was sent."""

    def __init__(self, provider: str, pause: float) -> None:
        super().__init__(f"{provider}: all places of this worker are taken; the call goes back to its queue")
        self.pause = pause
        """Seconds after which to come again."""


class Turn(NamedTuple):
    """The place of a call in its provider's queue: the smallest is first."""

    priority: int = 3
    asked_at: datetime = datetime.min.replace(tzinfo=UTC)


_ANY_TURN = Turn()


@dataclass(eq=False)
class _Waiting:
    provider: str
    turn: Turn
    most: int | None
    granted: asyncio.Future[None]


@dataclass
class _Flow:
    """The rate at which slots of one provider become free."""

    started: dict[int, float] = field(default_factory=dict)
    """When the requests that are being made began."""
    usual: float = 0.0
    """How long a request took lately, in seconds."""
    returns_at: float = 0.0
    """When the call that was sent back last comes again."""
    _number: int = 0

    def begin(self, now: float) -> int:
        """Note a request that begins, and return its number."""
        self._number += 1
        self.started[self._number] = now
        return self._number

    def interval(self, now: float) -> float:
        """Estimate the seconds between two slots that become free."""
        if not self.started:
            return 0.0
        age = now - sum(self.started.values()) / len(self.started)
        return max(self.usual, age) / len(self.started)

    def end(self, number: int, now: float) -> None:
        """Update the rate from a completed request."""
        took = now - self.started.pop(number)
        self.usual = took if not self.usual else self.usual + _SMOOTHING * (took - self.usual)


def slots_for(places: int) -> int:
    """Return how many calls a worker with so many places accepts at once, waiting ones included."""
    return _SLOTS_PER_PLACE * places


class CallSlots:
    """The places of one process."""

    def __init__(
        self,
        total: int,
        providers: Collection[str] = (),
        *,
        longest: float = LONGEST_IN_LINE,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """Split ``total`` slots among ``providers``, each with its reserved slots."""
        self._total, self._longest, self._now = total, longest, now
        kept = max(1, total // _ONE_IN)
        self._kept = dict.fromkeys(providers, kept if kept * len(providers) <= total else 0)
        self._line = max(1, (slots_for(total) - total) // (len(providers) + 1))
        self._flows: defaultdict[str, _Flow] = defaultdict(_Flow)
        self._held: Counter[str] = Counter()
        self._waiting: list[_Waiting] = []
        self._is_closed = False

    @asynccontextmanager
    async def take(self, provider: str, turn: Turn = _ANY_TURN, most: int | None = None) -> AsyncIterator[None]:
        """Acquire a slot for a request to ``provider``, which has at most ``most`` in this process.

        Raises:
            NoSlotError: there is none in time, or the process stops.
        """
        if self._waiting or self._is_closed or not self._may_have(provider, most):
            await self._enter(_Waiting(provider, turn, most, asyncio.get_running_loop().create_future()))
        else:
            self._held[provider] += 1
        flow = self._flows[provider]
        number = flow.begin(self._now())
        try:
            yield
        finally:
            flow.end(number, self._now())
            self._leave(provider)

    def close(self) -> None:
        """Refuse every waiting and future call, because the process is about to stop."""
        self._is_closed = True
        for one in self._waiting:
            if not one.granted.done():
                one.granted.set_exception(NoSlotError(one.provider, _LEAST_AWAY))
        self._waiting.clear()

    async def _enter(self, one: _Waiting) -> None:
        self._waiting.append(one)
        self._admit()
        if one.granted.done():
            return  # to wait would take a timer and a turn of the event loop
        if self._is_closed or self._is_stuck(one.provider):
            self._waiting.remove(one)
            raise NoSlotError(one.provider, self._pause(one.provider))
        try:
            await asyncio.wait({one.granted}, timeout=self._longest * random.uniform(0.5, 1.0))
        except asyncio.CancelledError:
            self._withdraw(one)
            raise
        if not one.granted.done():
            self._waiting.remove(one)
            raise NoSlotError(one.provider, _LEAST_AWAY)
        one.granted.result()

    def _withdraw(self, one: _Waiting) -> None:
        if one in self._waiting:
            self._waiting.remove(one)
        elif one.granted.exception() is None:
            self._leave(one.provider)

    def _leave(self, provider: str) -> None:
        self._held[provider] -= 1
        self._admit()

    def _admit(self) -> None:
        """Give free places to calls that wait: to the provider with the fewest first, in it to the first in line."""
        while not self._is_closed:
            able = [one for one in self._waiting if self._may_have(one.provider, one.most)]
            if not able:
                return
            first = min(able, key=lambda one: (self._held[one.provider], one.turn))
            self._waiting.remove(first)
            self._held[first.provider] += 1
            first.granted.set_result(None)

    def _may_have(self, provider: str, most: int | None) -> bool:
        if most is not None and self._held[provider] >= most:
            return False
        kept = sum(max(0, kept - self._held[name]) for name, kept in self._kept.items() if name != provider)
        return self._total - self._held.total() > kept

    def _is_stuck(self, provider: str) -> bool:
        """Return whether the line of ``provider``, the newest call included, is long and does not move."""
        length = sum(one.provider == provider for one in self._waiting)
        return length > self._line and length * self._flows[provider].interval(self._now()) > _MOVING

    def _pause(self, provider: str) -> float:
        """Return when the next call of ``provider`` comes again: one after the other, as fast as places become free."""
        flow, now = self._flows[provider], self._now()
        flow.returns_at = max(flow.returns_at, now + _LEAST_AWAY) + flow.interval(now)
        return min(flow.returns_at - now, MOST_AWAY)
