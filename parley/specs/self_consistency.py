"""Sampling of one model."""

from parley.options.equal_cost import SelfConsistencyOptions
from parley.specs.protocol_spec import ProtocolSpec
from protocols.self_consistency.model import SelfConsistencyInput, SelfConsistencyResult

SELF_CONSISTENCY = ProtocolSpec(
    name="self-consistency",
    input=SelfConsistencyInput,
    result=SelfConsistencyResult,
    options=SelfConsistencyOptions,
    to_input=lambda options, asked, means: options.self_consistency_input(asked["question"], **means),
)
