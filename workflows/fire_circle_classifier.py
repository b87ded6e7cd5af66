"""The classifier of a fire circle: a cheap model that names the types of patterns beside the dialogue.

It has one call for each round, made while the next round is held. The keywords' types stand wherever it says nothing,
comes too late or is lost; after a loss it is asked no more.
"""

import asyncio
from contextlib import suppress

from temporalio import workflow
from temporalio.exceptions import ActivityError

from protocols.fire_circle import classification, patterns
from protocols.fire_circle.model import Circle, Classification
from protocols.fire_circle.modes import FireCircleInput
from protocols.model_call import Answered, Failed, ModelCall
from protocols.panel import Participant
from workflows.seats import Seats

_MOST = 60
"""Pattern texts that are asked about at once."""
_TOO_LATE = "the classifier did not answer in time; the patterns keep the types that their words give"


class PatternClassifier:
    """The model that names types, and the types that it named so far."""

    def __init__(self, inp: FireCircleInput, seating: Seats, secret: str) -> None:
        self.types: dict[str, str] = {}
        """Pattern text to the type that the model gave it."""
        self._inp = inp
        self._seating = seating
        self._secret = secret
        self._asked: set[str] = set()
        self._call: ModelCall | None = None
        self._task: asyncio.Task[None] | None = None
        self._is_lost = False

    @property
    def is_wanted(self) -> bool:
        """Whether a model is to classify at all."""
        return self._inp.pattern_classification == "llm"

    @property
    def seat(self) -> Participant:
        """The seat of the classifier, and the model in it."""
        seat = self._inp.panel.chair_seat
        return Participant(id=seat, model=self._seating.panel.model_of(seat))

    def begin(self, circle: Circle, round_number: int) -> None:
        """Ask about the patterns that are new after a round, and return at once.

        Nothing is asked while a call is under way, which the next one then makes up for, and nothing in a round that is
        shared with another deliberation, since whether that one asked is a matter of time.
        """
        is_busy = self._task is not None and not self._task.done()
        if not self.is_wanted or self._is_lost or is_busy or self._seating.branching.is_sharing:
            return
        texts = tuple(text for text in patterns.named_in(circle) if text not in self._asked)[:_MOST]
        if texts:
            self._asked |= set(texts)
            self._task = asyncio.create_task(self._ask(texts, round_number))

    async def finish(self) -> None:
        """Wait for a call under way, no longer than a classifier has; then give it up."""
        task = self._task
        if task is None:
            return
        with suppress(TimeoutError):
            await workflow.wait_condition(task.done, timeout=classification.CLASSIFIED_WITHIN)
        if not task.done() and self._call is not None:
            task.cancel()
            self._seating.give_up(self._call, _TOO_LATE)

    def cancel(self) -> None:
        """Give up a call under way, of a circle whose end has no verdict."""
        if self._task is not None:
            self._task.cancel()

    async def _ask(self, texts: tuple[str, ...], round_number: int) -> None:
        def build(sitting: Participant, tries: int) -> ModelCall:
            self._call = classification.call(
                self._inp, sitting, texts, round_number, attempt=tries, secret=self._secret
            )
            return self._call

        with suppress(asyncio.CancelledError, ActivityError):
            reply = await self._seating.ask(f"classification-{round_number}", self.seat.id, build)
            self._take(texts, reply)

    def _take(self, texts: tuple[str, ...], reply: Answered | Failed | None) -> None:
        if not isinstance(reply, Answered):
            self._is_lost = True
            return
        types = Classification.model_validate(reply.reading or {"types": ()}).types
        self.types |= {text: kind for text, kind in zip(texts, types, strict=False) if kind}
