"""A fire circle."""

from parley.options.fire_circle import FireCircleOptions
from parley.specs.layered_prompts import ASKS, layers_in, session_in
from parley.specs.protocol_spec import ProtocolSpec
from protocols.fire_circle.modes import FireCircleInput, FireCircleResult
from protocols.fire_circle.tables import view

FIRE_CIRCLE = ProtocolSpec(
    name="fire-circle",
    input=FireCircleInput,
    result=FireCircleResult,
    options=FireCircleOptions,
    to_input=lambda options, asked, means: options.circle_input(layers_in(asked), session_in(asked), **means),
    view=view,
    asks=ASKS,
    has_rounds=True,
)
