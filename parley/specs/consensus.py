"""A consensus of three speakers."""

from parley.options.consensus import ConsensusOptions
from parley.specs.protocol_spec import ProtocolSpec
from protocols.consensus.model import ConsensusInput, ConsensusResult
from protocols.consensus.tables import view

CONSENSUS = ProtocolSpec(
    name="consensus",
    input=ConsensusInput,
    result=ConsensusResult,
    options=ConsensusOptions,
    to_input=lambda options, asked, means: options.consensus_input(asked["question"], **means),
    view=view,
    has_rounds=True,
)
