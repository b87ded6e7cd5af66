"""The calls of a debate: a turn, and what those beside the table are asked.

Every call has an id that is the same on every attempt. Text of a model is between marks that carry the
call's own nonce.
"""

from collections.abc import Collection, Mapping

from pydantic import JsonValue

from protocols.debate.model.context import ContextUse
from protocols.debate.model.history import MOTION_TOKENS
from protocols.debate.model.turn import AgentResponse
from protocols.debate.prompts import system_prompt
from protocols.debate.prompts.call_context import DebateView, RoundContext
from protocols.debate.prompts.context_window import build_context, closing_slots
from protocols.debate.prompts.turn_rendering import RenderContext, render_context, render_turns
from protocols.model_call import Message, ModelCall, ParticipantId, ReaderRef
from protocols.panel import Participant
from protocols.plurals import counted
from protocols.prompt_pack import fence, nonce_of, numbered
from protocols.tokens import count

_JUDGED_MOST = 60_000
"""Tokens of the turns that the evaluator judges, because it must see them as a whole."""


def turn(table: DebateView, seat: Participant, on: RoundContext) -> tuple[ModelCall, ContextUse]:
    """Build the call for the turn of ``seat``: the four layers, and its part of the debate."""
    call_id = on.call_id(seat.id)
    nonce = nonce_of(table.secret, call_id)
    team = table.mode.part(table.inp.position(seat.id)).team
    system = system_prompt.system(table, seat.id, on)
    closing = system_prompt.instructions(table, seat.id, on, nonce)
    shown = build_context(table, seat.id, on, nonce=nonce, instructions=closing, motion=_motion(table, nonce))
    messages = (Message(role="system", content=system), Message(role="user", content=shown.text))
    reader = ReaderRef(reader="debate.turn", needs={**_needs(table, seat.id), **_answer(table)})
    place = {"call_id": call_id, "stage": team or "turns", "round": on.round}
    use = shown.use.model_copy(update={"system": count(system)})
    return table.inp.build_call(seat, "", reader, messages=messages, **place), use


def evaluation(table: DebateView, seat: Participant, on: RoundContext, agents: Collection[ParticipantId]) -> ModelCall:
    """Build the call that asks the safety evaluator about the whole turns of ``agents`` in the current round."""
    how = _rendering(table, on.call_id(seat.id))
    turns = sorted((turn for turn in table.course.open if turn.agent in agents), key=lambda turn: how.place(turn.agent))
    names = [how.names[turn.agent] for turn in turns]
    share = _JUDGED_MOST // max(1, len(turns))
    slots = {
        "independence": independence(table, seat),
        "round": str(on.round),
        "names": ", ".join(names),
        "turns": "\n\n".join(_whole(turn, how, share) for turn in turns),
    }
    reader = ReaderRef(reader="debate.safety", needs={"names": [*names], "seats": [turn.agent for turn in turns]})
    place = {"call_id": on.call_id(seat.id), "stage": "safety", "round": on.round}
    return table.inp.build_call(seat, _filled(table, how, "evaluator", slots), reader, shows_files=False, **place)


def summary(table: DebateView, seat: Participant, on: RoundContext) -> ModelCall:
    """Build the call that asks for the current round in one line."""
    how = _rendering(table, on.call_id(seat.id))
    slots = {"round": str(on.round), "turns": render_turns(table.course.open, how, how.budget.closing).text}
    # A run keeps its pack, and one of an older version has no such template.
    instruction = table.inp.prompts.templates.get("summary_object", "")
    place = {"call_id": on.call_id(seat.id), "stage": "summary", "round": on.round, "schema_instruction": instruction}
    text, reader = _filled(table, how, "summariser", slots), ReaderRef(reader="debate.summary")
    return table.inp.build_call(seat, text, reader, shows_files=False, **place)


def synthesis(table: DebateView, seat: Participant, on: RoundContext) -> ModelCall:
    """Build the call for the closing report (section 5.3, "Final")."""
    return _closing(table, seat, on, "synthesis")


