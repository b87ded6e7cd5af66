"""A round in short, and the synthesis of a debate, by rule (seed 003, sections 5.2, 5.3, "Final", and 7.3).

Nothing is made up: every line comes from the structured turns and the registries. What may not be shown to peers is not
in it. Every text keeps to its own limit; how much of it a prompt shows is decided by ``prompts``.

The synthesis has the position that most agree on, the evidence under accepted claims, the last positions, and for
dissent the blockers and the contested claims. Who is missing is named.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, zip_longest

from protocols.debate.aliases import Aliases
from protocols.debate.model.closing import FinalPosition, KeyEvidence, Synthesis
from protocols.debate.model.history import CompletedRound, DebateHistory
from protocols.debate.model.io import DebateInput
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
from protocols.debate.rules.agreement import grouped
from protocols.debate.rules.registry_update import id_of, shorten_to_line
from protocols.model_call import ParticipantId
from protocols.plurals import counted
from protocols.tokens import clip

MOST_MOVES, MOST_CONTESTED = 12, 6
"""Of one agent, and of one round: the turns themselves have the rest."""

_STRENGTH: dict[Label, int] = {"FACT": 0, "INFER": 1, "ASSUME": 2, "OPEN": 3}

_SUMMARY_TOKENS, _POSITION_TOKENS, _LINE_TOKENS = 200, 120, 60
_MOST = 10
"""Pieces of evidence, and contested claims."""


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


def synthesise_by_rule(inp: DebateInput, course: DebateHistory, names: Aliases) -> Synthesis:
    """Build the synthesis without a model (section 5.3, "Final"); every text in it is bounded."""
    return Synthesis(
        executive_summary=_in_a_word(inp, course, names),
        key_evidence=_key_evidence(course),
        final_positions=tuple(
            FinalPosition(agent=names[seat], position=_final_position(course, seat)) for seat in inp.seats
        ),
        dissent=(*_blockers(course, names), *_contested(course, names)),
        written_by="rule",
    )


def last_turns(course: DebateHistory) -> list[AgentResponse]:
    """Return the last turn of each debater in panel order, also from an unfinished round."""
    said = {
        turn.agent: turn for turn in (*(turn for completed in course.rounds for turn in completed.turns), *course.open)
    }
    return [said[seat] for seat in course.state.participants if seat in said]


def figures(completed: CompletedRound) -> str:
    """Return the agreement of that round as a clause."""
    measures = completed.measures
    return f"Round {completed.number}: agreement {measures.agreement:.0%}, {counted(measures.blockers, 'blocker')}"


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
    own = (one.text for one in turn.said.claims if at in map(id_of, one.opposes))
    return next(chain(own, turn.said.concerns, (turn.said.position,)))


def _best_pro(claim: Claim, course: DebateHistory) -> str:
    said = [one for turn in course.shown for one in turn.said.claims if claim.id in map(id_of, one.supports)]
    strongest = sorted(said, key=lambda one: _STRENGTH[one.label])
    proof = [_gist(one) for one in course.state.evidence if one.id in claim.support]
    texts = (*(one.text for one in strongest), *(text for text in proof if text != WITHHELD), claim.text)
    return shorten_to_line(texts[0], ARGUMENT_TOKENS)


def _best_con(claim: Claim, course: DebateHistory) -> str:
    against = [one for one in course.state.claims if one.id in claim.opposition and one.status != "retracted"]
    strongest = sorted(against, key=lambda one: (_STRENGTH[one.label], -len(one.supporters)))
    said = (_against(turn, claim.id) for turn in course.shown if turn.agent in claim.opponents)
    return shorten_to_line(next(chain((one.text for one in strongest), said), ""), ARGUMENT_TOKENS)


def _gist(one: Evidence) -> str:
    return one.gist if one.added_by == PERSON else one.title


def _in_a_word(inp: DebateInput, course: DebateHistory, names: Aliases) -> str:
    shown = [turn for turn in last_turns(course) if not turn.withheld]
    withheld = sum(bool(turn.withheld) for turn in last_turns(course))
    parts = [
        _agreed(shown, len(inp.seats), names) if shown else "No position may be shown.",
        f"{figures(course.rounds[-1])}." if course.rounds else "",
        f"Withheld from peers: the last turn of {withheld}." if withheld else "",
        f"Lost: {_listed(course.lost, names)}." if course.lost else "",
    ]
    return "\n".join(part for part in parts if part)


def _agreed(shown: Sequence[AgentResponse], debaters: int, names: Aliases) -> str:
    """Return the position of the largest group, in the words of the one that is most sure of it."""
    group = max(grouped(shown), key=lambda one: (len(one), max(map(_sure, one))))
    best = max(group, key=_sure)
    many, most = (f"{len(group)} of {debaters}", "surely") if len(group) > 1 else ("No two", "sure is")
    name, sure = names[best.agent], best.confidence
    who = f"; {name} says" if sure is None else f", most {most} {name} ({sure:.0%})"
    return f"{many} debaters agree{who}: {clip(best.said.position, _SUMMARY_TOKENS)}"


def _sure(turn: AgentResponse) -> float:
    return turn.confidence or 0.0


def _listed(seats: Sequence[ParticipantId], names: Aliases) -> str:
    return ", ".join(names.get(seat, seat) for seat in seats) or "nobody"


def _key_evidence(course: DebateHistory) -> tuple[KeyEvidence, ...]:
    accepted = [claim for claim in course.state.claims if claim.status == "accepted"]
    found = [
        (one, [claim.id for claim in accepted if one.id in claim.support])
        for one in course.state.evidence
        if one.title != WITHHELD
    ]
    ranked = sorted((pair for pair in found if pair[1]), key=lambda pair: -len(pair[1]))[:_MOST]
    return tuple(
        KeyEvidence(id=one.id, text=f"{_place_of(one)} (for {', '.join(claims[:_MOST])})") for one, claims in ranked
    )


def _place_of(one: Evidence) -> str:
    title = clip(one.title, _LINE_TOKENS)
    return f"{one.gist} ({title})" if one.added_by == PERSON else title


def _final_position(course: DebateHistory, seat: ParticipantId) -> str:
    turn = next((turn for turn in last_turns(course) if turn.agent == seat), None)
    if turn is None:
        return "[lost before it spoke]" if seat in course.lost else "[did not speak]"
    lost = f" [lost after round {turn.round}]" if seat in course.lost else ""
    return (WITHHELD if turn.withheld else clip(turn.said.position, _POSITION_TOKENS)) + lost


def _blockers(course: DebateHistory, names: Aliases) -> list[str]:
    against = [turn for turn in last_turns(course) if turn.vote == "BLOCKER"]
    return [
        f"{names[turn.agent]} blocks: {WITHHELD if turn.withheld else clip(turn.said.position, _LINE_TOKENS)}"
        for turn in against
    ]


def _contested(course: DebateHistory, names: Aliases) -> list[str]:
    """Return contested claims, those with most opponents first."""
    found = [claim for claim in course.state.claims if claim.status == "contested"]
    ranked = sorted(found, key=lambda claim: -len(claim.opponents))
    rest = [f"… and {len(found) - _MOST} more contested claims"] if len(found) > _MOST else []
    return [*(_dispute(claim, names) for claim in ranked[:_MOST]), *rest]


def _dispute(claim: Claim, names: Aliases) -> str:
    sides = f"for: {_listed(claim.supporters, names)}; against: {_listed(claim.opponents, names)}"
    return f"{claim.id} is contested: {clip(claim.text, _LINE_TOKENS)} ({sides})"
