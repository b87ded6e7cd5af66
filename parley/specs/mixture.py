"""A mixture of agents."""

from parley.options.equal_cost import MixtureOptions
from parley.specs.estimated_calls import calls_of
from parley.specs.phrases import DRY_RUN, answer_form
from parley.specs.protocol_spec import ProtocolSpec
from protocols.mixture import prompts
from protocols.mixture.model import MixtureInput, MixtureResult
from protocols.mixture.tables import view

MIXTURE = ProtocolSpec(
    name="mixture",
    input=MixtureInput,
    result=MixtureResult,
    options=MixtureOptions,
    to_input=lambda options, asked, means: options.mixture_input(asked["question"], **means),
    view=view,
    describe=lambda inp: f"{inp.layers} layers of proposers, {answer_form(inp.answer)}",
    plan=lambda options, panel, prompt: calls_of("mixture", panel, prompt, chair=panel.chair, rounds=options.layers),
    first_call=lambda inp: prompts.proposal(inp, inp.panel.participants[0], 1, {}, (), secret=DRY_RUN),
)
