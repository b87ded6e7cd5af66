"""A structured debate."""

from parley.options.debate import DebateOptions
from parley.specs.protocol_spec import ProtocolSpec
from protocols.debate.model.io import DebateInput, DebateResult

DEBATE = ProtocolSpec(
    name="debate",
    input=DebateInput,
    result=DebateResult,
    options=DebateOptions,
    to_input=lambda options, asked, means: options.debate_input(asked["topic"], **means),
    asks=("topic",),
    has_rounds=True,
)
