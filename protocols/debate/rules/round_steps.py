"""The steps of a round: a reply becomes a turn, and the turns become a completed round.

    reply                                       RESILIENT                        STRICT
    a turn                                      counts                           counts
    prose that has only a position              counts, without vote             lost
    an unreadable reply, a refusal, a cut       no turn in this round            lost
    no answer: a dead provider, no money        lost                             lost

A lost debater gets no further calls, and its turns stay; one without a turn in a round is called again in the
next, and counts as agreeing to nothing. A turn that the safety evaluator withholds is removed from
the registries, and peers see only that it was withheld; one that a user releases enters them then.
"""

from collections.abc import Sequence

from protocols.debate.aliases import seat_of
from protocols.debate.model.context import ContextUse
from protocols.debate.model.history import CompletedRound, DebateHistory, Measures, SafetyRound
from protocols.debate.model.io import DebateInput
from protocols.debate.model.state import PERSON, WITHHELD, AgentStatus, DebateState
from protocols.debate.model.turn import AgentResponse, TurnReading
from protocols.debate.modes import MODES
from protocols.debate.prompts.call_context import DebateView, RoundContext
from protocols.debate.rules import motion as motions
from protocols.debate.rules.measures import DECIMALS, fired, measure
from protocols.debate.rules.named_sources import most_cited
from protocols.debate.rules.registry import drop_unknown_ids, enter_turn, register_material, set_status, status_of
from protocols.debate.rules.stop_rules import why_no_consensus
from protocols.debate.rules.summaries import key_point, summarise_round
from protocols.debate.rules.turn_checks import find_violations, unverified
from protocols.model_call import Answered, Failed, FailureKind, LostCall, ParticipantId, lost_call
from protocols.transcript import note_of

NO_TURN = "[no turn in round {}]"
"""The standing of a debater whose turn was refused, cut or not read: earlier votes and confidences do not count."""

_STAGES = ("turns", "red", "blue")
_WITHOUT_TURN: frozenset[FailureKind] = frozenset({"refused", "truncated", "unparseable"})
"""Calls that were answered, and gave no turn: the model is asked again in the next round."""


def start_debate(inp: DebateInput) -> DebateHistory:
    """Return the history before the first turn, or the one that the run before handed on."""
    if inp.carried:
        return inp.carried.course
    state = register_material(DebateState(topic=inp.question, participants=inp.seats), inp.material)
    return DebateHistory(state=state, limit=inp.max_rounds, focus=inp.focus_questions)


def open_round(course: DebateHistory, round_number: int) -> DebateHistory:
    """Return the history at the beginning of a round, without turns."""
    return course.model_copy(update={"state": _at(course.state, round_number), "open": (), "judgements": ()})


def apply_reply(table: DebateView, reply: Answered | Failed, on: RoundContext) -> DebateHistory:
    """Return the history after the reply of one debater."""
    course, inp = table.course, table.inp
    said = TurnReading.model_validate(reply.reading or {}) if isinstance(reply, Answered) else TurnReading()
    is_prose = said.source == "prose" and inp.failure_mode == "strict"
    said = motions.adopt(said, course.motion)
    if said.position and not is_prose:
        return _held(table, _turn(table, reply, said, on), on)
    stage = MODES[inp.mode].part(inp.position(reply.participant)).team or "turns"
    return _lost(course, reply, lost_call(reply, stage, on.round, said.why or "no position could be read"))


def restore_seat(course: DebateHistory, seat: ParticipantId) -> DebateHistory:
    """Return the history with ``seat`` asked again, after its model was replaced."""
    if seat not in course.lost:
        return course
    status = status_of(course.state, seat).model_copy(update={"is_lost": False})
    lost = tuple(one for one in course.lost if one != seat)
    return course.model_copy(update={"lost": lost, "state": set_status(course.state, status)})


def close_round(
    table: DebateView, on: RoundContext, *, one_liner: str = "", context: ContextUse, safety: SafetyRound
) -> DebateHistory:
    """Return the history with the round completed: turns, summary, figures and triggers."""
    inp = table.inp
    course = table.course.model_copy(update={"state": _at(table.course.state, on.round)})
    completed = CompletedRound(
        number=on.round,
        kind=on.kind,
        turns=course.open,
        summary=summarise_round(course, table.names, one_liner),
        measures=_measured(course, inp, course.open, on.round),
        context=context,
        safety=safety,
        motion=course.motion,
        answers=motions.answers_of(inp, course.open),
        majority=motions.majority_of(course.open) if inp.answer else None,
    )
    completed = completed.model_copy(
        update={"fired": fired(course, completed), "lacking": why_no_consensus(inp, completed)}
    )
    changes = {"rounds": (*course.rounds, completed), "open": (), "motion": motions.move(inp, course, completed)}
    return course.model_copy(update=changes)


def release_turn(table: DebateView, turn: AgentResponse, note: str) -> tuple[DebateHistory, AgentResponse]:
    """Return the course after a user released ``turn``, and the turn as it is shown from then on.

    Its claims and references enter the registries now, under new ids, as far as its debater could mean it then.
    """
    course = table.course
    meant = drop_unknown_ids(turn.said, _shown(table, turn.agent, RoundContext(turn.round)))
    state, whole = _entered(course, turn, meant, max(1, course.state.round))
    text = f"released by a person{': ' if note.strip() else ''}{note.strip()}"
    shown = whole.model_copy(update={"withheld": "", "released": text})
    latest = next((one for one in course.open if one.agent == turn.agent), None) or course.last_turn(turn.agent)
    state = set_status(state, _status(shown)) if latest is turn else state
    course = course.model_copy(update={"state": state, "open": _replaced(course.open, turn, shown)})
    now = table._replace(course=course)
    rounds = tuple(
        _with_turns(now, completed, _replaced(completed.turns, turn, shown)) if turn in completed.turns else completed
        for completed in course.rounds
    )
    return course.model_copy(update={"rounds": rounds}), shown


