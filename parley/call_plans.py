"""Planned calls of a deliberation and their lengths (seed 000, section 10.1).

The seed says how long prompts and answers are in each round. Every call of every protocol is taken as one of them: a
first answer, an answer to what others said, a conclusion. Each figure has two ends::

    low     the shortest way to a verdict; a call has as much text beside the prompt as in the seed
    high    all possible rounds; a call has all texts of all peers and the instructions

A reply has the length of the seed's, and with a reasoning effort the share of it that OpenRouter documents for
reasoning on top. The ``max_tokens`` of a seat limit it: then its high end is that limit, here and in the prompts that
show the reply to peers. Without ``max_tokens`` neither end predicts how much a model writes: the seed's answers are
short, and a model that reasons at length costs more than the high end. Calls that are tried again, replaced or lost are
not planned either. What one further call per turn, and the models of a fallback chain, may add is estimated apart. The
calls of a protocol are planned by its specification.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import ceil
from typing import NamedTuple, Self

from pydantic import Field

from protocols.deliberation import seat_searches
from protocols.model_call import Effort, FrozenModel, ModelId, Sampling
from protocols.panel import Panel, Participant

_MOST_BYTES, _FEWEST_BYTES = 6, 3
"""Of UTF-8 in one token: plain English has the most, code and other scripts have the fewest."""


class Range(FrozenModel):
    """A count from its low to its high end."""

    low: int = Field(ge=0)
    high: int = Field(ge=0)


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
NOTHING = Range(low=0, high=0)
_REASONING: Mapping[Effort | None, int] = {None: 0, "minimal": 10, "low": 20, "medium": 50, "high": 80}
"""Of 100 tokens of a reply those that are reasoning, by OpenRouter's page on reasoning tokens."""


class PlannedCalls(NamedTuple):
    """Calls of one seat that are alike."""

    seat: Participant
    times: Range
    least: CallSize
    most: CallSize
    is_answer: bool = False
    """They answer the question itself, so the examples are in them."""
    shows_files: bool = True
    """The attached files are in them."""
    searches: Range = NOTHING
    """Searches of the web in each of them."""

    @property
    def model(self) -> ModelId:
        """The model that is asked first."""
        return self.seat.model

    def longer(self, least: int, most: int) -> Self:
        """Return the same calls with so many more tokens in each request."""
        low, high = self.least, self.most
        return self._replace(least=low._replace(input=low.input + least), most=high._replace(input=high.input + most))


