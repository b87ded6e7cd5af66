"""The log of a consensus's events, in order, for clients that watch it.

A client asks for the events after the last one that it has, so it misses none and adds nothing to the history. Events
are numbered over the whole deliberation; a run passes its latest ones to the next run.
"""

from collections.abc import Callable, Sequence

from temporalio import workflow

from protocols.consensus.model import SyncEvent, SyncPoint, VisualState

HANDED_ON = 32
"""More than a round has, so that a watcher who looks every few seconds misses none when the run changes."""


class EventLog:
    """The log of one deliberation's events; ``look`` returns the visual state."""

    def __init__(self, before: Sequence[SyncEvent], look: Callable[[], VisualState]) -> None:
        self._log = list(before)
        self._look = look

    def note(self, point: SyncPoint) -> None:
        """Add an event."""
        number = self._log[-1].number + 1 if self._log else 1
        self._log.append(SyncEvent(number=number, point=point, at=workflow.now(), state=self._look()))

    def after(self, number: int) -> tuple[SyncEvent, ...]:
        """Return the events after ``number``, in order."""
        return tuple(event for event in self._log if event.number > number)

    @property
    def latest(self) -> tuple[SyncEvent, ...]:
        """The latest events, for the next run."""
        return tuple(self._log[-HANDED_ON:])
