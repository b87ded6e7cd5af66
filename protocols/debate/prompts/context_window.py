"""The part of the debate in a prompt, within its budget (seed 003, 3.5, 3.6, 7.1 and 7.4 to 7.6, and 5.3, "Final").

A debater's prompt of round N has the user's text, the state, rounds N-3 and N-2 in short, round N-1 in full, and of its
own round the turns that its order allows; older rounds are only in the state. No component exceeds its maximum
(``model.context``). A summary is left out where the message would exceed its target, the oldest first; the turns of the
present round go before those of the previous one.

The synthesiser and the judge get the user's text beside the budget, and within it the state, the last round in full,
and of the earlier ones as many in full as fit, the latest first; the others are in short.
"""

from collections.abc import Sequence
from statistics import mean, median
from typing import NamedTuple

from protocols.debate.model.context import ContextUse
from protocols.debate.model.history import CompletedRound
from protocols.debate.model.turn import AgentResponse
from protocols.debate.prompts import registries
from protocols.debate.prompts.call_context import DebateView, RoundContext
from protocols.debate.prompts.turn_rendering import (
    TURN_LEAST,
    RenderContext,
    RenderedTurns,
    render_context,
    render_turns,
)
from protocols.model_call import ParticipantId
from protocols.tokens import count

NOBODY = "Nobody has spoken yet."

_SUMMARISED = 2
"""Rounds in short: N-3 and N-2."""
_HEADINGS = 40
"""Tokens of a heading, and of what joins it to its neighbours."""


class Context(NamedTuple):
    """A debater's user message, and what it holds."""

    text: str
    use: ContextUse


_STATE_SHARE, _SUMMARIES_SHARE = 2, 4
"""The state has at most a half of the budget, rounds in short at most a quarter."""


def build_context(
    table: DebateView, seat: ParticipantId, on: RoundContext, *, nonce: str, instructions: str, motion: str = ""
) -> Context:
    """Return the user message of ``seat``; the ``motion`` precedes the instructions."""
    how, rounds = render_context(table, nonce), {one.number: one for one in table.course.rounds}
    present, previous = visible(table, seat), rounds.get(on.round - 1)
    state, material = registries.show_state(how, how.budget.state), registries.show_material(how)
    closing = count(instructions)
    space = how.budget.total - count(state.text) - count(motion) - closing - 4 * _HEADINGS
    heading = f"=== ROUND {on.round}, THE PRESENT ONE, SO FAR ===\n"
    reserved = (TURN_LEAST + 3) * len(previous.turns) + 2 * _HEADINGS if previous and previous.turns else 0
    now = _under(heading, present, how, space - reserved) if present else RenderedTurns("")
    space -= count(now.text)
    before = show_previous(previous, how, min(how.budget.previous, space)) if previous else RenderedTurns("")
    if not (previous or present):
        before = RenderedTurns(NOBODY)
    parts = [state.text, before.text, now.text, motion, instructions]
    earlier = [completed for number, completed in rounds.items() if 0 < on.round - 1 - number <= _SUMMARISED]
    space = how.budget.target - count("\n\n".join(filter(None, parts))) - _HEADINGS
    older = tuple(registries.latest(earlier, how, space).values())
    parts.insert(1, registries.fence_summaries(older, how))
    text = "\n\n".join(filter(None, parts))
    use = ContextUse(
        state=count(state.text),
        historical=max(map(count, older), default=0),
        previous=count(before.text) + count(now.text),
        instructions=closing,
        total=count(text),
        material=count(material),
        claims=len(how.state.claims),
        claims_shortened=state.shortened,
        claims_by_id=state.by_id,
        turns_shortened=before.shortened + now.shortened,
    )
    return Context("\n\n".join(filter(None, (material, text))), use)


def show_previous(completed: CompletedRound, how: RenderContext, most: int) -> RenderedTurns:
    """Return a round in full, with the group's statistics where peers are anonymous."""
    kind = "" if completed.kind == "ordinary" else f" ({completed.kind} round)"
    group = f"{_group(completed.turns)}\n" if how.is_anonymous else ""
    return _under(f"=== ROUND {completed.number}{kind}: EVERY TURN ===\n{group}", completed.turns, how, most)


def visible(table: DebateView, seat: ParticipantId) -> tuple[AgentResponse, ...]:
    """Return the turns of the current round that ``seat`` may see: all before it, the red team's, or none."""
    mode, turns = table.mode, table.course.open
    if mode.order == "sequential":
        return tuple(turn for turn in turns if turn.agent != seat)
    if mode.order == "parallel" or mode.part(table.inp.position(seat)).team == "red":
        return ()
    return tuple(turn for turn in turns if mode.part(table.inp.position(turn.agent)).team == "red")


def closing_slots(rounds: Sequence[CompletedRound], how: RenderContext) -> dict[str, str]:
    """Return the slots ``material``, ``state`` and ``rounds`` of a prompt that closes a debate."""
    material, state = registries.show_material(how), registries.show_state(how, how.budget.closing // _STATE_SHARE)
    shown = _rounds(rounds, how, how.budget.closing - count(state.text))
    return {"material": material and f"{material}\n\n", "state": state.text, "rounds": shown}


def _under(heading: str, turns: Sequence[AgentResponse], how: RenderContext, most: int) -> RenderedTurns:
    shown = render_turns(turns, how, most - count(heading))
    return shown._replace(text=heading + shown.text)


def _group(turns: Sequence[AgentResponse]) -> str:
    given = [turn.confidence for turn in turns if turn.confidence is not None]
    votes = [turn.vote or "none" for turn in turns]
    cast = ", ".join(f"{votes.count(vote)} {vote}" for vote in ("ACCEPT", "MINOR", "BLOCKER", "none") if vote in votes)
    spread = (
        f"mean {mean(given):.0%}, median {median(given):.0%}, lowest {min(given):.0%}, highest {max(given):.0%}"
        if given
        else "nobody gave one"
    )
    return f"The group of {len(turns)}: confidence {spread}; votes {cast or 'none'}."


def _rounds(rounds: Sequence[CompletedRound], how: RenderContext, space: int) -> str:
    if not rounds:
        return "None was held."
    short = registries.latest(rounds[:-1], how, how.budget.closing // _SUMMARIES_SHARE)
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
    return "\n\n".join(filter(None, (registries.fence_summaries(tuple(short.values()), how), *full)))
