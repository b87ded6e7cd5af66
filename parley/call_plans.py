"""Planned calls of a deliberation and their lengths (seed 000, section 10.1).

The seed says how long prompts and answers are in each round. Every call of every protocol is taken as one of them: a
first answer, an answer to what others said, a conclusion. Each figure has two ends::

    low     the shortest way to a verdict; a call brings as much beside the prompt as in the seed
    high    every round that may be held; a call brings all that all peers said before, and instructions

Neither end knows how much a model will write: the seed's answers are short, and a model that reasons at length costs
more than the high end. Calls that are tried again, replaced or lost are not foreseen either. What one further call per
turn may add is foreseen apart.

A debate has budgets of its own (seed 003, section 7.5): what a turn brings beside the topic lies between the targets
and the most that can have been said before it, and a turn is as long as its share of a round that can be shown in full.
Evaluator and judge are foreseen where the mode has them. An objection round, and an evaluator that something else
calls, are not.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

from parley.errors import RequestError
from parley.ranges import Range
from protocols.consensus.model import MOST_ROUNDS
from protocols.debate.model.budget import INSTRUCTIONS_MOST, ContextBudget
from protocols.debate.model.io import DEFAULT_ROUNDS, FEWEST, MOST, TOPIC_TOKENS, ModeName
from protocols.debate.model.io import MOST_ROUNDS as MOST_DEBATE_ROUNDS
from protocols.debate.modes.table import MODES
from protocols.fire_circle.model import MOST_ROUNDS as MOST_CIRCLE_ROUNDS
from protocols.fire_circle.model import CircleSize
from protocols.mixture.model import DEFAULT_LAYERS, MOST_LAYERS
from protocols.model_call import ModelId
from protocols.panel import UnknownModelNameError, independent_model, route
from protocols.vote.model import MOST_SAMPLES

Estimated = Literal["council", "consensus", "fire_circle", "debate", "single", "parallel", "vote", "mixture"]
"""What can be foreseen: the protocols, the baselines of the fire circle, and those of equal cost."""


class CallSize(NamedTuple):
    """The tokens of one call: request and reply."""

    input: int
    output: int


ROUND_1 = CallSize(600, 300)
ROUND_2 = CallSize(1000, 400)
ROUND_3 = CallSize(1500, 400)
ROUNDS = (ROUND_1, ROUND_2, ROUND_3, ROUND_3)
"""Per model (section 10.1). A fourth round repeats the third."""

_MOST_SEATS = 26  # as many as a panel has labels
_DIALOGUE = 2  # the first round after which a circle may stop, and a debate may agree
_SYNTHESIS = 3
_SUMMARISED = 2  # rounds before the previous one of which a debater is shown a summary
_FRAME = (1000, 2100)  # tokens of a debater's instructions, fewest and most
_STATE_TARGET, _PREVIOUS_TARGET = 800, 2500
"""What a debater is shown at the least, once there is something to show (seed 003, section 7.5)."""


class EstimateRequest(NamedTuple):
    """A request for an estimate; omitted fields except the models have the protocol's defaults."""

    protocol: Estimated
    models: tuple[str, ...] = ()
    chair: str | None = None
    """Who concludes: chair, curator, synthesiser or aggregator."""
    rounds: int | None = None
    """The most that may be held; of a vote the samples, of a mixture the layers of proposers."""
    prompt: Range | None = None
    """How many tokens the question has; by default the seed's first round is taken as it is."""
    mode: ModeName | None = None  # of a debate; collaborative by default
    context: ContextBudget = ContextBudget()  # of a debate
    material: int = 0  # of a debate: tokens of what a person gives, which stand in every call
    final_only: bool = False  # of a council: nobody reviews
    clarify: bool = True  # a turn may have one further call
    judge: str | None = None  # of a debate; by default the model that concludes


class PlannedCalls(NamedTuple):
    """Calls of one model that are alike."""

    model: ModelId
    times: Range
    least: CallSize
    most: CallSize


def planned(wish: EstimateRequest) -> list[PlannedCalls]:
    """Return the calls that ``wish`` may make, in the order of their first occurrence.

    Raises:
        RequestError: a deliberation cannot be held like that.
    """
    return _PLANS[wish.protocol](_table(wish))


class _Form(NamedTuple):
    """The bounds of a protocol: fewest and most seats, and its other parameters."""

    seats: tuple[int, int]
    concludes: bool = False
    """Whether a model concludes; by default it is the first."""
    rounds: tuple[int, int, int] | None = None
    """Fewest, default and most; ``None`` where they are not to be chosen."""
    counted: str = "rounds"
    """What ``rounds`` are called there."""
    shown: int = 1
    """How often the prompt stands in a call: the layer that is judged stands in its context, too."""


