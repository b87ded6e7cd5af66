"""The moments at which a screen must change, kept in order for whoever watches.

A watcher asks for those after the last one it saw, so it misses none and costs the history nothing. The log is numbered
over the whole deliberation; a run that goes on elsewhere hands its latest moments on.
"""

from collections.abc import Callable, Sequence

from temporalio import workflow

from protocols.consensus.model import SyncEvent, SyncPoint, VisualState

HANDED_ON = 32
"""More than a round has, so that a watcher who looks every few seconds misses none when the run changes."""


class EventLog:
    """The log of one deliberation's moments; ``look`` tells what is to be seen."""

    def __init__(self, before: Sequence[SyncEvent], look: Callable[[], VisualState]) -> None:
        self._log = list(before)
        self._look = look

    def note(self, point: SyncPoint) -> None:
        """It is that moment now."""
        number = self._log[-1].number + 1 if self._log else 1
        self._log.append(SyncEvent(number=number, point=point, at=workflow.now(), state=self._look()))

    def after(self, number: int) -> tuple[SyncEvent, ...]:
        """Those after ``number``, in order."""
        return tuple(event for event in self._log if event.number > number)

    @property
    def latest(self) -> tuple[SyncEvent, ...]:
        """What the next run is handed."""
        return tuple(self._log[-HANDED_ON:])
