"""A structured debate."""

from parley.options.debate import DebateOptions
from parley.specs.debate_calls import debate_calls
from parley.specs.phrases import DRY_RUN, joined
from parley.specs.protocol_spec import ProtocolSpec
from protocols.debate.model.budget import ContextBudget
from protocols.debate.model.io import EVALUATOR, JUDGE, SUMMARISER, DebateInput, DebateResult
from protocols.debate.modes.aliases import labels, open_aliases
from protocols.debate.modes.table import MODES
from protocols.debate.prompts import calls
from protocols.debate.prompts.call_context import DebateView, RoundContext
from protocols.debate.rules.round_steps import start_debate
from protocols.debate.tables import view
from protocols.model_call import ModelCall, ParticipantId
from protocols.plurals import counted


def _describe(inp: DebateInput) -> str:
    return joined(
        inp.mode,
        f"at most {counted(inp.max_rounds, 'round')}",
        inp.high_stakes and f"high stakes ({', '.join(inp.high_stakes)})",
        inp.vulnerable_audience and "vulnerable audience",
        inp.turn_format == "lite" and "short turns",
        inp.reask and "asks again",
        inp.context_budget != ContextBudget() and f"{inp.context_budget.total:,} context tokens",
        inp.material and f"material: {', '.join(one.name for one in inp.material)}",
        inp.summaries == "llm" and "summaries by a model",
    )


def _unused_seats(inp: DebateInput) -> tuple[ParticipantId, ...]:
    summariser = () if inp.summaries == "llm" else (SUMMARISER,)
    judge = () if MODES[inp.mode].is_judged else (JUDGE,)
    return (*summariser, *judge)


ESCALATION_TIMEOUT = 10.0
"""Seconds that a debate of a study waits for a user: a study has hundreds of debates."""


_ASSUMPTIONS = (
    "From consensus in round 1 to all rounds, within a debate's budgets. The safety evaluator is counted where the "
    "mode calls it, as the synthesiser's model. Objection rounds, an evaluator that the topic or a turn calls, and "
    "models that reason at length, cost more."
)


def _first_calls(inp: DebateInput) -> list[ModelCall]:
    """Return the turns that no other turn precedes."""
    mode = MODES[inp.mode]
    names = labels(inp.seats) if mode.is_anonymous else open_aliases(inp.panel)
    view = DebateView(inp, start_debate(inp), names, DRY_RUN)
    seats = inp.panel.participants
    team = mode.part(0).team
    first = {
        "parallel": seats,
        "sequential": seats[:1],
        "team": tuple(seat for seat in seats if mode.part(inp.position(seat.id)).team == team),
    }
    return [calls.turn(view, seat, RoundContext(1))[0] for seat in first[mode.order]]


DEBATE: ProtocolSpec[DebateInput, DebateResult, DebateOptions] = ProtocolSpec(
    options=DebateOptions,
    result=DebateResult,
    view=view,
    question_keys=("topic",),
    has_rounds=True,
    describe=_describe,
    unused_seats=_unused_seats,
    blind_seats=(EVALUATOR, SUMMARISER),
    own_calls=debate_calls,
    assumptions=_ASSUMPTIONS,
    first_calls=_first_calls,
    study_options={"escalation_timeout": ESCALATION_TIMEOUT},
    may_refuse_rows=True,
)
