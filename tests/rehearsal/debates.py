"""Debates held by hand: the protocol's own prompts, readers and rules, and scripted models that answer."""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from protocols.debate.aliases import Aliases, labels, open_aliases
from protocols.debate.model.context import ContextUse
from protocols.debate.model.history import CompletedRound, DebateHistory, SafetyVerdict
from protocols.debate.model.io import EVALUATOR, DebateInput, panel_of
from protocols.debate.model.turn import TurnReading
from protocols.debate.modes import MODES
from protocols.debate.prompts import calls
from protocols.debate.prompts.call_context import DebateView, RoundContext
from protocols.debate.replies.safety_verdict import read_safety
from protocols.debate.replies.turn import read_turn
from protocols.debate.rules import safety
from protocols.debate.rules.round_steps import apply_reply, close_round, open_round, start_debate
from protocols.debate.rules.stop_rules import Next, decide_next
from protocols.model_call import Answered, ModelCall, ParticipantId
from protocols.panel import name_of
from protocols.sources import SourceLink
from rehearsal.faults.table import FAULTS
from rehearsal.models.behaviours import reply_of
from rehearsal.models.model_selection import select_model
from rehearsal.models.prompt_recognition import RecognisedPrompt, recognise
from rehearsal.models.replies import Reply, Speaker
from tests.fakes.debates import debate_of

MOST = 12
"""Rounds after which a debate by hand is broken off."""

ENDLESS: frozenset[Next] = frozenset({"round", "objection"})

_HELD: dict[tuple[str, int, str, int], "Night"] = {}
"""Debates that ran: what they are is decided by these four, and many tests look at the same ones."""

P1, P2, P3 = (ParticipantId(f"p{n}") for n in (1, 2, 3))


class Night(NamedTuple):
    """A debate that ran, and what followed."""

    inp: DebateInput
    names: Aliases
    course: DebateHistory
    outcome: Next
    secret: str
    said: tuple[tuple[ModelCall, str], ...]
    """Every turn as it was asked for, and what was written."""

    @property
    def rounds(self) -> tuple[CompletedRound, ...]:
        """The rounds that ran."""
        return self.course.rounds

    @property
    def table(self) -> DebateView:
        """The state at the end."""
        return DebateView(self.inp, self.course, self.names, self.secret)

    def confidences(self, seat: ParticipantId) -> list[float | None]:
        """How sure ``seat`` was, round by round."""
        return [turn.confidence for held in self.rounds for turn in held.turns if turn.agent == seat]

    def texts(self, seat: ParticipantId) -> list[str]:
        """What ``seat`` wrote, round by round."""
        return [text for call, text in self.said if call.participant == seat]

    def turns(self, seat: ParticipantId) -> list[dict[str, Any]]:
        """The same as the objects that they are."""
        return [json.loads(text) for text in self.texts(seat)]

    def kinds(self) -> set[str]:
        """The kinds of everything that was broken."""
        return {one.kind for held in self.rounds for turn in held.turns for one in turn.violations}


def cue_of(call: ModelCall) -> RecognisedPrompt:
    """How a call is understood."""
    return recognise([{"role": message.role, "content": message.content} for message in call.messages])


def answer(call: ModelCall, *, seed: int = 7) -> Reply:
    """What the model of a call says, its behaviour in its name."""
    part = select_model(name_of(call.model), FAULTS)
    return reply_of(part.behaviour, Speaker(seed, part.speaker), cue_of(call))


def debate_among(*behaviours: str, mode: str = "collaborative", guard: str = "", **changes: Any) -> DebateInput:
    """A debate of models with these behaviours, by position; a blank one is plain."""
    models = tuple(f"rehearsal:lab/model-{n}{tagged(name)}" for n, name in enumerate(behaviours, 1))
    seated = panel_of(
        models,
        "rehearsal:lab/writer",
        evaluator=f"rehearsal:lab/guard{tagged(guard)}",
        summariser="rehearsal:lab/clerk",
    )
    return debate_of(mode, len(models), **{"panel": seated, **changes})


def tagged(behaviour: str) -> str:
    """The behaviour of a model's name."""
    return f"+{behaviour}" if behaviour else ""


def plain(debaters: int = 3, **changes: Any) -> DebateInput:
    """A debate of plain models."""
    return debate_among(*[""] * debaters, **changes)


