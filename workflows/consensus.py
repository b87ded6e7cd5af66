"""An iterative consensus as people meet it: how it begins, what may be asked of it, how it ends.

The rounds themselves are in ``loop``. It is at home in round 49 after a week: what a round needs of the past is small,
so the loop goes on in another run of the same workflow whenever Temporal suggests it; what was said is kept in the
ledger and recalled there. The only die, from which the nonces are made, is thrown when the first run starts.
"""

from temporalio import workflow

from protocols.consensus import outcome
from protocols.consensus.model import (
    Carried,
    ConsensusInput,
    ConsensusResult,
    Course,
    StopReason,
    SyncEvent,
    VisualState,
)
from protocols.exchange import Spent
from protocols.progress import Progress
from protocols.requests import AcceptDraft, RaiseLimit, ReplaceParticipant, StopAfterRound, StopRequest
from protocols.rewinding import Dice, Heritage
from protocols.transcript import Transcript, Turn
from workflows.asking import keep, recall, record
from workflows.loop import Loop
from workflows.recording import carried_out, chapter, entry
from workflows.starting import startable_by_hand


def _begun(inp: ConsensusInput) -> Carried:
    """Where a consensus stands before its first round."""
    info, given = workflow.info(), inp.branch.dice if inp.branch else inp.dice
    return Carried(
        course=Course(),
        panel=inp.panel,
        spent=Spent(),
        max_rounds=inp.max_rounds,
        secret=given.secret if given else f"{workflow.random().getrandbits(64):016x}",
        chapter_key=info.run_id,
        visual=VisualState(),
        started_at=info.workflow_start_time,
        rehearsal=inp.panel.is_rehearsal,
    )


