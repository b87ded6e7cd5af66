"""A council."""

from parley.options.council import CouncilOptions
from parley.specs.estimated_calls import calls_of
from parley.specs.protocol_spec import ProtocolSpec
from protocols.council import prompts
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
    describe=lambda inp: "without review" if inp.final_only else "with review",
    plan=lambda options, panel, prompt: calls_of(
        "council", panel, prompt, chair=panel.chair, final_only=options.final_only
    ),
    first_call=lambda inp: prompts.opinion(inp, inp.panel.participants[0], ()),
)
