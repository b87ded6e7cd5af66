"""Layer B, the rounds before the previous one: each in short (seed 003, sections 5.2, 7.1 and 7.3).

The changes of a round are first, then every debater with its position and actions: its newest claim in words, the
others by their ids, whose text is in the state.
"""

from collections.abc import Sequence

from protocols.debate.model.history import CompletedRound
from protocols.debate.model.state import (
    ARGUMENT_TOKENS,
    NOTE_TOKENS,
    ONE_LINER_TOKENS,
    POSITION_TOKENS,
    AgentSummary,
    Contested,
    HistoricalRound,
    KeyMove,
)
from protocols.debate.prompts.turn_rendering import RenderContext, even_share, first_ids
from protocols.prompt_pack import fence
from protocols.tokens import clip, count

_DID = (
    ("claim", "New"),
    ("challenge", "Against"),
    ("reinforce", "For"),
    ("retract", "Takes back"),
    ("evidence", "Evidence"),
)
"""Kinds of moves in the order in which they are shown."""
_MOST_CONTESTED = 3


def summarise(completed: HistoricalRound, how: RenderContext) -> str:
    """Return one round in short; where it is too long, the longest lines are shortened evenly."""
    overall = completed.summary.overall
    agents = sorted(completed.summary.by_agent, key=lambda one: how.place(one.agent))
    lines = [f"ROUND {completed.round}: {how.line(overall.one_liner, ONE_LINER_TOKENS)}"]
    lines += [_agent(one, how) for one in agents]
    lines += [_contested(one, how) for one in completed.summary.contested[:_MOST_CONTESTED]]
    share = even_share([count(line) + 1 for line in lines], how.budget.historical) - 1
    return "\n".join(clip(line, share) for line in lines)


def latest(rounds: Sequence[CompletedRound], how: RenderContext, space: int) -> dict[int, str]:
    """Return the latest of ``rounds`` in short by number, as many as there is room for, in order."""
    kept: dict[int, str] = {}
    for completed in reversed(rounds):
        text = summarise(completed.summary, how)
        space -= count(text) + 1
        if space < 0:
            break
        kept = {completed.number: text, **kept}
    return kept


def fence_summaries(rounds: Sequence[str], how: RenderContext) -> str:
    """Return rounds in short, one below the other; empty where there is none."""
    if not rounds:
        return ""
    text = "\n\n".join(rounds)
    return f"=== EARLIER ROUNDS IN SHORT ===\n{fence(text, 'rounds in short', how.nonce)}"


def _agent(one: AgentSummary, how: RenderContext) -> str:
    stance = one.stance if how.has_stances else None
    sure = None if one.confidence is None else f"{one.confidence:.0%}"
    known = ", ".join(filter(None, (stance, sure, one.vote)))
    moves = "".join(f" {name}: {did}." for kind, name in _DID if (did := _moves(one.key_moves, kind, how)))
    position = how.line(one.position, POSITION_TOKENS)
    return f"{how.short(one.agent)}{f' ({known})' if known else ''}: {position}{moves}"


def _moves(moves: Sequence[KeyMove], kind: str, how: RenderContext) -> str:
    """Return the first move of that kind with its words, and the others by id."""
    found = [move for move in moves if move.type == kind]
    words = how.line(found[0].note, NOTE_TOKENS) if found and kind in {"claim", "challenge"} else ""
    return ", ".join(
        (*([f"{found[0].ref} {words}".rstrip()] if found else ()), *first_ids([one.ref for one in found[1:]]))
    )


def _contested(one: Contested, how: RenderContext) -> str:
    sides = (("for it", one.best_pro), ("against it", one.best_con))
    arguments = "; ".join(f"{side}: {how.line(text, ARGUMENT_TOKENS)}" for side, text in sides if text)
    return f"{one.claim} is contested{f', {arguments}' if arguments else ''}"
