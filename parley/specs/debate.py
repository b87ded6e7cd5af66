"""A structured debate, and its planned calls (seed 003, section 7.5).

What a turn brings beside the topic lies between the targets and the most that can have been said before it, and a turn
is as long as its share of a round that can be shown in full. Evaluator and judge are planned where the mode has them,
a model that summarises once for each round. An objection round, and an evaluator that something else calls, are not.
"""

from typing import NamedTuple

from parley.call_plans import ONCE, ROUND_1, ROUND_3, CallSize, CallSizes, PlannedCalls, Range
from parley.errors import RequestError
from parley.options.debate import DebateOptions
from parley.specs.phrases import DRY_RUN, joined
from parley.specs.protocol_spec import ProtocolSpec
from protocols.debate.aliases import labels, open_aliases
from protocols.debate.model.context import INSTRUCTIONS_MOST, ContextBudget, size_of
from protocols.debate.model.io import EVALUATOR, JUDGE, SUMMARISER, TOPIC_TOKENS, DebateInput, DebateResult
from protocols.debate.modes import MODES
from protocols.debate.prompts import calls
from protocols.debate.prompts.call_context import DebateView, RoundContext
from protocols.debate.rules.round_steps import start_debate
from protocols.debate.tables import view
from protocols.model_call import ModelCall, ParticipantId
from protocols.panel import Participant
from protocols.plurals import counted

_AGREED = 2  # the first round after which a debate may agree
_SUMMARISED = 2  # rounds before the previous one of which a debater is shown a summary
_FRAME = (1000, 2100)  # tokens of a debater's instructions, fewest and most
_STATE_TARGET, _PREVIOUS_TARGET = 800, 2500
"""The least that a debater is shown, once there is something to show."""
ESCALATION_TIMEOUT = 10.0
"""Seconds that a debate of a study waits for a user: a study has hundreds of debates."""
_ASSUMPTIONS = (
    "From consensus in round 1 to all rounds, within a debate's budgets. The safety evaluator is counted where the "
    "mode calls it, as the synthesiser's model. Objection rounds, an evaluator that the topic or a turn calls, and "
    "models that reason at length, cost more."
)


class _Sizes(NamedTuple):
    """The figures by which the calls of a debate are sized."""

    calls: CallSizes
    """The tokens of topic and material are those of its first call."""
    context: ContextBudget
    is_parallel: bool


def debate_calls(options: DebateOptions, sizes: CallSizes) -> list[PlannedCalls]:
    """Return the calls from consensus after the second round to all rounds, with evaluator, judge and synthesis.

    Raises:
        RequestError: the topic has too many tokens.
    """
    mode, context, panel, prompt = MODES[options.mode], options.budget, sizes.panel, sizes.prompt
    if prompt is not None and prompt.low > TOPIC_TOKENS:
        raise RequestError(f"a debate's topic has at most {TOPIC_TOKENS:,} tokens, got at least {prompt.low:,}")
    own = _Sizes(sizes._replace(added=size_of(options.material)), context, is_parallel=mode.order == "parallel")
    calls = []
    for number in range(1, options.max_rounds + 1):
        times = Range(low=int(number <= _AGREED), high=1)
        calls += [_turn(seat, own, number, times) for seat in panel.participants]
        asked = [EVALUATOR] if mode.is_sensitive else []
        asked += [SUMMARISER] if options.summaries == "llm" else []
        beside = [_beside(panel.at(seat), own, ROUND_1.output, times, context.previous) for seat in asked]
        calls += [call._replace(shows_files=False) for call in beside]
    closing = (sizes.concluding(panel.at(JUDGE)), sizes.chair) if mode.is_judged else (sizes.chair,)
    whole = context.state + options.max_rounds * context.previous
    return [*calls, *(_beside(seat, own, ROUND_3.output, ONCE, whole, state=_STATE_TARGET) for seat in closing)]


def _describe(inp: DebateInput) -> str:
    return joined(
        inp.mode,
        f"at most {counted(inp.max_rounds, 'round')}",
        inp.high_stakes and f"high stakes ({', '.join(inp.high_stakes)})",
        inp.vulnerable_audience and "vulnerable audience",
        inp.turn_format == "lite" and "short turns",
        inp.reask and "asks again",
        inp.context_budget != ContextBudget() and f"{inp.context_budget.total:,} context tokens",
        inp.material and f"material: {', '.join(one.name for one in inp.material)}",
        inp.summaries == "llm" and "summaries by a model",
    )


def _unused_seats(inp: DebateInput) -> tuple[ParticipantId, ...]:
    summariser = () if inp.summaries == "llm" else (SUMMARISER,)
    judge = () if MODES[inp.mode].is_judged else (JUDGE,)
    return (*summariser, *judge)


def _first_calls(inp: DebateInput) -> list[ModelCall]:
    """Return the turns that no other turn precedes."""
    mode = MODES[inp.mode]
    names = labels(inp.seats) if mode.is_anonymous else open_aliases(inp.panel)
    view = DebateView(inp, start_debate(inp), names, DRY_RUN)
    seats = inp.panel.participants
    team = mode.part(0).team
    first = {
        "parallel": seats,
        "sequential": seats[:1],
        "team": tuple(seat for seat in seats if mode.part(inp.position(seat.id)).team == team),
    }
    return [calls.turn(view, seat, RoundContext(1))[0] for seat in first[mode.order]]


def _turn(seat: Participant, sizes: _Sizes, number: int, times: Range) -> PlannedCalls:
    """Return a debater's turn: topic, material and instructions, and the shown part of the debate."""
    first, seats = sizes.calls.first, len(sizes.calls.panel.participants)
    least, most = (end + frame for end, frame in zip((first.low, first.high), _FRAME, strict=True))
    if number > 1:
        least += _STATE_TARGET + _PREVIOUS_TARGET
    most += _shown(sizes, number)
    said = sizes.calls.written(seat, _PREVIOUS_TARGET // seats, sizes.context.previous // seats)
    return PlannedCalls(seat, times, CallSize(least, said.low), CallSize(most, said.high), is_answer=True)


def _shown(sizes: _Sizes, number: int) -> int:
    """Return the most tokens of a user message in round ``number``: state, two summaries, and earlier turns."""
    budget = sizes.context
    before = budget.state + budget.previous if number > 1 else 0
    summaries = budget.historical * min(max(number - _AGREED, 0), _SUMMARISED)
    previous = 0 if sizes.is_parallel else budget.previous
    return min(budget.total, INSTRUCTIONS_MOST + before + summaries + previous)


def _beside(seat: Participant, sizes: _Sizes, output: int, times: Range, said: int, *, state: int = 0) -> PlannedCalls:
    """Return a call to the evaluator, the synthesiser or the judge, with a separate budget for the turns."""
    first, reply = sizes.calls.first, sizes.calls.written(seat, output)
    least = CallSize(first.low + _PREVIOUS_TARGET + state, reply.low)
    most = first.high + min(said, sizes.context.closing)
    return PlannedCalls(seat, times, least, CallSize(max(least.input, most), reply.high))


DEBATE: ProtocolSpec[DebateInput, DebateResult, DebateOptions] = ProtocolSpec(
    options=DebateOptions,
    result=DebateResult,
    view=view,
    question_keys=("topic",),
    has_rounds=True,
    describe=_describe,
    unused_seats=_unused_seats,
    blind_seats=(EVALUATOR, SUMMARISER),
    own_calls=debate_calls,
    assumptions=_ASSUMPTIONS,
    first_calls=_first_calls,
    study_options={"escalation_timeout": ESCALATION_TIMEOUT},
    may_refuse_rows=True,
)