def _replaced(turns: tuple[AgentResponse, ...], old: AgentResponse, new: AgentResponse) -> tuple[AgentResponse, ...]:
    return tuple(new if turn is old else turn for turn in turns)


def _with_turns(table: DebateView, completed: CompletedRound, turns: tuple[AgentResponse, ...]) -> CompletedRound:
    """Return a completed round with other turns: figures and summary follow, its triggers stay."""
    course, inp = table.course, table.inp
    then = course.model_copy(update={"open": turns, "state": _at(course.state, completed.number)})
    line = completed.summary.summary.overall.one_liner
    measures = _measured(course, inp, turns, completed.number)
    changed = completed.model_copy(
        update={"turns": turns, "summary": summarise_round(then, table.names, line), "measures": measures}
    )
    return changed.model_copy(update={"lacking": why_no_consensus(inp, changed)})


def _measured(course: DebateHistory, inp: DebateInput, turns: Sequence[AgentResponse], number: int) -> Measures:
    """Return a round in figures; who takes part and has no turn in it is absent."""
    gone = {call.participant for call in course.failed if call.round == number and call.stage in _STAGES}
    absent = gone.intersection(course.active) - {turn.agent for turn in turns}
    return measure(inp.mode, turns, absent=len(absent))


def _turn(table: DebateView, reply: Answered | Failed, said: TurnReading, on: RoundContext) -> AgentResponse:
    """Return the part of the turn that does not depend on the registries."""
    inp, seat, before = table.inp, reply.participant, table.course.last_turn(reply.participant)
    mode = MODES[inp.mode]
    meant = (seat_of(table.names, name) for name in said.replies_to)
    return AgentResponse(
        agent=seat,
        model=reply.model,
        round=on.round,
        said=said if mode.part(inp.position(seat)).stance else said.model_copy(update={"stance": None}),
        confidence_delta=_delta(said, before),
        vote_before=before.vote if before else None,
        direct_replies_to=tuple(dict.fromkeys(one for one in meant if one not in {None, seat})),
        perspective_anchor=mode.anchor(inp.position(seat)),
        sources=most_cited(said, reply.sources) if isinstance(reply, Answered) else (),
        note=note_of(reply) if isinstance(reply, Answered) else "",
    )


def _held(table: DebateView, turn: AgentResponse, on: RoundContext) -> DebateHistory:
    course, inp, seat = table.course, table.inp, turn.agent
    ids = _shown(table, seat, on)
    meant = drop_unknown_ids(turn.said, ids)
    state, whole = _entered(course, turn, meant, on.round)
    breaks = find_violations(inp, seat, meant, on.kind, can_oppose=any(at.startswith("C") for at in ids))
    whole = whole.model_copy(update={"violations": (*turn.said.violations, *breaks, *unverified(inp, meant))})
    return course.model_copy(update={"open": (*course.open, whole), "state": set_status(state, _status(whole))})


def _entered(
    course: DebateHistory, turn: AgentResponse, meant: TurnReading, number: int
) -> tuple[DebateState, AgentResponse]:
    state, touched, new_facts, used = enter_turn(course.state, meant, turn.agent, number, sources=turn.sources)
    return state, turn.model_copy(update={"claims_touched": touched, "new_facts": new_facts, "citations_used": used})


def _shown(table: DebateView, seat: ParticipantId, on: RoundContext) -> frozenset[str]:
    """Return the ids that the debater has seen; its turn can mean no others."""
    course, inp, mode = table.course, table.inp, MODES[table.inp.mode]

    def is_seen(by: ParticipantId, round_number: int) -> bool:
        if by == PERSON or round_number < on.round:
            return True
        if mode.order == "team":
            return mode.part(inp.position(by)).team != mode.part(inp.position(seat)).team
        return mode.order == "sequential" and by != seat

    claims = (one.id for one in course.state.claims if is_seen(one.introduced_by, one.introduced_round))
    proofs = (one.id for one in course.state.evidence if is_seen(one.added_by, one.added_round))
    return frozenset((*claims, *proofs))


def _status(turn: AgentResponse) -> AgentStatus:
    if turn.withheld:
        return AgentStatus(agent=turn.agent, key_point=WITHHELD)
    return AgentStatus(
        agent=turn.agent,
        stance=turn.said.stance,
        confidence=turn.confidence,
        confidence_delta=turn.confidence_delta,
        vote=turn.vote,
        key_point=key_point(turn),
    )


def _delta(said: TurnReading, before: AgentResponse | None) -> float | None:
    earlier = before.confidence if before else None
    return None if earlier is None or said.confidence is None else round(said.confidence - earlier, DECIMALS)


def _lost(course: DebateHistory, reply: Answered | Failed, call: LostCall) -> DebateHistory:
    """Return the history after a lost turn; without an answer the debater is not asked again."""
    seat, is_alive = reply.participant, call.kind in _WITHOUT_TURN
    before = status_of(course.state, seat)
    silent = AgentStatus(agent=seat, key_point=NO_TURN.format(call.round))
    status = silent if is_alive else before.model_copy(update={"is_lost": True})
    return course.model_copy(
        update={
            "lost": course.lost if is_alive else tuple(dict.fromkeys((*course.lost, seat))),
            "failed": (*course.failed, call),
            "state": set_status(course.state, status),
        }
    )


def _at(state: DebateState, round_number: int) -> DebateState:
    return state.model_copy(update={"round": round_number})
