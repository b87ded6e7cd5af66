"""The rounds of a consensus: turns one after another, a check by all at once, and the curator at the end.

``protocols.consensus.rules`` decides what a turn and a check mean. At each synchronisation point of the seed the bars
change first and the event is logged then (seed 004, "Implementation Sync Points").
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from temporalio import workflow

from protocols.consensus import prompts, results, rules
from protocols.consensus.model import (
    CURATOR,
    PHASES,
    SPEAKERS,
    BarName,
    ConsensusInput,
    ContinuedConsensus,
    Evaluation,
    Opinion,
    Speaker,
    SpeakerState,
    Stage,
    Stance,
    StopReason,
    SyncEvent,
    SyncPoint,
    VisualState,
)
from protocols.consensus.tables import rounds_table
from protocols.further_calls import Unclear, always_clear
from protocols.model_call import Answered, Failed, ModelCall, ParticipantId, lost_call
from protocols.panel import Participant
from protocols.transcript import Turn, turns_of
from workflows.progress_board import ProgressBoard
from workflows.seats import Build, Seats

_ROUNDS_SHOWN = 12
_HANDED_ON = 32
"""Events for the next run: more than a round has, so that a watcher misses none when the run changes."""


class EventLog:
    """The numbered events of a consensus, over all its runs; ``look`` returns the visual state.

    A client asks for the events after the last one that it has, so it misses none and adds nothing to the history.
    """

    def __init__(self, before: Sequence[SyncEvent], look: Callable[[], VisualState]) -> None:
        self._log = list(before)
        self._look = look

    def note(self, point: SyncPoint) -> None:
        """Add an event."""
        number = self._log[-1].number + 1 if self._log else 1
        self._log.append(SyncEvent(number=number, point=point, at=workflow.now(), state=self._look()))

    def after(self, number: int) -> tuple[SyncEvent, ...]:
        """Return the events after ``number``, in order."""
        return tuple(event for event in self._log if event.number > number)

    @property
    def latest(self) -> tuple[SyncEvent, ...]:
        """The latest events, for the next run."""
        return tuple(self._log[-_HANDED_ON:])


class ConsensusRounds:
    """The rounds of one run."""

    def __init__(self, inp: ConsensusInput, carried: ContinuedConsensus, board: ProgressBoard, seats: Seats) -> None:
        self._inp = inp
        self._carried = carried
        self.board = board
        self.seats = seats
        seats.on_replaced = self._ask_again
        self.course = carried.course
        self.limit = carried.max_rounds
        self.turns: list[Turn] = []
        """What this run said."""
        self.is_agreed = False
        """All accepted; only the curator is still to be asked."""
        self.is_last_round = False
        """A user wants no round after this one."""
        self.remark = ""
        """The reason given for ending after a round."""
        self.is_accepted = False
        """A user accepted the draft; the calls are cancelled."""
        self.events = EventLog(carried.events, self.look)
        self._opinions: dict[Speaker, Opinion | None] = dict(carried.visual.consensus_opinions)
        self._curated: Answered | None = None
        self._lost_curator: Failed | None = None
        self._stances: Mapping[Speaker, Stance | None] | None = None
        """The stances so far, while a check runs."""
        board.show_findings(self._findings, draft=lambda: self.course.draft)
        if self.course.rounds:
            # A query before the first turn of this run gets the end of the run before, not a fresh start.
            self.board.begin_round(len(self.course.rounds) + 1, of=self.limit)

    def look(self) -> VisualState:
        """Return the visual state now."""
        return results.visual_state(self.board.progress, self._opinions)

    @property
    def ended_by_a_person(self) -> StopReason | None:
        """The stop reason, once a user ended it."""
        return self._end_now if self.is_stopped else None

    @property
    def is_stopped(self) -> bool:
        """True once a user ended it, at once or after this round."""
        return self.seats.stopped is not None or self.is_last_round

    @property
    def completed(self) -> int:
        """The number of completed rounds."""
        return len(self.course.rounds)

    @property
    def _end_now(self) -> StopReason:
        return "accepted" if self.is_accepted else "stopped"

    async def run_round(self) -> StopReason | None:
        """Run one round and return the stop reason; ``None`` when another one may follow."""
        number = len(self.course.rounds) + 1
        self.seats.enter_round(number)
        self.board.begin_round(number, of=self.limit)
        self.events.note("round_started")
        for speaker in self.course.active:
            if end := await self._take_turn(speaker, number):
                return end
        if self.course.draft is None:
            return "no_draft"
        await self._check(number)
        if self.seats.stopped is not None:
            return self._end_now
        if self._has_lost_in_strict:
            return "participant_lost"
        end = rules.decide(self._inp, self.course, self.limit)
        self.is_agreed = end == "consensus"
        workflow.logger.info("round_closed", extra={"round": number, "accepts": self.course.rounds[-1].accepts})
        return end

    async def curate(self) -> StopReason:
        """Ask the curator to polish the accepted draft (seed 004, "Final Stage - Curator")."""
        number, draft = len(self.course.rounds), self.course.draft or ""
        self.seats.enter_round(number + 1)
        self.events.note("consensus_achieved")

        def build(seat: Participant, tries: int) -> ModelCall:
            on = prompts.CallContext("curator", number, tries)
            return prompts.curate(self._inp, seat, on, draft, secret=self._carried.secret)

        reply = await self._run_bar("curator", CURATOR, number, build, rules.unclear_curation)
        if reply is None:
            return self._end_now
        if isinstance(reply, Answered):
            self._curated = reply
        else:
            self._lost_curator = reply
        return "curator_lost" if self._lost_curator and self._inp.failure_mode == "strict" else "consensus"

    def record(self, recalled: Sequence[Turn]) -> results.ConsensusRecord:
        """Return the record of the consensus; ``recalled`` are the turns of earlier runs."""
        lost, rounds = self._lost_curator, len(self.course.rounds)
        return results.ConsensusRecord(
            course=self.course,
            turns=(*recalled, *self.turns),
            curated=self._curated,
            is_agreed=self.is_agreed,
            lost_curator=lost_call(lost, "curator", rounds) if lost else None,
            remark=self.remark if self.seats.stopped is None else self.seats.stopped,
        )

    def own_state(self) -> dict[str, Any]:
        """Return the fields of the next run's state that only a consensus has."""
        return {"course": self.course, "max_rounds": self.limit, "visual": self.look(), "events": self.events.latest}

    def _ask_again(self, seat: ParticipantId) -> None:
        """Reset the failures of a seat after its model was replaced: a zombie's seat is asked again."""
        fresh = {name: SpeakerState() for name in SPEAKERS if name == seat}
        self.course = self.course.model_copy(update={"speakers": {**self.course.speakers, **fresh}})

    async def _take_turn(self, speaker: Speaker, number: int) -> StopReason | None:
        draft, is_generator = self.course.draft, speaker == SPEAKERS[0]
        offered = self.course.corrections if self._inp.carry_corrections and is_generator else ()

        def build(seat: Participant, tries: int) -> ModelCall:
            on = prompts.CallContext(speaker, number, tries)
            if draft is None:
                return prompts.answer(self._inp, seat, on)
            return prompts.evaluate(self._inp, seat, on, draft, secret=self._carried.secret, corrections=offered)

        unclear = always_clear if draft is None else rules.unclear_turn
        reply = await self._run_bar(speaker, ParticipantId(speaker), number, build, unclear)
        if reply is None:
            return self._end_now
        self.course = rules.apply_turn(self.course, speaker, reply, number)
        if self._has_lost_in_strict:
            return "participant_lost"
        return "quorum_lost" if len(self.course.active) < rules.FEWEST else None

    async def _run_bar(
        self, stage: BarName, seat: ParticipantId, number: int, build: Build, unclear: Unclear
    ) -> Answered | Failed | None:
        """Ask one seat; its bar runs meanwhile. ``None`` when a user ended it."""
        self._open(stage, [seat], number, PHASES[stage])
        self.events.note("model_started")
        reply = await self._ask(stage, seat, number, build, unclear)
        if self.seats.stopped is None:
            self.board.close_stage(stage)
            self.events.note("model_completed")
        return reply

    async def _check(self, number: int) -> None:
        """Ask all voters at once for their opinion of the present draft."""
        active, draft = self.course.active, self.course.draft or ""
        voters = rules.voters(self.course, number)
        self._opinions, self._stances = dict.fromkeys(active), (stances := dict.fromkeys(active))
        self.events.note("round_completed")
        self._open("consensus_check", [ParticipantId(name) for name in voters], number, PHASES[active[-1]])

        def build(seat: Participant, tries: int) -> ModelCall:
            on = prompts.CallContext("consensus_check", number, tries)
            return prompts.evaluate(self._inp, seat, on, draft, secret=self._carried.secret)

        await self.seats.reserve(f"consensus_check-{number}", list(map(ParticipantId, voters)), build)

        async def obtain(speaker: Speaker) -> Answered | Failed | None:
            reply = await self._ask("consensus_check", ParticipantId(speaker), number, build, rules.unclear_check)
            self._opinions[speaker], stances[speaker] = rules.opinion(reply), rules.stance(reply)
            return reply

        replies = await asyncio.gather(*(obtain(speaker) for speaker in voters))
        self.board.close_stage("consensus_check")
        for speaker, reply in zip(voters, replies, strict=True):
            if reply is not None:
                self.course = rules.apply_reply(self.course, speaker, reply, "consensus_check", number)
        if self.seats.stopped is None:
            offered = _corrections(replies) if self._inp.carry_corrections else ()
            given = dict.fromkeys(active) | dict(zip(voters, replies, strict=True))
            self.course = rules.apply_check(self.course, number, given, offered)
            self._stances = None

    async def _ask(
        self, stage: Stage, seat: ParticipantId, number: int, build: Build, unclear: Unclear
    ) -> Answered | Failed | None:
        reply = await self.seats.ask(f"{stage}-{number}", seat, build, unclear)
        if isinstance(reply, Answered):
            if flaw := rules.unread(reply, stage, number):
                self.seats.flaws.append(flaw)
                self.board.show_flaws(self.seats.flaws)
            self.turns += turns_of(reply, stage, number)
        return reply

    def _open(self, stage: Stage, seats: Sequence[ParticipantId], number: int, phase: str) -> None:
        panel, expected = self.seats.panel, rules.expected_tokens(self.course.draft)
        self.board.open_stage(
            stage,
            [panel.at(seat) for seat in seats],
            round_number=number,
            phase=phase,
            expected=dict.fromkeys(seats, expected),
        )

    def _findings(self) -> str:
        """Return the opinions of the latest rounds, and of the check that runs."""
        checking = None if self._stances is None else (self._stances, self.course.draft_by)
        rounds = self.board.text_of(rounds_table(self.course.rounds, checking), latest=_ROUNDS_SHOWN)
        return "\n\n".join(filter(None, (rounds, results.describe_unchanged_draft(self.course))))

    @property
    def _has_lost_in_strict(self) -> bool:
        return self._inp.failure_mode == "strict" and bool(self.course.failed)


def _corrections(replies: Sequence[Answered | Failed | None]) -> tuple[str, ...]:
    answered = (reply for reply in replies if isinstance(reply, Answered) and reply.finish == "complete")
    return tuple(text for reply in answered if (text := Evaluation.model_validate(reply.reading).draft))
