"""The rounds of a debate: the order of turns, the calls of the safety evaluator, and the end of each round.

The rules are in ``protocols.debate.rules``. No debater sees more of a round than its order allows: in a parallel round
nothing, in a sequential one the turns before its own, in team order red's turns when it is blue's turn.
"""

import asyncio
from collections.abc import Sequence
from typing import Any, Literal

from temporalio import workflow

from protocols.debate import results
from protocols.debate.aliases import Aliases, labels, open_aliases
from protocols.debate.model.closing import SummaryReading
from protocols.debate.model.context import ContextUse, largest
from protocols.debate.model.history import SafetyRound, SafetyTrigger, SafetyVerdict
from protocols.debate.model.io import EVALUATOR, SUMMARISER, Carried, DebateInput
from protocols.debate.modes import MODES
from protocols.debate.prompts import calls, clarifications
from protocols.debate.prompts.call_context import Build, DebateView, RoundContext
from protocols.debate.rules import round_steps, safety, stop_rules
from protocols.debate.tables import live_table
from protocols.model_call import Answered, Failed, ModelCall, ParticipantId, lost_call
from protocols.panel import Participant
from protocols.transcript import Turn, turns_of
from workflows.progress_board import ProgressBoard
from workflows.seats import Seats

ESCALATION: Literal["escalation"] = "escalation"
APPROVAL: Literal["approval"] = "approval"
RELEASE: Literal["release"] = "release"
SYNTHESIS, DECISION = results.SYNTHESIS, results.DECISION
_SAFETY, _SUMMARY = "safety", "summary"