@workflow.defn(name="Consensus")
@startable_by_hand
class ConsensusWorkflow:
    """One consensus on one question: a loop that survives its workers, its server and its own length."""

    @workflow.init
    def __init__(self, inp: ConsensusInput) -> None:
        self._inp = inp
        self._begun = inp.carried or _begun(inp)
        self._loop = Loop(inp, self._begun)
        self._recalled: tuple[Turn, ...] = ()

    @workflow.run
    async def run(self, inp: ConsensusInput) -> ConsensusResult:  # noqa: ARG002 - __init__ has it already
        """Hold the consensus; fails with one clear message when there can be no verdict."""
        return await carried_out("consensus", self._deliberate(), self._record, outcome.failure)

    @workflow.query(description="Where the consensus stands: round, stage, seats, what was spent")
    def state(self) -> Progress:
        """Where it stands."""
        return self._loop.board.progress

    @workflow.query(description="Everything said so far, in order")
    def transcript(self) -> Transcript:
        """Everything said so far.

        Raises:
            ValueError: this run has just begun and still recalls what the runs before said.
        """
        if len(self._recalled) < self._begun.said:
            raise ValueError("what was said before is being recalled; ask again in a moment")
        return Transcript(turns=(*self._recalled, *self._loop.turns))

    @workflow.query(description="Calls, tokens and dollars so far")
    def cost(self) -> Spent:
        """What was used and paid so far."""
        return self._loop.board.progress.spent

    @workflow.query(description="What a branch of it needs: its dice, the rounds it held, the calls it lost")
    def dice(self) -> Heritage:
        """What a branch of it needs."""
        seating, rounds = self._loop.seating, len(self._loop.course.rounds)
        return seating.branching.heritage(Dice(secret=self._begun.secret), rounds, seating.lost)

    @workflow.query(description="What is drawn: the round, the bars, the three opinions, tokens and cost")
    def visual_state(self) -> VisualState:
        """What is drawn (seed 004, "Visual Indicators Needed")."""
        return self._loop.look()

    @workflow.query(description="The moments at which a screen must change, those after the one of that number")
    def events(self, since: int) -> tuple[SyncEvent, ...]:
        """The synchronisation points after number ``since``, in order."""
        return self._loop.moments.after(since)

    @workflow.update(description="Put another model behind a seat (generator, refiner, validator, curator)")
    def replace_participant(self, request: ReplaceParticipant) -> Progress:
        """Replace the model behind a seat; a call in flight there is closed, and a zombie's seat is asked again."""
        self._loop.replace(request.participant, request.model)
        return self._loop.board.progress

    @replace_participant.validator
    def _refuse_replacement(self, request: ReplaceParticipant) -> None:
        self._loop.seating.refuse_replacement(request.participant, request.model)
        outcome.refuse_replacement(self._loop.board.progress.stage, request.participant)

    @workflow.update(description="End now with the draft as it stands; nothing more is asked or paid")
    def stop(self, request: StopRequest) -> Progress:
        """End the consensus with what there is."""
        self._loop.end("stopped", request.reason)
        return self._loop.board.progress

    @stop.validator
    def _refuse_stop(self, request: StopRequest) -> None:  # noqa: ARG002 - a validator takes what its update takes
        self._refuse_after_the_end()

    @workflow.update(description="Let this round come to its end and begin no other")
    def stop_after_round(self, request: StopAfterRound) -> Progress:
        """End after this round, unless all accept in it: then the curator still comes."""
        self._loop.remark, self._loop.is_last_round = request.reason, True
        return self._loop.board.progress

    @stop_after_round.validator
    def _refuse_stop_after_round(self, request: StopAfterRound) -> None:  # noqa: ARG002 - as above
        self._refuse_after_the_end()
        self._refuse_without_further_rounds()
        if self._loop.is_last_round:
            raise ValueError("this round is the last already")

    @workflow.update(description="Take the present draft for the verdict, now, on a person's word")
    def accept_draft(self, request: AcceptDraft) -> Progress:
        """A person ends it with the present draft; the result says so."""
        self._loop.end("accepted", request.reason)
        return self._loop.board.progress

    @accept_draft.validator
    def _refuse_acceptance(self, request: AcceptDraft) -> None:  # noqa: ARG002 - as above
        self._refuse_after_the_end()
        if self._loop.course.draft is None:
            raise ValueError("there is no draft yet: the first answer is still being written")

    @workflow.update(description="Allow more rounds, 50 at most")
    def raise_limit(self, request: RaiseLimit) -> Progress:
        """Allow more rounds."""
        self._loop.limit = request.max_rounds
        self._loop.board.limit_rounds(request.max_rounds)
        return self._loop.board.progress

    @raise_limit.validator
    def _refuse_limit(self, request: RaiseLimit) -> None:
        self._refuse_after_the_end()
        self._refuse_without_further_rounds()
        outcome.refuse_limit(request.max_rounds, self._loop.board.progress.round, self._loop.limit)

    def _refuse_after_the_end(self) -> None:
        if self._loop.seating.stopped is not None or self._loop.board.progress.stop_reason:
            raise ValueError("the consensus has ended already")

    def _refuse_without_further_rounds(self) -> None:
        if self._loop.is_agreed:
            raise ValueError("all accepted: there is no further round")

    async def _deliberate(self) -> StopReason:
        if self._inp.carried is not None:
            self._recalled = (await recall(self._begun.chapter_key, self._begun.said)).turns
        while (end := await self._loop.hold_round()) is None:
            if workflow.info().is_continue_as_new_suggested():
                await self._go_on_in_another_run()
            if end := self._loop.ended_by_a_person:
                return end
        return await self._loop.curate() if end == "consensus" else end

    async def _go_on_in_another_run(self) -> None:
        """Continue as new, unless a person ends it in this very moment."""
        key, first = self._begun.chapter_key, len(self._recalled)
        await keep(chapter("consensus", key, first, self._loop.turns, self._loop.seating.lost))
        await workflow.wait_condition(workflow.all_handlers_finished)
        if self._loop.ended_by_a_person is None:
            workflow.logger.info("run_changed", extra={"rounds": len(self._loop.course.rounds)})
            said = len(self._recalled) + len(self._loop.turns)
            carrying = self._inp.model_copy(update={"carried": self._loop.handed_on(said)})
            # What a run wrote into its own memo is not carried over by itself.
            workflow.continue_as_new(carrying, memo=workflow.memo())

    async def _record(self, stop_reason: StopReason) -> ConsensusResult:
        loop = self._loop
        minutes = loop.minutes(self._recalled)
        result = outcome.conclude(
            self._inp,
            minutes,
            stop_reason,
            deliberation_id=workflow.info().workflow_id,
            progress=loop.board.progress,
            flaws=loop.seating.flaws,
            dice=Dice(secret=self._begun.secret),
        )
        result = loop.seating.with_sources(result)
        loop.board.end(stop_reason, degraded=result.degraded, verdict=result.verdict)
        await record(entry(self._inp, result, loop.seating.lost, started_at=self._begun.started_at))
        return result
