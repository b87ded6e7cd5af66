"""A consensus of three speakers."""

from parley.options.consensus import ConsensusOptions
from parley.specs.estimated_calls import calls_of
from parley.specs.phrases import joined
from parley.specs.protocol_spec import ProtocolSpec
from protocols.consensus import prompts
from protocols.consensus.model import ConsensusInput, ConsensusResult
from protocols.consensus.tables import view


def _describe(inp: ConsensusInput) -> str:
    return joined(
        f"at most {inp.max_rounds} rounds",
        inp.majority_after and f"majority after {inp.majority_after}",
        inp.deadlock_after and f"deadlock after {inp.deadlock_after}",
        inp.carry_corrections and "corrections carried on",
    )


CONSENSUS = ProtocolSpec(
    name="consensus",
    input=ConsensusInput,
    result=ConsensusResult,
    options=ConsensusOptions,
    to_input=lambda options, asked, means: options.consensus_input(asked["question"], **means),
    view=view,
    has_rounds=True,
    describe=_describe,
    plan=lambda options, panel, prompt: calls_of(
        "consensus", panel, prompt, chair=panel.chair, rounds=options.max_rounds
    ),
    first_call=lambda inp: prompts.answer(inp, inp.panel.participants[0], prompts.CallContext("generator", 1)),
)
