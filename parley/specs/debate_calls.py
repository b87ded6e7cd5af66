"""Planned calls of a debate (seed 003, section 7.5).

What a turn brings beside the topic lies between the targets and the most that can have been said before it, and a turn
is as long as its share of a round that can be shown in full. Evaluator and judge are planned where the mode has them.
An objection round, and an evaluator that something else calls, are not.
"""

from typing import NamedTuple

from parley.call_plans import ONCE, ROUND_1, ROUND_3, CallSize, CallSizes, PlannedCalls
from parley.errors import RequestError
from parley.options.debate import DebateOptions
from parley.ranges import Range
from protocols.debate.model.budget import INSTRUCTIONS_MOST, ContextBudget
from protocols.debate.model.io import EVALUATOR, JUDGE, TOPIC_TOKENS
from protocols.debate.model.material import size_of
from protocols.debate.modes.table import MODES
from protocols.model_call import ModelId
from protocols.panel import Panel

_AGREED = 2  # the first round after which a debate may agree
_SUMMARISED = 2  # rounds before the previous one of which a debater is shown a summary
_FRAME = (1000, 2100)  # tokens of a debater's instructions, fewest and most
_STATE_TARGET, _PREVIOUS_TARGET = 800, 2500
"""The least that a debater is shown, once there is something to show."""


class _Sizes(NamedTuple):
    """The figures by which the calls of a debate are sized."""

    seats: int
    first: Range
    """Tokens of topic, material and the seed's first round."""
    context: ContextBudget
    is_parallel: bool


def debate_calls(options: DebateOptions, panel: Panel, prompt: Range | None) -> list[PlannedCalls]:
    """Return the calls from consensus after the second round to all rounds, with evaluator, judge and synthesis.

    Raises:
        RequestError: the topic has too many tokens.
    """
    if prompt is not None and prompt.low > TOPIC_TOKENS:
        raise RequestError(f"a debate's topic has at most {TOPIC_TOKENS:,} tokens, got at least {prompt.low:,}")
    mode, context, seats = MODES[options.mode], options.budget, len(panel.participants)
    first = CallSizes.of(seats, prompt, added=size_of(options.material)).first
    sizes = _Sizes(seats, first, context, is_parallel=mode.order == "parallel")
    calls = []
    for number in range(1, options.max_rounds + 1):
        times = Range(low=int(number <= _AGREED), high=1)
        calls += [_turn(seat.model, sizes, number, times) for seat in panel.participants]
        if mode.is_sensitive:
            safety = _beside(panel.model_of(EVALUATOR), sizes, ROUND_1.output, times, context.previous)
            calls.append(safety._replace(shows_files=False))
    closing = (panel.model_of(JUDGE), panel.chair.model) if mode.is_judged else (panel.chair.model,)
    whole = context.state + options.max_rounds * context.previous
    return [*calls, *(_beside(model, sizes, ROUND_3.output, ONCE, whole, state=_STATE_TARGET) for model in closing)]


def _turn(model: ModelId, sizes: _Sizes, number: int, times: Range) -> PlannedCalls:
    """Return a debater's turn: topic, material and instructions, and the shown part of the debate."""
    least, most = (end + frame for end, frame in zip((sizes.first.low, sizes.first.high), _FRAME, strict=True))
    if number > 1:
        least += _STATE_TARGET + _PREVIOUS_TARGET
    most += _shown(sizes, number)
    said = (_PREVIOUS_TARGET // sizes.seats, sizes.context.previous // sizes.seats)
    return PlannedCalls(model, times, CallSize(least, said[0]), CallSize(most, said[1]), is_answer=True)


def _shown(sizes: _Sizes, number: int) -> int:
    """Return the most tokens of a user message in round ``number``: state, two summaries, and earlier turns."""
    budget = sizes.context
    before = budget.state + budget.previous if number > 1 else 0
    summaries = budget.historical * min(max(number - _AGREED, 0), _SUMMARISED)
    heard = 0 if sizes.is_parallel else budget.previous
    return min(budget.total, INSTRUCTIONS_MOST + before + summaries + heard)


def _beside(model: ModelId, sizes: _Sizes, output: int, times: Range, said: int, *, state: int = 0) -> PlannedCalls:
    """Return a call to the evaluator, the synthesiser or the judge, with a separate budget for the turns."""
    least = CallSize(sizes.first.low + _PREVIOUS_TARGET + state, output)
    most = sizes.first.high + min(said, sizes.context.closing)
    return PlannedCalls(model, times, least, CallSize(max(least.input, most), output))
