"""Debates without models, round by round and in the order of their mode, with every call."""

from collections.abc import Callable
from typing import NamedTuple

from protocols.debate.aliases import Aliases, labels, open_aliases
from protocols.debate.model.context import ContextUse, largest
from protocols.debate.model.history import DebateHistory, SafetyRound
from protocols.debate.model.io import DebateInput
from protocols.debate.model.turn import ParsedClaim, Reference, TurnReading
from protocols.debate.modes import mode_of
from protocols.debate.prompts import calls
from protocols.debate.prompts.call_context import DebateView, RoundContext
from protocols.debate.rules import round_steps
from protocols.model_call import Answered, ModelCall, ParticipantId

Speak = Callable[[ParticipantId, int], TurnReading]
"""What a seat says in a round."""

SENTENCE = "Traffic fell by 12 percent in comparable cities that closed their centre in steps.[FACT][1] "
WORDS = ("harbour", "window", "ladder", "engine", "copper", "violet", "meadow", "signal", "timber", "candle")


class Asked(NamedTuple):
    """One turn that was asked for."""

    round: int
    seat: ParticipantId
    call: ModelCall
    use: ContextUse

    @property
    def user(self) -> str:
        """The user message."""
        return self.call.messages[1].content


class Held(NamedTuple):
    """A debate after some rounds."""

    inp: DebateInput
    course: DebateHistory
    names: Aliases
    asked: tuple[Asked, ...]

    @property
    def table(self) -> DebateView:
        """The present state of the debate."""
        return DebateView(self.inp, self.course, self.names, "5eed")

    def in_round(self, number: int) -> tuple[Asked, ...]:
        """What was asked in that round, in order."""
        return tuple(one for one in self.asked if one.round == number)

    def largest(self, number: int) -> ContextUse:
        """The most of every component in that round."""
        return largest(one.use for one in self.in_round(number))

    def after(self, course: DebateHistory) -> "Held":
        """The same debate with that on the table."""
        return self._replace(course=course)


def turn_of(seat: ParticipantId, number: int, *, sentences: int = 4, claims: int = 2) -> TurnReading:
    """A sound turn of about 25 tokens a sentence, with claims and a source of its own."""
    texts = [f"{word} {number} at {seat} carries {word[::-1]} {seat}{number}" for word in WORDS[:claims]]
    source = f"Lund, A. ({2000 + number}). {WORDS[number % 10].title()} of {seat}. Streets."
    return TurnReading(
        position=f"{seat} would close the centre in step {number}.",
        reasoning=SENTENCE * sentences,
        confidence=round(0.6 + 0.02 * number, 2),
        vote="MINOR",
        claims=tuple(ParsedClaim(text=text, label="FACT", citations=(1,)) for text in texts),
        references=(Reference(number=1, text=source),),
        source="json",
    )


def held(inp: DebateInput, rounds: int, speak: Speak = turn_of, course: DebateHistory | None = None) -> Held:
    """The debate after ``rounds`` rounds in which everyone spoke."""
    names = labels(inp.seats[::-1]) if mode_of(inp).is_anonymous else open_aliases(inp.panel)
    done = Held(inp, course or round_steps.start_debate(inp), names, ())
    for number in range(len(done.course.rounds) + 1, rounds + 1):
        done = closed(spoken(done, speak), RoundContext(number))
    return done


def spoken(before: Held, speak: Speak = turn_of, seats: int | None = None) -> Held:
    """The debate after another round was opened and its first ``seats`` spoke, or all of them."""
    on = RoundContext(len(before.course.rounds) + 1)
    now = before.after(round_steps.open_round(before.course, on.round))
    left = len(before.inp.seats) if seats is None else seats
    for wave in _waves(before.inp):
        table, taking = now.table, wave[:left]
        left -= len(taking)
        asked = [_asked(table, seat, on) for seat in taking]
        course = now.course
        for one in asked:
            reply = _reply(one.call, speak(one.seat, on.round))
            course = round_steps.apply_reply(now.table._replace(course=course), reply, on)
        now = now._replace(course=course, asked=(*now.asked, *asked))
    return now


def closed(now: Held, on: RoundContext) -> Held:
    """The debate after the round has ended."""
    course = round_steps.close_round(now.table, on, context=now.largest(on.round), safety=SafetyRound())
    return now.after(course)


def asking(now: Held, seat: str, on: RoundContext | None = None) -> Asked:
    """What ``seat`` would be asked next."""
    return _asked(now.table, ParticipantId(seat), on or RoundContext(len(now.course.rounds) + 1))


def _asked(table: DebateView, seat: ParticipantId, on: RoundContext) -> Asked:
    call, use = calls.turn(table, table.inp.panel.at(seat), on)
    return Asked(on.round, seat, call, use)


def _reply(call: ModelCall, said: TurnReading) -> Answered:
    return Answered(
        call_id=call.call_id,
        participant=call.participant,
        model=call.model,
        text="Well.",
        reading=said.model_dump(mode="json"),
        provider="openrouter",
    )


def _waves(inp: DebateInput) -> list[tuple[ParticipantId, ...]]:
    mode = mode_of(inp)
    if mode.order == "sequential":
        return [(seat,) for seat in inp.seats]
    if mode.order == "parallel":
        return [inp.seats]
    team = {seat: mode.part(inp.position(seat)).team for seat in inp.seats}
    return [tuple(seat for seat in inp.seats if team[seat] == name) for name in ("red", "blue")]