_FORMS: dict[Estimated, _Form] = {
    "council": _Form((1, _MOST_SEATS), concludes=True),
    "consensus": _Form((3, 3), concludes=True, rounds=(1, MOST_ROUNDS, MOST_ROUNDS)),
    "fire_circle": _Form((2, 10), rounds=(_DIALOGUE, _SYNTHESIS, MOST_CIRCLE_ROUNDS), shown=2),
    "debate": _Form((FEWEST, MOST), concludes=True, rounds=(1, DEFAULT_ROUNDS, MOST_DEBATE_ROUNDS)),
    "single": _Form((1, 1), shown=2),
    "parallel": _Form((2, _MOST_SEATS), shown=2),
    "vote": _Form((1, _MOST_SEATS), rounds=(1, 1, MOST_SAMPLES), counted="samples"),
    "mixture": _Form((1, _MOST_SEATS), concludes=True, rounds=(1, DEFAULT_LAYERS, MOST_LAYERS), counted="layers"),
}


class _Table(NamedTuple):
    """The seats of an estimated deliberation, its number of rounds, and the tokens of each call."""

    models: tuple[ModelId, ...]
    chair: ModelId
    judge: ModelId
    rounds: int
    first: Range
    """Tokens of a first call."""
    mode: ModeName
    context: ContextBudget
    final_only: bool


_ONCE = Range(low=1, high=1)


def _table(wish: EstimateRequest) -> _Table:
    form = _FORMS[wish.protocol]
    models = wish.models
    fewest, most = form.seats
    if not fewest <= len(models) <= most:
        wanted = f"{fewest}" if fewest == most else f"{fewest} to {most}"
        raise RequestError(f"{_said(wish)} has {wanted} models at the table, got {len(models)}")
    if wish.chair is not None and not form.concludes:
        raise RequestError(f"{_said(wish)} has nobody who concludes; leave the chair out")
    _refuse_beside_a_debate(wish)
    try:
        seated = tuple(map(route, models))
        chair = route(wish.chair or (independent_model(models) if wish.protocol == "debate" else models[0]))
        judge = route(wish.judge) if wish.judge else chair
    except UnknownModelNameError as error:
        raise RequestError(str(error)) from None
    first, mode = _first(wish, form.shown), wish.mode or "collaborative"
    return _Table(seated, chair, judge, _rounds(wish, form), first, mode, wish.context, wish.final_only)


def _refuse_beside_a_debate(wish: EstimateRequest) -> None:
    if wish.protocol != "debate":
        if wish.mode is not None:
            raise RequestError(f"{_said(wish)} has no modes; leave the mode out")
    elif wish.prompt is not None and wish.prompt.low > TOPIC_TOKENS:
        raise RequestError(f"a debate's topic has at most {TOPIC_TOKENS:,} tokens, got at least {wish.prompt.low:,}")


def _rounds(wish: EstimateRequest, form: _Form) -> int:
    if form.rounds is None:
        if wish.rounds is not None:
            raise RequestError(f"{_said(wish)} has no rounds to choose; leave them out")
        return 1
    fewest, usual, most = form.rounds
    rounds = usual if wish.rounds is None else wish.rounds
    if not fewest <= rounds <= most:
        raise RequestError(f"{_said(wish)} has {fewest} to {most} {form.counted}, got {rounds}")
    return rounds


def _said(wish: EstimateRequest) -> str:
    return f"protocol {wish.protocol.replace('_', '-')!r}"


def _first(wish: EstimateRequest, shown: int) -> Range:
    """Return the seed's first round; with a prompt the prompt alone, and at most the seed's round in addition."""
    least = shown * wish.prompt.low if wish.prompt else ROUND_1.input
    most = shown * wish.prompt.high if wish.prompt else 0
    return Range(low=least + wish.material, high=most + ROUND_1.input + wish.material)


def _council(table: _Table) -> list[PlannedCalls]:
    """Return opinions, reviews of all opinions unless skipped, and the synthesis."""
    answers = [_call(model, table, 1) for model in table.models]
    reviews = [_call(model, table, 2) for model in table.models if len(answers) > 1 and not table.final_only]
    return [*answers, *reviews, _call(table.chair, table, 3 if reviews else 2)]


