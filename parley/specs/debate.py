"""A structured debate."""

from parley.options.debate import DebateOptions
from parley.specs.protocol_spec import ProtocolSpec
from protocols.debate.model.io import DebateInput, DebateResult
from protocols.debate.tables import view

DEBATE = ProtocolSpec(
    name="debate",
    input=DebateInput,
    result=DebateResult,
    options=DebateOptions,
    to_input=lambda options, asked, means: options.debate_input(asked["topic"], **means),
    view=view,
    asks=("topic",),
    has_rounds=True,
)
