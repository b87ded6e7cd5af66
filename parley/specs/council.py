"""A council."""

from parley.call_plans import CallSizes, PlannedCalls
from parley.options.council import CouncilOptions
from parley.ranges import Range
from parley.specs.phrases import joined
from parley.specs.protocol_spec import ProtocolSpec
from protocols.council import prompts
from protocols.council.model import STAGES, CouncilInput, CouncilResult
from protocols.council.tables import view
from protocols.panel import Panel


def _plan(options: CouncilOptions, panel: Panel, prompt: Range | None) -> list[PlannedCalls]:
    """Return opinions, reviews of all opinions unless skipped, and the synthesis."""
    seats = panel.participants
    sizes = CallSizes.of(len(seats), prompt)
    reviews = [sizes.call(one.model, 2) for one in seats if len(seats) > 1 and not options.final_only]
    opinions = [sizes.call(one.model, 1) for one in seats]
    return [*opinions, *reviews, sizes.call(panel.chair.model, 3 if reviews else 2)]


def _scored_on(inp: CouncilInput) -> str:
    return f"scored on {', '.join(inp.rubric.names)}" if inp.rubric else ""


COUNCIL: ProtocolSpec[CouncilInput, CouncilResult, CouncilOptions] = ProtocolSpec(
    options=CouncilOptions,
    result=CouncilResult,
    view=view,
    stages=STAGES,
    has_rounds=True,
    describe=lambda inp: "without review" if inp.final_only else joined("with review", _scored_on(inp)),
    own_calls=_plan,
    first_calls=lambda inp: [prompts.opinion(inp, seat, ()) for seat in inp.panel.participants],
)
