"""The calls of a debate: a turn, and what those beside the table are asked.

Every call has an id that is the same on every attempt. Text of a model is between marks that carry the
call's own nonce.
"""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from pydantic import JsonValue

from protocols.debate.model.budget import ContextUse
from protocols.debate.model.history import MOTION_TOKENS
from protocols.debate.model.turn import AgentResponse
from protocols.debate.prompts import system_prompt
from protocols.debate.prompts.call_context import DebateView, RoundContext
from protocols.debate.prompts.context_window import build_context, closing_slots
from protocols.debate.prompts.turn_rendering import RenderContext, render_context, render_turns
from protocols.model_call import Message, ModelCall, ParticipantId, ReaderRef
from protocols.panel import Participant
from protocols.prompt_pack import fence, nonce_of
from protocols.tokens import count

_JUDGED_MOST = 60_000
"""Tokens of the turns that the evaluator judges, because it must see them as a whole."""
_ABOUT_TURNS = frozenset({"safety", "summary"})
"""The stages that are asked about turns alone, and so are shown no files."""


class _Call(NamedTuple):
    """The particular values of one call."""

    call_id: str
    stage: str
    round: int
    reader: str


def turn(table: DebateView, seat: Participant, on: RoundContext) -> tuple[ModelCall, ContextUse]:
    """Build the call for the turn of ``seat``: the four layers, and its part of the debate."""
    nonce = nonce_of(table.secret, on.call_id(seat.id))
    team = system_prompt.mode_of(table.inp).part(table.inp.position(seat.id)).team
    call = _Call(on.call_id(seat.id), team or "turns", on.round, "debate.turn")
    system = system_prompt.system(table, seat.id, on)
    closing = system_prompt.instructions(table, seat.id, on, nonce)
    shown = build_context(table, seat.id, on, nonce=nonce, instructions=closing, motion=_motion(table, nonce))
    messages = (Message(role="system", content=system), Message(role="user", content=shown.text))
    use = shown.use.model_copy(update={"system": count(system)})
    return _asked(table, seat, call, messages, {**_needs(table, seat.id), **_answer(table)}), use


def evaluation(table: DebateView, seat: Participant, on: RoundContext, agents: Collection[ParticipantId]) -> ModelCall:
    """Build the call that asks the safety evaluator about the whole turns of ``agents`` in the current round."""
    call, how = _beside(table, seat, on, "safety")
    turns = sorted((turn for turn in table.course.open if turn.agent in agents), key=lambda turn: how.place(turn.agent))
    names = [how.names[turn.agent] for turn in turns]
    share = _JUDGED_MOST // max(1, len(turns))
    slots = {
        **_common(table, how),
        "independence": independence(table, seat),
        "round": str(on.round),
        "names": ", ".join(names),
        "turns": "\n\n".join(_whole(turn, how, share) for turn in turns),
    }
    needs: dict[str, JsonValue] = {"names": [*names], "seats": [turn.agent for turn in turns]}
    asked = _prompted(table, seat, call, "evaluator", slots)
    return asked.model_copy(update={"read_as": asked.read_as.model_copy(update={"needs": needs})})


def summary(table: DebateView, seat: Participant, on: RoundContext) -> ModelCall:
    """Build the call that asks for the current round in one line."""
    call, how = _beside(table, seat, on, "summary")
    text = render_turns(table.course.open, how, how.budget.closing).text
    slots = {**_common(table, how), "round": str(on.round), "turns": text}
    asked = _prompted(table, seat, call, "summariser", slots)
    # A run keeps its pack, and one of an older version has no such template.
    instruction = table.inp.prompts.templates.get("summary_object", "")
    return asked.model_copy(update={"schema_instruction": instruction})


def synthesis(table: DebateView, seat: Participant, on: RoundContext) -> ModelCall:
    """Build the call for the closing report (section 5.3, "Final")."""
    return _closing(table, seat, on, "synthesis", "debate.synthesis")


def decision(table: DebateView, seat: Participant, on: RoundContext) -> ModelCall:
    """Return the call in which the judge decides the topic."""
    return _closing(table, seat, on, "decision", "debate.decision")


def independence(table: DebateView, seat: Participant) -> str:
    """Return a sentence on the part of the model at ``seat`` in the debate."""
    spoke = (turn.model for completed in table.course.rounds for turn in completed.turns)
    debated = {*(one.model for one in table.inp.panel.participants), *spoke}
    return table.inp.prompts.fill("same_model" if seat.model in debated else "other_model", {})


