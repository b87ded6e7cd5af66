"""A vote of a panel."""

from parley.options.equal_cost import MajorityOptions
from parley.specs.protocol_spec import ProtocolSpec
from protocols.majority.model import MajorityInput, MajorityResult

MAJORITY = ProtocolSpec(
    name="majority",
    input=MajorityInput,
    result=MajorityResult,
    options=MajorityOptions,
    to_input=lambda options, asked, means: options.majority_input(asked["question"], **means),
)
