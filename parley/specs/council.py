"""A council."""

from parley.options.council import CouncilOptions
from parley.specs.protocol_spec import ProtocolSpec
from protocols.council.model import STAGES, CouncilInput, CouncilResult

COUNCIL = ProtocolSpec(
    name="council",
    input=CouncilInput,
    result=CouncilResult,
    options=CouncilOptions,
    to_input=lambda options, asked, means: options.council_input(asked["question"], **means),
    stages=STAGES,
    has_rounds=True,
)