def _closing(table: DebateView, seat: Participant, on: RoundContext, stage: str, reader: str) -> ModelCall:
    """Build the call for a closing seat with the whole debate; the template is named like the stage."""
    call_id = f"{stage}-{seat.id}" + (f"-{on.attempt + 1}" if on.attempt else "")
    how = render_context(table, nonce_of(table.secret, call_id))
    slots = {
        **_common(table, how),
        "mode": system_prompt.mode_of(table.inp).title,
        "ending": _ending(table),
        "independence": independence(table, seat),
        "names": ", ".join(how.names[one] for one in sorted(how.state.participants, key=how.place)),
        **closing_slots(table.course.rounds, how),
        "answer": table.inp.prompts.fill("answer_field", {}) if table.inp.answer else "",
    }
    call = _Call(call_id, stage, max(1, len(table.course.rounds)), reader)
    return _prompted(table, seat, call, stage, slots)


def _motion(table: DebateView, nonce: str) -> str:
    """Return the motion as a block."""
    moved = table.course.motion
    if moved is None:
        return table.inp.prompts.fill(
            "vote_on_own" if system_prompt.mode_of(table.inp).has_motion else "vote_on_topic", {}
        )
    text = fence(render_context(table, nonce).line(moved.text, MOTION_TOKENS), "motion", nonce)
    return table.inp.prompts.fill("motion", {"round": str(moved.round), "motion": text})


def _answer(table: DebateView) -> dict[str, JsonValue]:
    """Return the form of the final answer for the readers; empty without one."""
    return {"answer": table.inp.answer.model_dump(mode="json")} if table.inp.answer else {}


def _needs(table: DebateView, seat: ParticipantId) -> dict[str, JsonValue]:
    """Return the values for the reader of a turn; a debater may repeat its own last position and the motion."""
    before, moved = table.course.last_turn(seat), table.course.motion
    has_stances = any(part.stance for part in system_prompt.mode_of(table.inp).parts)
    needs: dict[str, JsonValue] = {"stances": has_stances, "full": table.inp.turn_format == "full"}
    own: list[JsonValue] = [*([before.said.position] if before else []), *([moved.text] if moved else [])]
    return {**needs, "own": own} if own else needs


def _beside(table: DebateView, seat: Participant, on: RoundContext, stage: str) -> tuple[_Call, RenderContext]:
    call_id = on.call_id(seat.id)
    return _Call(call_id, stage, on.round, f"debate.{stage}"), render_context(table, nonce_of(table.secret, call_id))


def _common(table: DebateView, how: RenderContext) -> dict[str, str]:
    return {"topic": table.inp.question, "nonce": how.nonce}


def _whole(turn: AgentResponse, how: RenderContext, most: int) -> str:
    """Return every visible text of a turn in at most ``most`` tokens."""
    links = (text for one in turn.sources for text in (one.title, one.excerpt) if text)
    name, position, *rest = how.names[turn.agent], *turn.said.texts, *links
    sentence = how.clean("\n".join((f"Position: {position}", *rest)), most)
    return f"--- {name} ---\n{fence(sentence, name, how.nonce)}"


def _ending(table: DebateView) -> str:
    """Return the last round in numbers, and the decisions of people."""
    rounds = table.course.rounds
    if not rounds:
        return "no round was held"
    measures = rounds[-1].measures
    numbers = (
        f"after {len(rounds)} rounds, with {measures.agreement:.0%} ACCEPT or MINOR and {measures.blockers} BLOCKER"
    )
    decided = [one.decision.replace("_", " ") for one in table.course.escalations if one.decision]
    return f"{numbers}; a person was asked to decide: {decided[-1]}" if decided else numbers


def _prompted(table: DebateView, seat: Participant, call: _Call, template: str, slots: Mapping[str, str]) -> ModelCall:
    """Build a call of one message; a closing seat gives the final answer in the form of the topic."""
    message = Message(role="user", content=table.inp.prompts.fill(template, slots))
    return _asked(table, seat, call, (message,), _answer(table) if "answer" in slots else {})


def _asked(
    table: DebateView, seat: Participant, call: _Call, messages: tuple[Message, ...], needs: Mapping[str, JsonValue]
) -> ModelCall:
    reader = ReaderRef(reader=call.reader, needs=dict(needs))
    place = {"call_id": call.call_id, "stage": call.stage, "round": call.round}
    shows_files = call.stage not in _ABOUT_TURNS
    return table.inp.build_call(seat, "", reader, messages=messages, shows_files=shows_files, **place)