class DebateRounds:
    """The rounds of one run."""

    def __init__(self, inp: DebateInput, carried: Carried, board: ProgressBoard, seats: Seats) -> None:
        self._inp = inp
        self._carried = carried
        self._mode = MODES[inp.mode]
        self.board = board
        self.seats = seats
        seats.on_replaced = self._ask_again
        self.course = carried.course
        self.turns: list[Turn] = []
        """What this run said."""
        self._uses: list[ContextUse] = []
        self.completed = len(self.course.rounds)
        """Rounds that no stop cut short."""
        board.show_findings(lambda: board.text_of(live_table(self.course, self.names, inp)))
        if self.course.rounds:
            # A query before the first turn of this run gets the end of the run before, not a fresh start.
            self.board.begin_round(len(self.course.rounds) + 1, of=self.most_rounds)

    @property
    def names(self) -> Aliases:
        """The names of the debaters as their peers see them."""
        return labels(self._carried.labels) if self._mode.is_anonymous else open_aliases(self.seats.panel)

    @property
    def table(self) -> DebateView:
        """The present state of the debate, from which calls are built."""
        return DebateView(self._inp, self.course, self.names, self._carried.secret)

    @property
    def is_stopped(self) -> bool:
        """True once a user stopped the debate."""
        return self.seats.stopped is not None

    @property
    def has_lost_in_strict(self) -> bool:
        """True when STRICT lost a participant."""
        return self._inp.failure_mode == "strict" and bool(self.course.failed)

    @property
    def is_ending(self) -> bool:
        """True when no further call is made: a user ended it, or STRICT does."""
        return self.is_stopped or self.has_lost_in_strict

    @property
    def most_rounds(self) -> int:
        """Objection rounds come on top of the limit."""
        completed = self.course.rounds
        objections = sum(one.kind == "objection" for one in completed) + bool(completed and completed[-1].fired)
        return self.course.limit + objections

    async def run_round(self) -> stop_rules.Next:
        """Run one round and return what follows."""
        completed = self.course.rounds
        on = RoundContext(len(completed) + 1, "objection" if completed and completed[-1].fired else "ordinary")
        self.seats.enter_round(on.round)
        self.course = round_steps.open_round(self.course, on.round)
        self._uses = []
        self.board.begin_round(on.round, of=self.most_rounds)
        *earlier, last = self._waves()
        for stage, groups in (*earlier, last):
            await self._ask_groups(stage, groups, on, is_last=groups is last[1])
            if self.is_ending:
                break
        return await self._close(on)

    async def obtain(self, stage: str, seat: ParticipantId, on: RoundContext, build: Build) -> Answered | Failed | None:
        """Ask one seat that is no debater, as a stage; return ``None`` when a user ended it."""
        self.board.open_stage(stage, [self.seats.panel.at(seat)], round_number=on.round, phase=stage.upper())

        def asked(sitting: Participant, tries: int) -> ModelCall:
            return build(self.table, sitting, on._replace(attempt=tries))

        reply = await self.seats.ask(
            f"{stage}-{on.round}", seat, asked, clarifications.unclear_beside(self._inp, stage)
        )
        if isinstance(reply, Answered):
            self._note(reply, stage, on)
        elif isinstance(reply, Failed):
            failed = (*self.course.failed, lost_call(reply, stage, on.round))
            self.course = self.course.model_copy(update={"failed": failed})
        if not self.is_stopped:
            self.board.close_stage(stage)
        return reply

    def own_state(self) -> dict[str, Any]:
        """Return the fields of the next run's state that only a debate has."""
        return {"course": results.trimmed(self.course)}

    def _ask_again(self, seat: ParticipantId) -> None:
        """Count a lost debater as present again once its model was replaced."""
        self.course = round_steps.restore_seat(self.course, seat)

    def _waves(self) -> list[tuple[str, list[tuple[ParticipantId, ...]]]]:
        """Return the stages of the round, each with the groups of seats that speak at once."""
        active = self.course.active
        if self._mode.order == "sequential":
            return [("turns", [(seat,) for seat in active])]
        if self._mode.order == "parallel":
            return [("turns", [active])]
        team = {seat: self._mode.part(self._inp.position(seat)).team for seat in active}
        return [(name, [tuple(seat for seat in active if team[seat] == name)]) for name in ("red", "blue")]

    async def _ask_groups(
        self, stage: str, groups: Sequence[Sequence[ParticipantId]], on: RoundContext, *, is_last: bool
    ) -> None:
        """Ask each of ``groups`` at once, and apply its turns in the order of the panel.

        Before others see a turn in this round, the evaluator judges it where words point to a hazard.
        """
        left = [seat for group in groups for seat in group]
        if not left:
            self.board.skip_stage(stage)
            return
        self._open_turns(stage, left, on)
        for group in groups:
            await self._reserve(stage, group, on)
            replies = await asyncio.gather(*(self._take_turn(stage, seat, on) for seat in group))
            for reply in replies:
                if reply is not None:
                    self.course = round_steps.apply_reply(self.table, reply, on)
            left = [seat for seat in left if seat not in group]
            is_shown_on = bool(left) or not is_last
            if is_shown_on and not self.is_ending and await self._judge(on) and left:
                self._open_turns(stage, left, on)
            if self.is_ending:
                return
        self.board.close_stage(stage)

    async def _reserve(self, stage: str, group: Sequence[ParticipantId], on: RoundContext) -> None:
        """Reserve the highest cost of the turns of a group; without it none of them is taken."""
        table = self.table

        def build(sitting: Participant, tries: int) -> ModelCall:
            return calls.turn(table, sitting, on._replace(attempt=tries))[0]

        await self.seats.reserve(f"{stage}-{on.round}", group, build)

    def _open_turns(self, stage: str, seats: Sequence[ParticipantId], on: RoundContext) -> None:
        sitting = [self.seats.panel.at(seat) for seat in seats]
        phase = "OBJECTION" if on.kind == "objection" else stage.upper()
        self.board.open_stage(stage, sitting, round_number=on.round, phase=phase)

    async def _take_turn(self, stage: str, seat: ParticipantId, on: RoundContext) -> Answered | Failed | None:
        """Ask one debater, and once more where no position can be read or its citations are to be mended."""
        table = self.table

        def build(sitting: Participant, tries: int) -> ModelCall:
            call, use = calls.turn(table, sitting, on._replace(attempt=tries))
            self._uses.append(use)
            return call

        reply = await self.seats.ask(f"{stage}-{on.round}", seat, build, clarifications.unclear_turn(self._inp))
        if isinstance(reply, Answered):
            self._note(reply, stage, on)
        return reply

    async def _judge(self, on: RoundContext, *, at_end: bool = False) -> bool:
        """Ask the safety evaluator about the turns that are due, and return whether there were any.

        Where the debate ends in this very moment it is not asked, and what words point to is withheld.
        """
        agents = safety.turns_to_judge(self.course, at_end=at_end)
        if agents:
            verdict = None if self.is_ending else await self._verdict(on, agents)
            self.course = safety.apply_verdict(self.course, agents, verdict)
        return bool(agents)

    async def _verdict(self, on: RoundContext, agents: Sequence[ParticipantId]) -> SafetyVerdict | None:
        def build(table: DebateView, sitting: Participant, on: RoundContext) -> ModelCall:
            return calls.evaluation(table, sitting, on, agents)

        reply = await self.obtain(_SAFETY, EVALUATOR, on, build)
        if not isinstance(reply, Answered) or reply.reading is None:
            return None
        return SafetyVerdict.model_validate(reply.reading)

    async def _close_safety(self, on: RoundContext) -> SafetyRound:
        """Ask the evaluator about the remaining turns of a round, and return the round's safety record."""
        called: tuple[SafetyTrigger, ...] = ()
        if on.round == 1 and (called := safety.find_triggers(self._inp)):
            self.course = safety.call_evaluator(self.course)
        await self._judge(on, at_end=True)
        self.course, record = safety.close_safety_round(self.course, called)
        return record

    async def _close(self, on: RoundContext) -> stop_rules.Next:
        guarded = await self._close_safety(on)
        one_liner = await self._summarise(on)
        self.course = round_steps.close_round(
            self.table, on, one_liner=one_liner, context=largest(self._uses), safety=guarded
        )
        self.completed = self.completed if self.is_stopped else on.round
        measured = self.course.rounds[-1].measures
        workflow.logger.info(
            "round_closed", extra={"round": on.round, "agreement": measured.agreement, "new_facts": measured.new_facts}
        )
        return stop_rules.decide_next(self.course, self._inp)

    async def _summarise(self, on: RoundContext) -> str:
        if self._inp.summaries == "rule" or self.is_stopped or not self.course.shown:
            return ""
        reply = await self.obtain(_SUMMARY, SUMMARISER, on, calls.summary)
        return SummaryReading.model_validate(reply.reading).one_liner if isinstance(reply, Answered) else ""

    def _note(self, reply: Answered, stage: str, on: RoundContext) -> None:
        label = dict(self.names).get(reply.participant) if self._mode.is_anonymous else None
        self.turns += turns_of(reply, stage, on.round, label)
        if (flaw := clarifications.unread_flaw(self._inp, reply, stage, on.round)) is not None:
            self.seats.add_flaw(flaw)


def stages_of(inp: DebateInput) -> list[str]:
    """Return the names of the stages that this debate may have, in order."""
    mode = MODES[inp.mode]
    waves = ["red", "blue"] if mode.order == "team" else ["turns"]
    summary = [_SUMMARY] if inp.summaries == "llm" else []
    gates = [RELEASE, ESCALATION, *([APPROVAL] if inp.high_stakes else [])]
    decision = [DECISION] if mode.is_judged else []
    return [*waves, _SAFETY, *summary, *gates, *decision, SYNTHESIS]
