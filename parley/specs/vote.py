"""A vote of models x samples."""

from parley.options.equal_cost import VoteOptions
from parley.specs.protocol_spec import ProtocolSpec
from protocols.vote.model import VoteInput, VoteResult
from protocols.vote.tables import view

VOTE = ProtocolSpec(
    name="vote",
    input=VoteInput,
    result=VoteResult,
    options=VoteOptions,
    to_input=lambda options, asked, means: options.vote_input(asked["question"], **means),
    view=view,
)
