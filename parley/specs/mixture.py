"""A mixture of agents."""

from parley.call_plans import CallSizes, PlannedCalls
from parley.options.equal_cost import MixtureOptions
from parley.specs.phrases import DRY_RUN, answer_form
from parley.specs.protocol_spec import ProtocolSpec
from protocols.mixture import prompts
from protocols.mixture.model import MixtureInput, MixtureResult
from protocols.mixture.tables import view
from protocols.plurals import counted


def _plan(options: MixtureOptions, sizes: CallSizes) -> list[PlannedCalls]:
    """Return the answers of the first layer, those of each further layer, and the aggregator's."""
    layers = range(1, options.layers + 1)
    proposals = [sizes.call(seat, number) for number in layers for seat in sizes.panel.participants]
    proposals = [call._replace(is_answer=True) for call in proposals]
    return [*proposals, sizes.call(sizes.chair, options.layers + 1)]


MIXTURE: ProtocolSpec[MixtureInput, MixtureResult, MixtureOptions] = ProtocolSpec(
    options=MixtureOptions,
    result=MixtureResult,
    view=view,
    describe=lambda inp: f"{counted(inp.layers, 'layer')} of proposers, {answer_form(inp.answer)}",
    own_calls=_plan,
    first_calls=lambda inp: [prompts.proposal(inp, seat, 1, {}, (), secret=DRY_RUN) for seat in inp.panel.participants],
)
