"""The baselines of a fire circle: judges without a dialogue."""

from parley.call_plans import independent_calls
from parley.options.fire_circle import FireCircleBaselineOptions
from parley.specs.phrases import DRY_RUN, SHOWN, describe_judging
from parley.specs.protocol_spec import ProtocolSpec
from protocols.fire_circle import prompts
from protocols.fire_circle.io import FireCircleBaselineInput, FireCircleBaselineResult
from protocols.fire_circle.model import LAYERS
from protocols.fire_circle.tables import baseline_view

FIRE_CIRCLE_BASELINE: ProtocolSpec[FireCircleBaselineInput, FireCircleBaselineResult, FireCircleBaselineOptions] = (
    ProtocolSpec(
        options=FireCircleBaselineOptions,
        result=FireCircleBaselineResult,
        view=baseline_view,
        question_keys=("session", *LAYERS),
        describe=lambda inp: f"{inp.mode}, {describe_judging(inp)}",
        unused_seats=lambda inp: (inp.panel.chair_seat,),
        own_calls=lambda _, sizes: independent_calls(sizes._replace(shown=SHOWN)),
        first_calls=lambda inp: [
            prompts.baseline(inp, prompts.Seat(seat, 1), secret=DRY_RUN) for seat in inp.panel.participants
        ],
        is_divisible=True,
        may_refuse_rows=True,
        presets={"single": {"mode": "single"}, "parallel": {"mode": "parallel"}},
    )
)
