"""The debate as the synthesiser and the judge read it (seed 003, section 5.3, "Final").

Text of the user is whole, beside the budget. Within it are the state, the last round in full, and of the earlier
ones as many in full as fit, the latest first; the others are in short.
"""

from collections.abc import Sequence

from protocols.debate.model.history import CompletedRound
from protocols.debate.prompts import registries, round_summaries
from protocols.debate.prompts.context_window import show_previous
from protocols.debate.prompts.turn_rendering import RenderContext
from protocols.tokens import count

_STATE_SHARE, _SUMMARIES_SHARE = 2, 4
"""The state has at most a half of the budget, rounds in short at most a quarter."""


def slots(rounds: Sequence[CompletedRound], how: RenderContext) -> dict[str, str]:
    """Return the slots ``material``, ``state`` and ``rounds`` of a prompt that closes a debate."""
    material, state = registries.show_material(how), registries.show_state(how, how.budget.closing // _STATE_SHARE)
    shown = _rounds(rounds, how, how.budget.closing - count(state.text))
    return {"material": material and f"{material}\n\n", "state": state.text, "rounds": shown}


def _rounds(rounds: Sequence[CompletedRound], how: RenderContext, space: int) -> str:
    if not rounds:
        return "None was held."
    short = round_summaries.latest(rounds[:-1], how, how.budget.closing // _SUMMARIES_SHARE)
    space -= sum(count(text) + 1 for text in short.values())
    full = [show_previous(rounds[-1], how, space).text]
    space -= count(full[0])
    for completed in reversed(rounds[:-1]):
        text = show_previous(completed, how, how.budget.closing).text
        space += count(short.get(completed.number, "")) - count(text)
        if space < 0 or not any(
            turn.said.reasoning for turn in completed.turns
        ):  # a continued run keeps no older reasoning
            break
        short.pop(completed.number, None)
        full.insert(0, text)
    return "\n\n".join(filter(None, (round_summaries.fence_summaries(tuple(short.values()), how), *full)))