def decision(table: DebateView, seat: Participant, on: RoundContext) -> ModelCall:
    """Return the call in which the judge decides the topic."""
    return _closing(table, seat, on, "decision")


def independence(table: DebateView, seat: Participant) -> str:
    """Return a sentence on the part of the model at ``seat`` in the debate."""
    spoke = (turn.model for completed in table.course.rounds for turn in completed.turns)
    debated = {*(one.model for one in table.inp.panel.participants), *spoke}
    return table.inp.prompts.fill("same_model" if seat.model in debated else "other_model", {})


def _closing(table: DebateView, seat: Participant, on: RoundContext, stage: str) -> ModelCall:
    """Build the call for a closing seat with the whole debate; template and reader are named like the stage."""
    call_id = numbered(f"{stage}-{seat.id}", on.attempt)
    how = _rendering(table, call_id)
    slots = {
        "mode": table.mode.title,
        "ending": _ending(table),
        "independence": independence(table, seat),
        "names": ", ".join(how.names[one] for one in sorted(how.state.participants, key=how.place)),
        **closing_slots(table.course.rounds, how),
        "answer": table.inp.prompts.fill("answer_field", {}) if table.inp.answer else "",
    }
    place = {"call_id": call_id, "stage": stage, "round": max(1, len(table.course.rounds))}
    reader = ReaderRef(reader=f"debate.{stage}", needs=_answer(table))
    return table.inp.build_call(seat, _filled(table, how, stage, slots), reader, **place)


def _motion(table: DebateView, nonce: str) -> str:
    moved = table.course.motion
    if moved is None:
        return table.inp.prompts.fill("vote_on_own" if table.mode.has_motion else "vote_on_topic", {})
    text = fence(render_context(table, nonce).line(moved.text, MOTION_TOKENS), "motion", nonce)
    return table.inp.prompts.fill("motion", {"round": str(moved.round), "motion": text})


def _answer(table: DebateView) -> dict[str, JsonValue]:
    return {"answer": table.inp.answer.model_dump(mode="json")} if table.inp.answer else {}


def _needs(table: DebateView, seat: ParticipantId) -> dict[str, JsonValue]:
    """Return the values for the reader of a turn; a debater may repeat its own last position and the motion."""
    before, moved = table.course.last_turn(seat), table.course.motion
    needs: dict[str, JsonValue] = {"stances": table.mode.has_stances, "full": table.inp.turn_format == "full"}
    own: list[JsonValue] = [*([before.said.position] if before else []), *([moved.text] if moved else [])]
    return {**needs, "own": own} if own else needs


def _rendering(table: DebateView, call_id: str) -> RenderContext:
    return render_context(table, nonce_of(table.secret, call_id))


def _filled(table: DebateView, how: RenderContext, template: str, slots: Mapping[str, str]) -> str:
    return table.inp.prompts.fill(template, {"topic": table.inp.question, "nonce": how.nonce, **slots})


def _whole(turn: AgentResponse, how: RenderContext, most: int) -> str:
    """Return every visible text of a turn in at most ``most`` tokens."""
    links = (text for one in turn.sources for text in (one.title, one.excerpt) if text)
    name, position, *rest = how.names[turn.agent], *turn.said.texts, *links
    sentence = how.clean("\n".join((f"Position: {position}", *rest)), most)
    return f"--- {name} ---\n{fence(sentence, name, how.nonce)}"


def _ending(table: DebateView) -> str:
    rounds = table.course.rounds
    if not rounds:
        return "no round was held"
    measures = rounds[-1].measures
    votes = f"{measures.agreement:.0%} ACCEPT or MINOR and {measures.blockers} BLOCKER"
    numbers = f"after {counted(len(rounds), 'round')}, with {votes}"
    decided = [one.decision.replace("_", " ") for one in table.course.escalations if one.decision]
    return f"{numbers}; a person was asked to decide: {decided[-1]}" if decided else numbers
