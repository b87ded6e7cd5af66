"""A round in short, by rule (seed 003, sections 5.2 and 7.3).

Nothing is made up: every line comes from the structured turns and the registries. What may not be shown to peers is not
in it. Every text keeps to its own limit; how much of it a prompt shows is decided by ``prompts.packets``.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, zip_longest

from protocols.debate.aliases import Aliases
from protocols.debate.model.history import DebateHistory
from protocols.debate.model.state import (
    ARGUMENT_TOKENS,
    NOTE_TOKENS,
    ONE_LINER_TOKENS,
    PERSON,
    POSITION_TOKENS,
    WITHHELD,
    AgentSummary,
    Claim,
    Contested,
    DebateState,
    Evidence,
    GlobalSummary,
    HistoricalRound,
    KeyMove,
    MoveKind,
    RoundSummary,
)
from protocols.debate.model.turn import AgentResponse, Label
from protocols.debate.rules.registry_update import id_of, shorten_to_line

MOST_MOVES, MOST_CONTESTED = 12, 6
"""Of one agent, and of one round: the turns themselves have the rest."""

_STRENGTH: dict[Label, int] = {"FACT": 0, "INFER": 1, "ASSUME": 2, "OPEN": 3}


def summarise_round(course: DebateHistory, names: Aliases, one_liner: str = "") -> HistoricalRound:
    """Return the short form of the current round for later prompts.

    ``one_liner`` is the summariser's line, cut to its limit; without one the line is made by rule.
    """
    number = max(1, course.state.round)
    line = shorten_to_line(one_liner, ONE_LINER_TOKENS) or shorten_to_line(
        _what_changed(course, names, number), ONE_LINER_TOKENS
    )
    return HistoricalRound(round=number, summary=_summary(course, number, line))


def key_point(turn: AgentResponse) -> str:
    """Return the first key point of the turn, or its position."""
    items = (point for point in turn.said.key_points if point.strip())
    return shorten_to_line(next(items, turn.said.position), ARGUMENT_TOKENS)


def _summary(course: DebateHistory, number: int, line: str) -> RoundSummary:
    state = course.state
    return RoundSummary(
        overall=GlobalSummary(
            one_liner=line,
            new_claims=tuple(one.id for one in state.claims if one.introduced_round == number),
            new_evidence=tuple(one.id for one in state.evidence if one.added_round == number),
            decisions=tuple(one.id for one in state.decisions if one.round == number),
        ),
        by_agent=tuple(_agent(turn, state) for turn in course.open),
        contested=tuple(
            Contested(claim=one.id, best_pro=_best_pro(one, course), best_con=_best_con(one, course))
            for one in _disputed(state, number)[:MOST_CONTESTED]
        ),
    )


def _what_changed(course: DebateHistory, names: Aliases, number: int) -> str:
    """Return votes that changed, and the claim with most opponents."""
    moved = [
        f"{names[turn.agent]} went from {turn.vote_before} to {turn.vote}"
        for turn in course.shown
        if turn.vote and turn.vote_before and turn.vote != turn.vote_before
    ]
    disputed = [f"{one.id} is contested: {one.text}" for one in _disputed(course.state, number)[:1]]
    return "; ".join((*moved, *disputed)) or "No vote changed, and no claim of this round is contested"


def _disputed(state: DebateState, number: int) -> list[Claim]:
    """Return contested claims that the round touched, those with most opponents first."""
    found = [one for one in state.claims if one.status == "contested" and one.last_updated_round == number]
    return sorted(found, key=lambda one: -len(one.opponents))


def _agent(turn: AgentResponse, state: DebateState) -> AgentSummary:
    if turn.withheld:
        return AgentSummary(agent=turn.agent)
    return AgentSummary(
        agent=turn.agent,
        stance=turn.said.stance,
        vote=turn.vote,
        confidence=turn.confidence,
        confidence_delta=turn.confidence_delta,
        position=shorten_to_line(turn.said.position, POSITION_TOKENS),
        key_moves=tuple(_moves(turn, state))[:MOST_MOVES],
    )


def _moves(turn: AgentResponse, state: DebateState) -> Iterator[KeyMove]:
    """Yield what the turn did, one of each kind before the second of any; the first of a kind with its words."""
    touched, claims = turn.claims_touched, {one.id: one.text for one in state.claims}
    sources = {one.id: _gist(one) for one in state.evidence}
    kinds: tuple[tuple[MoveKind, Sequence[str], Callable[[str], str | None]], ...] = (
        ("claim", touched.introduced, claims.get),
        ("challenge", touched.challenged, lambda at: _against(turn, at)),
        ("retract", touched.retracted, claims.get),
        ("evidence", turn.citations_used, sources.get),
        ("reinforce", touched.reinforced, claims.get),
    )
    listed = (
        [
            KeyMove(type=kind, ref=at, note="" if number else shorten_to_line(words(at) or "", NOTE_TOKENS))
            for number, at in enumerate(ids)
        ]
        for kind, ids, words in kinds
    )
    return (move for move in chain.from_iterable(zip_longest(*listed)) if move)


def _against(turn: AgentResponse, at: str) -> str:
    """Return the turn's text against that claim: a claim, a concern, or its position."""
    own = (one.text for one in turn.said.claims if at in map(id_of, one.opposes))
    return next(chain(own, turn.said.concerns, (turn.said.position,)))


def _best_pro(claim: Claim, course: DebateHistory) -> str:
    """Return another claim that supports it in this round, or its evidence, or the claim itself."""
    said = [one for turn in course.shown for one in turn.said.claims if claim.id in map(id_of, one.supports)]
    strongest = sorted(said, key=lambda one: _STRENGTH[one.label])
    proof = [_gist(one) for one in course.state.evidence if one.id in claim.support]
    texts = (*(one.text for one in strongest), *(text for text in proof if text != WITHHELD), claim.text)
    return shorten_to_line(texts[0], ARGUMENT_TOKENS)


def _best_con(claim: Claim, course: DebateHistory) -> str:
    """Return the strongest claim against it, or an opponent's text from this round."""
    against = [one for one in course.state.claims if one.id in claim.opposition and one.status != "retracted"]
    strongest = sorted(against, key=lambda one: (_STRENGTH[one.label], -len(one.supporters)))
    said = (_against(turn, claim.id) for turn in course.shown if turn.agent in claim.opponents)
    return shorten_to_line(next(chain((one.text for one in strongest), said), ""), ARGUMENT_TOKENS)


def _gist(one: Evidence) -> str:
    """Return the text of a user's fact, or the title of other evidence."""
    return one.gist if one.added_by == PERSON else one.title
