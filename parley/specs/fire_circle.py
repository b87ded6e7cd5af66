"""A fire circle."""

from parley.call_plans import CallSizes, PlannedCalls, Range
from parley.options.fire_circle import CLASSIFIER, FireCircleOptions
from parley.specs.phrases import DRY_RUN, SHOWN, describe_judging, joined
from parley.specs.protocol_spec import ProtocolSpec
from protocols.fire_circle import prompts
from protocols.fire_circle.io import FireCircleInput, FireCircleResult
from protocols.fire_circle.model import LAYERS, CircleSize
from protocols.fire_circle.tables import view
from protocols.model_call import ParticipantId
from protocols.plurals import counted

_DIALOGUE = 2  # the first round after which a circle may stop
_SYNTHESIS = 3  # the round after which a large circle may add one


def _plan(options: FireCircleOptions, sizes: CallSizes) -> list[PlannedCalls]:
    """Return the calls from agreement in the second round to all rounds, plus a possible one (section 3.4).

    A model that classifies patterns is called after each round at most.
    """
    seats, sizes = sizes.panel.participants, sizes._replace(shown=SHOWN)
    is_large = CircleSize.of(len(seats)) is CircleSize.LARGE
    last = options.max_rounds + (is_large and options.max_rounds == _SYNTHESIS)
    numbered = ((number, Range(low=int(number <= _DIALOGUE), high=1)) for number in range(1, last + 1))
    dialogue = [sizes.call(seat, number, times) for number, times in numbered for seat in seats]
    if options.pattern_classification != "llm":
        return dialogue
    classified = sizes.call(sizes.panel.chair, last + 1, Range(low=0, high=last))
    return [*dialogue, classified._replace(shows_files=False)]


FIRE_CIRCLE: ProtocolSpec[FireCircleInput, FireCircleResult, FireCircleOptions] = ProtocolSpec(
    options=FireCircleOptions,
    result=FireCircleResult,
    view=view,
    question_keys=("session", *LAYERS),
    has_rounds=True,
    describe=lambda inp: joined(
        f"at most {counted(inp.max_rounds, 'round')}",
        "empty chair rotating" if inp.empty_chair_rotation else "no empty chair",
        describe_judging(inp),
    ),
    unused_seats=lambda inp: () if inp.pattern_classification == "llm" else (inp.panel.chair_seat,),
    blind_seats=(ParticipantId(CLASSIFIER),),
    own_calls=_plan,
    first_calls=lambda inp: [
        prompts.baseline(inp, prompts.Seat(seat, 1), secret=DRY_RUN) for seat in inp.panel.participants
    ],
    may_refuse_rows=True,
)
