"""A consensus of three speakers."""

from parley.call_plans import CallSizes, PlannedCalls, Range
from parley.options.consensus import ConsensusOptions
from parley.specs.phrases import joined
from parley.specs.protocol_spec import ProtocolSpec
from protocols.consensus import prompts
from protocols.consensus.model import ConsensusInput, ConsensusResult
from protocols.consensus.tables import view
from protocols.plurals import counted


def _describe(inp: ConsensusInput) -> str:
    return joined(
        f"at most {counted(inp.max_rounds, 'round')}",
        inp.majority_after and f"majority after {inp.majority_after}",
        inp.deadlock_after and f"deadlock after {inp.deadlock_after}",
        inp.carry_corrections and "corrections carried on",
    )


def _plan(options: ConsensusOptions, sizes: CallSizes) -> list[PlannedCalls]:
    """Return the calls from agreement in the first round to agreement in the last: three stages and three checks each.

    Fifty rounds are the seed's 300 calls; the curator's comes on top of them when the fiftieth agrees. A call that also
    shows corrections is as long as the seed's third.
    """
    generator, *others = speakers = sizes.panel.participants
    alike = 3 if options.carry_corrections else 2
    each, later = Range(low=1, high=options.max_rounds), Range(low=0, high=options.max_rounds - 1)
    drafts = [sizes.call(generator, 1), sizes.call(generator, alike, later)]
    turns = [sizes.call(seat, 2, each) for seat in (*others, *speakers)]
    return [*drafts, *turns, sizes.call(sizes.chair, 3)]


CONSENSUS: ProtocolSpec[ConsensusInput, ConsensusResult, ConsensusOptions] = ProtocolSpec(
    options=ConsensusOptions,
    result=ConsensusResult,
    view=view,
    has_rounds=True,
    names_rounds=False,
    describe=_describe,
    own_calls=_plan,
    first_calls=lambda inp: [prompts.answer(inp, inp.panel.participants[0], prompts.CallContext("generator", 1))],
)