class CallSizes(NamedTuple):
    """The sizes of the calls of a deliberation."""

    panel: Panel
    prompt: Range | None = None
    """Tokens of the question; ``None`` where none is asked, then the first call is the seed's."""
    sampling: Sampling = Sampling()
    shown: int = 1
    """Number of copies of the question in a call."""
    added: int = 0
    """Tokens in every call beside the question."""

    @property
    def chair(self) -> Participant:
        """The concluding seat with all its fallbacks."""
        return self.concluding(self.panel.chair)

    def concluding(self, seat: Participant) -> Participant:
        """Return ``seat`` with every model that concludes in it when the one before is lost."""
        later = dict.fromkeys((*seat.fallbacks, *self.panel.chair_fallbacks))
        return seat.model_copy(update={"fallbacks": tuple(model for model in later if model != seat.model)})

    @property
    def first(self) -> Range:
        """The tokens of a first call: the question alone, and with the seed's first round at the high end."""
        least = self.shown * self.prompt.low if self.prompt else ROUND_1.input
        most = self.shown * self.prompt.high if self.prompt else 0
        return Range(low=least + self.added, high=most + ROUND_1.input + self.added)

    def written(self, seat: Participant, least: int, most: int = 0) -> Range:
        """Return the tokens of a reply of ``seat``, reasoning included, whose text has ``least`` to ``most`` tokens."""
        own = self._sampling_of(seat)
        ends = [ceil(100 * text / (100 - _REASONING[own.reasoning_effort])) for text in (least, most or least)]
        return Range(low=min(ends[0], own.max_tokens or ends[0]), high=own.max_tokens or ends[1])

    def shown_texts(self, usual: int) -> Range:
        """Return the tokens of one text of each participant, where a text without settings has ``usual`` tokens."""
        limits = [self._sampling_of(seat).max_tokens for seat in self.panel.participants]
        return Range(low=sum(min(usual, most or usual) for most in limits), high=sum(most or usual for most in limits))

    @property
    def verdict(self) -> Range:
        """The tokens of the verdict as the context of a later turn: at most the longest text of a seat."""
        limits = (self._sampling_of(seat).max_tokens or ROUND_3.output for seat in self.panel.everyone)
        return Range(low=0, high=max(limits))

    def call(self, seat: Participant, number: int, times: Range = ONCE) -> PlannedCalls:
        """Return a call like the seed's in round ``number``; later ones are like the last."""
        alike = ROUNDS[min(number, len(ROUNDS)) - 1]
        replies = [self.shown_texts(earlier.output) for earlier in ROUNDS[: number - 1]]
        said = Range(low=sum(one.low for one in replies), high=sum(one.high for one in replies))
        least = self.first.low + min(alike.input - ROUND_1.input, said.low)
        most = max(least, self.first.high + said.high)
        reply = self.written(seat, alike.output)
        sizes = CallSize(least, reply.low), CallSize(most, reply.high)
        return PlannedCalls(seat, times, *sizes, is_answer=number == 1)

    def _sampling_of(self, seat: Participant) -> Sampling:
        return seat.settings.over(self.sampling) if seat.settings else self.sampling


def with_instructions(calls: Iterable[PlannedCalls], system: str, examples: Iterable[str]) -> list[PlannedCalls]:
    """Return ``calls`` with the tokens of the system messages in each, and of the examples where they are shown.

    A later call may have the form of an answer too, so its high end has the examples.
    """
    said, shown = text_tokens(system), text_tokens("".join(examples))
    longer = []
    for call in calls:
        own = text_tokens(call.seat.settings.system if call.seat.settings else "")
        least = said.low + own.low + shown.low * call.is_answer
        longer.append(call.longer(least, said.high + own.high + shown.high))
    return longer


def with_files(calls: Iterable[PlannedCalls], tokens: int) -> list[PlannedCalls]:
    """Return ``calls`` with so many ``tokens`` of attached files where they are shown."""
    return [call.longer(tokens * call.shows_files, tokens * call.shows_files) for call in calls]


def with_context(calls: Iterable[PlannedCalls], context: Range) -> list[PlannedCalls]:
    """Return ``calls`` with so many tokens of an earlier conversation in each."""
    return [call.longer(context.low, context.high) for call in calls]


def with_searches(calls: Iterable[PlannedCalls], panel: Panel, *, is_on: bool) -> list[PlannedCalls]:
    """Return ``calls`` with one search in each answer of the seats that search."""
    return [
        call._replace(searches=ONCE) if call.is_answer and seat_searches(panel, call.seat, is_on=is_on) else call
        for call in calls
    ]


def independent_calls(sizes: CallSizes, *, samples: int = 1) -> list[PlannedCalls]:
    """Return so many independent answers of each participant."""
    times = Range(low=samples, high=samples)
    return [sizes.call(seat, 1, times) for seat in sizes.panel.participants]


def contexts(turns: Sequence[Range], verdict: Range, before: Range) -> list[Range]:
    """Return the tokens of the conversation before each turn: what is ``before`` the first, questions and verdicts."""
    found = [before]
    for turn in turns[:-1]:
        last = found[-1]
        found.append(Range(low=last.low + turn.low + verdict.low, high=last.high + turn.high + verdict.high))
    return found


def text_tokens(text: str) -> Range:
    """Return the number of tokens that ``text`` may have in any tokenizer."""
    size = len(text.encode("utf-8", "surrogatepass"))
    return Range(low=ceil(size / _MOST_BYTES), high=ceil(size / _FEWEST_BYTES))
