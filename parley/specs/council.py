"""A council."""

from parley.call_plans import CallSizes, PlannedCalls, text_tokens
from parley.options.council import CouncilOptions
from parley.specs.phrases import joined
from parley.specs.protocol_spec import ProtocolSpec
from protocols.council import prompts
from protocols.council.model import STAGES, CouncilInput, CouncilResult
from protocols.council.tables import view

_SCORE_TOKENS = 6
"""Tokens of one cell of a table of scores, with its part of the heading."""


def _plan(options: CouncilOptions, sizes: CallSizes) -> list[PlannedCalls]:
    """Return opinions, reviews of all opinions unless skipped, and the synthesis."""
    seats = sizes.panel.participants
    reviews = [sizes.call(one, 2) for one in seats if len(seats) > 1 and not options.final_only]
    closing = sizes.call(sizes.chair, 3 if reviews else 2)
    if options.rubric is not None:
        table = text_tokens("".join(f"{one.name} {one.about}\n" for one in options.rubric.criteria)).high
        scores = _SCORE_TOKENS * len(seats) * len(options.rubric.criteria)
        reviews = [call.longer(0, table + scores) for call in reviews]
        closing = closing.longer(0, scores)
    return [*(sizes.call(one, 1) for one in seats), *reviews, closing]


def _describe(inp: CouncilInput) -> str:
    if inp.final_only:
        return "without review"
    return joined("with review", inp.rubric and f"scored on {', '.join(inp.rubric.names)}")


COUNCIL: ProtocolSpec[CouncilInput, CouncilResult, CouncilOptions] = ProtocolSpec(
    options=CouncilOptions,
    result=CouncilResult,
    view=view,
    stages=STAGES,
    has_rounds=True,
    describe=_describe,
    own_calls=_plan,
    first_calls=lambda inp: [prompts.opinion(inp, seat, ()) for seat in inp.panel.participants],
)
