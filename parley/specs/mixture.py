"""A mixture of agents."""

from parley.options.equal_cost import MixtureOptions
from parley.specs.protocol_spec import ProtocolSpec
from protocols.mixture.model import MixtureInput, MixtureResult
from protocols.mixture.tables import view

MIXTURE = ProtocolSpec(
    name="mixture",
    input=MixtureInput,
    result=MixtureResult,
    options=MixtureOptions,
    to_input=lambda options, asked, means: options.mixture_input(asked["question"], **means),
    view=view,
)
