"""The baselines of a fire circle: judges without a dialogue."""

from parley.options.fire_circle import EvaluateOptions
from parley.specs.layered_prompts import ASKS, layers_in, session_in
from parley.specs.protocol_spec import ProtocolSpec
from protocols.fire_circle.modes import EvaluateInput, EvaluateResult
from protocols.fire_circle.tables import baseline_view

EVALUATE = ProtocolSpec(
    name="evaluate",
    input=EvaluateInput,
    result=EvaluateResult,
    options=EvaluateOptions,
    to_input=lambda options, asked, means: options.evaluate_input(layers_in(asked), session_in(asked), **means),
    view=baseline_view,
    asks=ASKS,
)
