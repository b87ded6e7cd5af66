"""The synthesis of a debate by rule, without a model (seed 003, section 5.3, "Final").

The position that most agree on, the evidence under accepted claims, the last positions, and for dissent the blockers
and the contested claims. Nothing that was withheld is quoted, every text is bounded, and who is missing is named.
"""

from collections.abc import Sequence

from protocols.debate.aliases import Aliases
from protocols.debate.model.closing import FinalPosition, KeyEvidence, Synthesis
from protocols.debate.model.history import CompletedRound, DebateHistory
from protocols.debate.model.io import DebateInput
from protocols.debate.model.state import PERSON, WITHHELD, Claim, Evidence
from protocols.debate.model.turn import AgentResponse
from protocols.debate.rules.agreement import grouped
from protocols.model_call import ParticipantId
from protocols.plurals import counted
from protocols.tokens import clip

_SUMMARY_TOKENS, _POSITION_TOKENS, _LINE_TOKENS = 200, 120, 60
_MOST = 10
"""Pieces of evidence, and contested claims."""


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
    together = f"{len(group)} of {debaters} debaters agree, most surely"
    sure = "" if best.confidence is None else f" ({best.confidence:.0%})"
    who = f"{together if len(group) > 1 else 'No two debaters agree, most sure is'} {names[best.agent]}{sure}"
    return f"{who}: {clip(best.said.position, _SUMMARY_TOKENS)}"


def _sure(turn: AgentResponse) -> float:
    return turn.confidence or 0.0


def _listed(seats: Sequence[ParticipantId], names: Aliases) -> str:
    return ", ".join(names.get(seat, seat) for seat in seats) or "nobody"


def _key_evidence(course: DebateHistory) -> tuple[KeyEvidence, ...]:
    """Return the evidence of accepted claims, most cited first."""
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
    """Return the place of the evidence; before it the text of a user's fact."""
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
