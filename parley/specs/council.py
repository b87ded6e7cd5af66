"""A council."""

from parley.options.council import CouncilOptions
from parley.specs.protocol_spec import ProtocolSpec
from protocols.council.model import STAGES, CouncilInput, CouncilResult
from protocols.council.tables import view

COUNCIL = ProtocolSpec(
    name="council",
    input=CouncilInput,
    result=CouncilResult,
    options=CouncilOptions,
    to_input=lambda options, asked, means: options.council_input(asked["question"], **means),
    view=view,
    stages=STAGES,
    has_rounds=True,
)