def hold(inp: DebateInput, *, seed: int = 7, night: str = "one", rounds: int = MOST) -> Night:
    """Hold the rounds of a debate by hand, until something ends it or a user is waited for; the same one once."""
    key = (inp.model_dump_json(), seed, night, rounds)
    if key not in _HELD:
        _HELD[key] = _held(inp, seed, night, rounds)
    return _HELD[key]


def _held(inp: DebateInput, seed: int, night: str, rounds: int) -> Night:
    names = labels(inp.seats[::-1]) if inp.mode == "delphi" else open_aliases(inp.panel)
    course = safety.call_evaluator(start_debate(inp)) if safety.find_triggers(inp) else start_debate(inp)
    after: Next = "round"
    said: list[tuple[ModelCall, str]] = []
    while after in ENDLESS and len(course.rounds) < rounds:
        on = RoundContext(len(course.rounds) + 1, "objection" if after == "objection" else "ordinary")
        table = DebateView(inp, open_round(course, on.round), names, night)
        groups = _groups(table)
        for group in groups:
            told = [(call, answer(call, seed=seed)) for call in _asked(table, group, on)]
            said += [(call, one.text or "") for call, one in told]
            table = _heard(table, told, on)
            table = table if group is groups[-1] else _judged(table, on, seed)
        course = _closed(table, on, seed)
        after = decide_next(course, inp)
    return Night(inp, names, course, after, night, tuple(said))


def turn_call(table: DebateView, seat: ParticipantId, on: RoundContext) -> ModelCall:
    """What ``seat`` is asked for."""
    return calls.turn(table, table.inp.panel.at(seat), on)[0]


def reading(call: ModelCall, text: str) -> TurnReading:
    """A turn as the protocol's reader understands it."""
    return read_turn(text, call.read_as.needs)


def _asked(table: DebateView, seats: Sequence[ParticipantId], on: RoundContext) -> list[ModelCall]:
    return [turn_call(table, seat, on) for seat in seats]


def _heard(table: DebateView, told: Sequence[tuple[ModelCall, Reply]], on: RoundContext) -> DebateView:
    for call, one in told:
        table = table._replace(course=apply_reply(table, _reply(call, one), on))
    return table


def _groups(table: DebateView) -> list[list[ParticipantId]]:
    mode, seats = MODES[table.inp.mode], table.course.active
    if mode.order == "sequential":
        return [[seat] for seat in seats]
    teams = [mode.part(table.inp.position(seat)).team for seat in seats]
    return [[seat for seat, team in zip(seats, teams, strict=True) if team == one] for one in dict.fromkeys(teams)]


def _reply(call: ModelCall, said: Reply) -> Answered:
    text = said.text or ""
    pages = enumerate(said.pages, 1)
    return Answered(
        call_id=call.call_id,
        participant=call.participant,
        model=call.model,
        text=text,
        reading=reading(call, text).model_dump(mode="json"),
        sources=tuple(SourceLink(number=number, url=one.url, title=one.title) for number, one in pages),
        provider="rehearsal",
    )


def _judged(table: DebateView, on: RoundContext, seed: int, *, at_end: bool = False) -> DebateView:
    """The table after the evaluator was asked about the turns that are due."""
    agents = safety.turns_to_judge(table.course, at_end=at_end)
    if not agents:
        return table
    verdict = verdict_of(table, on, seed, agents)
    return table._replace(course=safety.apply_verdict(table.course, agents, verdict))


def _closed(table: DebateView, on: RoundContext, seed: int) -> DebateHistory:
    """The course when the round has ended, judged by the evaluator where it was called."""
    course, told = safety.close_safety_round(_judged(table, on, seed, at_end=True).course, ())
    return close_round(table._replace(course=course), on, context=ContextUse(), safety=told)


def verdict_of(
    table: DebateView, on: RoundContext, seed: int = 7, agents: Sequence[ParticipantId] | None = None
) -> SafetyVerdict | None:
    """What the evaluator says of those turns of the round that runs, by default of all."""
    judged = [turn.agent for turn in table.course.open] if agents is None else agents
    call = calls.evaluation(table, table.inp.panel.at(EVALUATOR), on, judged)
    return read_safety(answer(call, seed=seed).text or "", call.read_as.needs)
