"""Planned calls of a deliberation and their lengths (seed 000, section 10.1).

The seed says how long prompts and answers are in each round. Every call of every protocol is taken as one of them: a
first answer, an answer to what others said, a conclusion. Each figure has two ends::

    low     the shortest way to a verdict; a call has as much text beside the prompt as in the seed
    high    all possible rounds; a call has all texts of all peers and the instructions

Neither end predicts how much a model writes: the seed's answers are short, and a model that reasons at length costs
more than the high end. Calls that are tried again, replaced or lost are not planned either. What one further call per
turn may add is estimated apart. The calls of a protocol are planned by its specification.
"""

from collections.abc import Container, Iterable
from typing import NamedTuple, Self

from parley.ranges import Range, text_tokens
from protocols.model_call import ModelId
from protocols.panel import Panel


class CallSize(NamedTuple):
    """The tokens of one call: request and reply."""

    input: int
    output: int


ROUND_1 = CallSize(600, 300)
ROUND_2 = CallSize(1000, 400)
ROUND_3 = CallSize(1500, 400)
ROUNDS = (ROUND_1, ROUND_2, ROUND_3, ROUND_3)
"""Per model (section 10.1). A fourth round repeats the third."""

ONCE = Range(low=1, high=1)


class PlannedCalls(NamedTuple):
    """Calls of one model that are alike."""

    model: ModelId
    times: Range
    least: CallSize
    most: CallSize
    is_answer: bool = False
    """They answer the question itself, so the examples are in them."""
    shows_files: bool = True
    """The attached files are in them."""
    searches: Range = Range(low=0, high=0)
    """Searches of the web in each of them."""

    def longer(self, least: int, most: int) -> Self:
        """Return the same calls with so many more tokens in each request."""
        low, high = self.least, self.most
        return self._replace(least=low._replace(input=low.input + least), most=high._replace(input=high.input + most))


class CallSizes(NamedTuple):
    """The sizes of the calls of a deliberation with so many seats."""

    seats: int
    first: Range
    """Tokens of a first call."""

    @classmethod
    def of(cls, seats: int, prompt: Range | None, *, shown: int = 1, added: int = 0) -> Self:
        """Return the sizes for a question of so many tokens that each call has ``shown`` times, and ``added`` tokens.

        Without a question the first call is the seed's. With one it is the question alone at its low end, and the
        seed's first round in addition at its high end.
        """
        least = shown * prompt.low if prompt else ROUND_1.input
        most = shown * prompt.high if prompt else 0
        return cls(seats, Range(low=least + added, high=most + ROUND_1.input + added))

    def call(self, model: ModelId, number: int, times: Range = ONCE) -> PlannedCalls:
        """Return a call like the seed's in round ``number``; later ones are like the last."""
        alike = ROUNDS[min(number, len(ROUNDS)) - 1]
        replies = self.seats * sum(earlier.output for earlier in ROUNDS[: number - 1])
        least = self.first.low + alike.input - ROUND_1.input
        most = max(least, self.first.high + replies)
        return PlannedCalls(
            model, times, CallSize(least, alike.output), CallSize(most, alike.output), is_answer=number == 1
        )


def with_instructions(
    calls: Iterable[PlannedCalls], panel: Panel, system: str, examples: Iterable[str]
) -> list[PlannedCalls]:
    """Return ``calls`` with the tokens of the system messages in each, and of the examples where they are shown.

    A later call may have the form of an answer too, so its high end has the examples. Of several seats of one model,
    the longest system message counts.
    """
    own = [(seat.settings.system, seat.model) for seat in panel.everyone if seat.settings]
    of_seats = {model: text_tokens(text) for text, model in sorted(own, key=lambda one: len(one[0]))}
    said, shown, none = text_tokens(system), text_tokens("".join(examples)), Range(low=0, high=0)
    return [
        call.longer(
            said.low + of_seats.get(call.model, none).low + shown.low * call.is_answer,
            said.high + of_seats.get(call.model, none).high + shown.high,
        )
        for call in calls
    ]


def with_files(calls: Iterable[PlannedCalls], tokens: int) -> list[PlannedCalls]:
    """Return ``calls`` with so many ``tokens`` of attached files where they are shown."""
    return [call.longer(tokens * call.shows_files, tokens * call.shows_files) for call in calls]


def with_searches(calls: Iterable[PlannedCalls], searching: Container[ModelId]) -> list[PlannedCalls]:
    """Return ``calls`` with one search in each answer of the models ``searching``."""
    return [call._replace(searches=ONCE) if call.is_answer and call.model in searching else call for call in calls]


def independent_calls(panel: Panel, prompt: Range | None, *, samples: int = 1, shown: int = 1) -> list[PlannedCalls]:
    """Return so many independent answers of each participant."""
    sizes, times = CallSizes.of(len(panel.participants), prompt, shown=shown), Range(low=samples, high=samples)
    return [sizes.call(seat.model, 1, times) for seat in panel.participants]