def _consensus(table: _Table) -> list[PlannedCalls]:
    """Return the calls from agreement in the first round to agreement in the last: three stages and three checks each.

    Fifty rounds are the seed's 300 calls; the curator's comes on top of them when the fiftieth agrees.
    """
    generator, refiner, validator = table.models
    each = Range(low=1, high=table.rounds)
    later = Range(low=0, high=table.rounds - 1)
    checks = [_call(model, table, 2, each) for model in table.models]
    drafts = [_call(generator, table, 1), _call(generator, table, 2, later)]
    drafts += [_call(refiner, table, 2, each), _call(validator, table, 2, each)]
    return [*drafts, *checks, _call(table.chair, table, 3)]


def _fire_circle(table: _Table) -> list[PlannedCalls]:
    """Return the calls from agreement in the second round to all rounds, plus a possible one (section 3.4)."""
    is_large = CircleSize.of(len(table.models)) is CircleSize.LARGE
    last = table.rounds + (is_large and table.rounds == _SYNTHESIS)
    held = ((number, Range(low=int(number <= _DIALOGUE), high=1)) for number in range(1, last + 1))
    return [_call(model, table, number, times) for number, times in held for model in table.models]


def _debate(table: _Table) -> list[PlannedCalls]:
    """Return the calls from consensus after the second round to all rounds, with evaluator, judge and synthesis."""
    evaluator = (table.judge,) if MODES[table.mode].is_sensitive else ()
    calls = []
    for number in range(1, table.rounds + 1):
        times = Range(low=int(number <= _DIALOGUE), high=1)
        calls += [_turn(model, table, number, times) for model in table.models]
        calls += [_beside(model, table, ROUND_1.output, times, table.context.previous) for model in evaluator]
    closing = (table.judge, table.chair) if MODES[table.mode].is_judged else (table.chair,)
    whole = table.context.state + table.rounds * table.context.previous
    return [*calls, *(_beside(model, table, ROUND_3.output, _ONCE, whole, state=_STATE_TARGET) for model in closing)]


def _mixture(table: _Table) -> list[PlannedCalls]:
    """Return the answers of the first layer, those of each further layer, and the aggregator's."""
    layers = [_call(model, table, number) for number in range(1, table.rounds + 1) for model in table.models]
    return [*layers, _call(table.chair, table, table.rounds + 1)]


def _turn(model: ModelId, table: _Table, number: int, times: Range) -> PlannedCalls:
    """Return a debater's turn: topic, material and instructions, and the shown part of the debate."""
    least, most = (end + frame for end, frame in zip((table.first.low, table.first.high), _FRAME, strict=True))
    if number > 1:
        least += _STATE_TARGET + _PREVIOUS_TARGET
    most += _shown(table, number)
    said = (_PREVIOUS_TARGET // len(table.models), table.context.previous // len(table.models))
    return PlannedCalls(model, times, CallSize(least, said[0]), CallSize(most, said[1]))


def _shown(table: _Table, number: int) -> int:
    """Return the most tokens of a user message in round ``number``: state, two summaries, and earlier turns."""
    budget, hears = table.context, MODES[table.mode].order != "parallel"
    before = budget.state + budget.previous if number > 1 else 0
    summaries = budget.historical * min(max(number - _DIALOGUE, 0), _SUMMARISED)
    return min(budget.total, INSTRUCTIONS_MOST + before + summaries + hears * budget.previous)


def _beside(model: ModelId, table: _Table, output: int, times: Range, said: int, *, state: int = 0) -> PlannedCalls:
    """Return a call to the evaluator, the synthesiser or the judge, with a separate budget for the turns."""
    least = CallSize(table.first.low + _PREVIOUS_TARGET + state, output)
    most = table.first.high + min(said, table.context.closing)
    return PlannedCalls(model, times, least, CallSize(max(least.input, most), output))


def _baseline(table: _Table) -> list[PlannedCalls]:
    """Return one independent answer per model, times the number of samples."""
    return [_call(model, table, 1, Range(low=table.rounds, high=table.rounds)) for model in table.models]


_PLANS: dict[Estimated, Callable[[_Table], list[PlannedCalls]]] = {
    "council": _council,
    "consensus": _consensus,
    "fire_circle": _fire_circle,
    "debate": _debate,
    "single": _baseline,
    "parallel": _baseline,
    "vote": _baseline,
    "mixture": _mixture,
}


def _call(model: ModelId, table: _Table, number: int, times: Range = _ONCE) -> PlannedCalls:
    """Return a call like the seed's in round ``number``; later ones are like the last."""
    alike = ROUNDS[min(number, len(ROUNDS)) - 1]
    heard = len(table.models) * sum(earlier.output for earlier in ROUNDS[: number - 1])
    least = table.first.low + alike.input - ROUND_1.input
    most = max(least, table.first.high + heard)
    return PlannedCalls(model, times, CallSize(least, alike.output), CallSize(most, alike.output))
