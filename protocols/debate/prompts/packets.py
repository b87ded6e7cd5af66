"""Layer B, the rounds that are over but one: each in short, within 400 tokens (seed 003, sections 7.1, 7.3 and 7.5)."""

import json
from collections.abc import Sequence
from typing import Literal, NamedTuple

from protocols.debate.model.course import HISTORICAL_MOST
from protocols.debate.model.state import (
    ARGUMENT_TOKENS,
    NOTE_TOKENS,
    ONE_LINER_TOKENS,
    AgentSummary,
    Contested,
    HistoricalRound,
)
from protocols.debate.prompts.shown import MOST_IDS, Showing, few
from protocols.prompting import fence
from protocols.tokens import count


class _Detail(NamedTuple):
    """How much of a round is told."""

    note: int = NOTE_TOKENS
    argument: int = ARGUMENT_TOKENS
    moves: int = 6
    contested: int = 6
    ids: int = MOST_IDS
    agents: Literal["whole", "bare", "none"] = "whole"
    """Bare is name, stance and confidence."""


_LESS = (
    _Detail(note=8, argument=12, moves=4, contested=4),
    _Detail(note=0, argument=8, moves=3, contested=3),
    _Detail(note=0, argument=0, moves=1, contested=2),
    _Detail(note=0, argument=0, contested=2, ids=5, agents="bare"),
    _Detail(note=0, argument=0, contested=0, ids=3, agents="bare"),
    _Detail(note=0, argument=0, contested=0, ids=3, agents="none"),
)
"""Less and less, down to what is left when ten debaters have made a hundred moves."""


def in_short(held: HistoricalRound, how: Showing) -> str:
    """One round as the JSON of section 7.3, as much of it as 400 tokens hold."""
    whole = _json(held, how, _Detail())
    if count(whole) <= HISTORICAL_MOST:
        return whole
    shorter = [_json(held, how, detail) for detail in _LESS]
    fitting = [text for text in shorter if count(text) <= HISTORICAL_MOST]
    return [*fitting, shorter[-1]][0]


def historical(rounds: Sequence[str], how: Showing) -> str:
    """Rounds in short, one below the other."""
    rows = ",\n".join(rounds)
    return fence(f'{{"historicalRounds": [\n{rows}\n]}}', "rounds in short", how.nonce)


def _json(held: HistoricalRound, how: Showing, detail: _Detail) -> str:
    told = held.summary
    overall = {
        "one_liner": how.line(told.overall.one_liner, ONE_LINER_TOKENS),
        "new_claims": few(told.overall.new_claims, detail.ids),
        "new_evidence": few(told.overall.new_evidence, detail.ids),
        "decisions": few(told.overall.decisions, detail.ids),
    }
    agents = sorted(told.by_agent, key=lambda one: how.place(one.agent)) if detail.agents != "none" else ()
    summary = {
        "global": overall,
        "by_agent": [_agent(one, how, detail) for one in agents],
        "contested": [_contested(one, how, detail) for one in told.contested[: detail.contested]],
    }
    return json.dumps({"round": held.round, "summary": summary}, ensure_ascii=False)


def _agent(one: AgentSummary, how: Showing, detail: _Detail) -> dict[str, object]:
    stance = {"stance": one.stance} if how.has_stances else {}
    standing: dict[str, object] = {
        "agent": how.names[one.agent],
        **stance,
        "confidence": one.confidence and round(one.confidence, 2),
    }
    if detail.agents == "bare":
        return standing
    moves = [
        {"type": move.type, "ref": move.ref} | ({"note": note} if (note := how.line(move.note, detail.note)) else {})
        for move in one.key_moves[: detail.moves]
    ]
    return {
        **standing,
        "confidence_delta": one.confidence_delta and round(one.confidence_delta, 2),
        "key_moves": moves,
    }


def _contested(one: Contested, how: Showing, detail: _Detail) -> dict[str, object]:
    return {
        "claim": one.claim,
        "best_pro": how.line(one.best_pro, detail.argument),
        "best_con": how.line(one.best_con, detail.argument),
    }
