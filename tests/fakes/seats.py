"""Calls that take places and hold them until the test lets them go."""

import asyncio
from collections import defaultdict
from types import TracebackType
from typing import Self

from activities.providers.call_slots import CallSlots, NoSlotError, Turn


class Held:
    """One call that holds a place for a moment."""

    @staticmethod
    async def hold(places: CallSlots, provider: str) -> bool:
        """Take a place and leave it; return whether there was one."""
        async with places.take(provider):
            return True


class Line:
    """Calls of several providers that come, wait, hold a place and end when the test asks them to."""

    def __init__(self, places: CallSlots) -> None:
        self._places = places
        self._holding: defaultdict[str, list[asyncio.Event]] = defaultdict(list)
        self._tasks: list[asyncio.Task[None]] = []
        self._coming: defaultdict[str, int] = defaultdict(int)
        self._refusals = asyncio.Semaphore(0)
        self.served = 0
        """Calls that were given a place."""
        self.pauses: list[float] = []
        """Of the calls that were sent back, in order."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    @property
    def refused(self) -> int:
        """How many calls were sent back."""
        return len(self.pauses)

    def holding(self, provider: str) -> int:
        """How many places the provider has."""
        return len(self._holding[provider])

    def waiting(self, provider: str) -> int:
        """How many of its calls wait for one."""
        return self._coming[provider]

    async def come(self, provider: str, count: int, *, most: int | None = None) -> None:
        """Let so many calls come, one after the other, and stay as long as they may."""
        for _ in range(count):
            self._tasks.append(asyncio.create_task(self._call(provider, most)))
            await self._settle()

    async def end_one(self, provider: str) -> None:
        """End the oldest request of the provider."""
        self._holding[provider].pop(0).set()
        await self._settle()

    async def ended(self, count: int) -> None:
        """Wait until so many more calls were sent back."""
        for _ in range(count):
            await self._refusals.acquire()

    async def _call(self, provider: str, most: int | None) -> None:
        self._coming[provider] += 1
        is_coming = True
        try:
            async with self._places.take(provider, Turn(), most):
                self._coming[provider] -= 1
                is_coming = False
                self.served += 1
                end = asyncio.Event()
                self._holding[provider].append(end)
                await end.wait()
        except NoSlotError as error:
            self.pauses.append(error.pause)
            self._refusals.release()
        finally:
            if is_coming:
                self._coming[provider] -= 1

    async def _settle(self) -> None:
        for _ in range(10):
            await asyncio.sleep(0)
