"""A fire circle."""

from parley.options.fire_circle import FireCircleOptions
from parley.specs.estimated_calls import calls_of
from parley.specs.layered_prompts import QUESTION_KEYS, describe_judging, layers_in, session_in
from parley.specs.phrases import DRY_RUN, joined
from parley.specs.protocol_spec import ProtocolSpec
from protocols.fire_circle import prompts
from protocols.fire_circle.io import FireCircleInput, FireCircleResult
from protocols.fire_circle.tables import view


def _describe(inp: FireCircleInput) -> str:
    chair = "empty chair rotating" if inp.empty_chair_rotation else "no empty chair"
    return joined(f"at most {inp.max_rounds} rounds", chair, describe_judging(inp))


FIRE_CIRCLE = ProtocolSpec(
    name="fire-circle",
    input=FireCircleInput,
    result=FireCircleResult,
    options=FireCircleOptions,
    to_input=lambda options, asked, means: options.circle_input(layers_in(asked), session_in(asked), **means),
    view=view,
    question_keys=QUESTION_KEYS,
    has_rounds=True,
    describe=_describe,
    unused_seats=lambda inp: () if inp.pattern_classification == "llm" else (inp.panel.chair_seat,),
    plan=lambda options, panel, prompt: calls_of("fire_circle", panel, prompt, rounds=options.max_rounds),
    first_call=lambda inp: prompts.baseline(inp, prompts.Seat(inp.panel.participants[0], 1), secret=DRY_RUN),
    may_refuse_rows=True,
)
