"""The model that names the types of a circle's patterns, beside the dialogue.

It is called once for each round, during the next round. A pattern keeps the type of the keywords where the model names
none, is late or fails; after a failure it is not called again.
"""

import asyncio
from contextlib import suppress

from temporalio import workflow
from temporalio.exceptions import ActivityError

from protocols.fire_circle import classification, patterns
from protocols.fire_circle.io import FireCircleInput
from protocols.fire_circle.model import CircleState, Classification
from protocols.model_call import Answered, Failed, ModelCall
from protocols.panel import Participant
from workflows.seats import Seats

_MOST = 60
"""Pattern texts that are asked about at once."""
_TOO_LATE = "the classifier did not answer in time; the patterns keep the types that their words give"


class PatternClassifier:
    """The classifying model and its answers so far."""

    def __init__(self, inp: FireCircleInput, seats: Seats, secret: str) -> None:
        self.types: dict[str, str] = {}
        """Pattern text to the type that the model gave it."""
        self._inp = inp
        self._seats = seats
        self._secret = secret
        self._asked: set[str] = set()
        self._call: ModelCall | None = None
        self._task: asyncio.Task[None] | None = None
        self._is_lost = False

    @property
    def is_wanted(self) -> bool:
        """True when a model classifies patterns."""
        return self._inp.pattern_classification == "llm"

    @property
    def seat(self) -> Participant:
        """The seat of the classifier, and the model in it."""
        return self._seats.panel.chair

    def begin(self, circle: CircleState, round_number: int) -> None:
        """Ask about the patterns that are new after a round, and return at once.

        Nothing is asked while a call is under way, which the next one then makes up for, and nothing in a round that is
        shared with another deliberation, since whether that one asked is a matter of time.
        """
        is_busy = self._task is not None and not self._task.done()
        if not self.is_wanted or self._is_lost or is_busy or self._seats.shared_rounds.is_sharing:
            return
        texts = tuple(text for text in patterns.named_in(circle) if text not in self._asked)[:_MOST]
        if texts:
            self._asked |= set(texts)
            self._task = asyncio.create_task(self._ask(texts, round_number))

    async def finish(self, circle: CircleState, round_number: int) -> None:
        """Wait for a call under way, and for one about the patterns that it left out.

        Neither is waited for longer than a classifier has; then it is given up, and no other begins.
        """
        await self._wait()
        self.begin(circle, round_number)
        await self._wait()

    def cancel(self) -> None:
        """Give up a call under way, of a circle whose end has no verdict."""
        if self._task is not None:
            self._task.cancel()

    async def _wait(self) -> None:
        task = self._task
        if task is None or task.done():
            return
        with suppress(TimeoutError):
            await workflow.wait_condition(task.done, timeout=classification.CLASSIFIED_WITHIN)
        if not task.done() and self._call is not None:
            task.cancel()
            if not self._is_lost:  # or it was given up before, and has not ended yet
                self._seats.give_up(self._call, _TOO_LATE)
            self._is_lost = True

    async def _ask(self, texts: tuple[str, ...], round_number: int) -> None:
        def build(sitting: Participant, tries: int) -> ModelCall:
            self._call = classification.call(
                self._inp, sitting, texts, round_number, attempt=tries, secret=self._secret
            )
            return self._call

        with suppress(asyncio.CancelledError, ActivityError):
            reply = await self._seats.ask(f"classification-{round_number}", self.seat.id, build)
            self._take(texts, reply)

    def _take(self, texts: tuple[str, ...], reply: Answered | Failed | None) -> None:
        if not isinstance(reply, Answered):
            self._is_lost = True
            return
        types = Classification.model_validate(reply.reading or {"types": ()}).types
        self.types |= {text: kind for text, kind in zip(texts, types, strict=False) if kind}
