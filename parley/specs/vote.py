"""A vote of models x samples."""

from parley.call_plans import independent_calls
from parley.options.equal_cost import VoteOptions
from parley.specs.phrases import answer_form, joined
from parley.specs.protocol_spec import ProtocolSpec
from protocols.plurals import counted
from protocols.vote import prompts
from protocols.vote.model import PRESETS, VoteInput, VoteResult
from protocols.vote.tables import view

VOTE: ProtocolSpec[VoteInput, VoteResult, VoteOptions] = ProtocolSpec(
    options=VoteOptions,
    result=VoteResult,
    view=view,
    describe=lambda inp: joined(f"{counted(inp.samples, 'sample')} of each model", answer_form(inp.answer)),
    size=lambda inp: counted(inp.votes, "vote"),
    unused_seats=lambda inp: (inp.panel.chair_seat,),
    own_calls=lambda options, sizes: independent_calls(sizes, samples=options.samples_each),
    first_calls=lambda inp: [prompts.answer(inp, seat) for seat in inp.seats],
    is_divisible=True,
    presets={name: {"preset": name} for name in PRESETS},
)
