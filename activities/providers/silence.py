"""A deadline that every piece of data moves: one timer for a whole stream, however many pieces it has.

A timer of the event loop for each piece costs more than to read the piece. So a piece only notes the new deadline, and
the timer looks at it when it runs out. One that runs out late was stopped with its process, as by a paused container:
what arrived meanwhile is read first.
"""

import asyncio
import math

_STOPPED = 2.0
"""Seconds by which a timer is late where the process was stopped; a busy loop is not so late."""
_TO_READ = 5.0
"""Seconds in which what has arrived meanwhile is read."""


class SilenceTimer:
    """A timeout after some time without a noted event, or after a total time."""

    def __init__(self, seconds: float, total: float | None = None) -> None:
        """Make a timer that runs out after ``seconds``, once its ``timeout`` is entered, or after ``total``."""
        self._loop = asyncio.get_running_loop()
        now = self._loop.time()
        self._deadline = now + seconds
        self._end = math.inf if total is None else now + total
        self._look_at(min(self._deadline, self._end))
        self.timeout = asyncio.timeout(None)
        """The block that it ends."""
        self.is_silent = False
        """It ran out without an event, and not by the total time."""

    def restart(self, seconds: float) -> None:
        """Run out after ``seconds`` from now."""
        self._deadline = self._loop.time() + seconds
        if self._deadline < self._checked_at:
            self._check.cancel()
            self._look_at(self._deadline)

    def stop(self) -> None:
        """Cancel the timer."""
        self._check.cancel()

    def _look_at(self, when: float) -> None:
        self._checked_at, self._check = when, self._loop.call_at(when, self._look)

    def _look(self) -> None:
        now, due = self._loop.time(), min(self._deadline, self._end)
        if now - self._checked_at > _STOPPED and now + _TO_READ > due:
            more = now + _TO_READ - due
            self._deadline, self._end, due = self._deadline + more, self._end + more, due + more
        if now < due:
            self._look_at(due)
        else:
            self.is_silent = self._deadline < self._end  # whenever a busy loop looks
            self.timeout.reschedule(now)
