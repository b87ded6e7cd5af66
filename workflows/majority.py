"""The schedule of a vote: all participants at once, and nobody hears of anybody."""

from temporalio import workflow

from protocols.exchange import Answered, Failed, ModelCall, Spent, lost_call
from protocols.majority import outcome, prompts, rules
from protocols.majority.model import STAGE, MajorityInput, MajorityResult, Minutes, StopReason
from protocols.panel import Participant
from protocols.progress import Progress
from protocols.requests import ReplaceParticipant, StopRequest
from protocols.transcript import Transcript
from workflows import details
from workflows.asking import record
from workflows.board import Board
from workflows.recording import carried_out, entry
from workflows.seating import Seating
from workflows.starting import startable_by_hand


@workflow.defn(name="Majority")
@startable_by_hand
class MajorityWorkflow:
    """One vote of one panel on one question."""

    @workflow.init
    def __init__(self, inp: MajorityInput) -> None:
        self._inp = inp
        self._board = Board("majority", inp.title, inp.question, [STAGE], rehearsal=inp.panel.is_rehearsal)
        self._seating = Seating(inp.panel, self._board, inp.queues, clarify=inp.clarify)
        self._minutes = Minutes()

    @workflow.run
    async def run(self, inp: MajorityInput) -> MajorityResult:  # noqa: ARG002 - __init__ has it already
        """Hold the vote; fails with one clear message when there is nothing to count."""
        return await carried_out("majority", self._vote(), self._record, outcome.failure)

    @workflow.query(description="Where the vote stands: seats, what was spent")
    def state(self) -> Progress:
        """Where it stands."""
        return self._board.progress

    @workflow.query(description="Everything said so far, in order")
    def transcript(self) -> Transcript:
        """Everything said so far."""
        return outcome.transcript(self._minutes)

    @workflow.query(description="Calls, tokens and dollars so far")
    def cost(self) -> Spent:
        """What was used and paid so far."""
        return self._board.progress.spent

    @workflow.update(description="Put another model behind a seat (p1 …)")
    def replace_participant(self, request: ReplaceParticipant) -> Progress:
        """Replace the model behind a seat; a call in flight there is closed and asked of the new model."""
        self._seating.seat(request.participant, request.model)
        return self._board.progress

    @replace_participant.validator
    def _refuse_replacement(self, request: ReplaceParticipant) -> None:
        self._seating.refuse_replacement(request.participant, request.model)
        rules.refuse_replacement(self._board.progress, request.participant)

    @workflow.update(description="End now with what there is; nothing more is asked or paid")
    def stop(self, request: StopRequest) -> Progress:
        """End the vote with what there is."""
        self._seating.stop(request.reason)
        return self._board.progress

    @stop.validator
    def _refuse_stop(self, request: StopRequest) -> None:  # noqa: ARG002 - a validator takes what its update takes
        if self._seating.stopped or self._board.progress.stop_reason:
            raise ValueError("the vote has ended already")

    async def _vote(self) -> StopReason:
        seats = self._inp.panel.participants

        def build(seat: Participant, tries: int) -> ModelCall:
            return prompts.answer(self._inp, seat, attempt=tries)

        self._board.open_stage(STAGE, seats)
        replies = await self._seating.ask_all(STAGE, [seat.id for seat in seats], build, prompts.unclear(self._inp))
        self._minutes = Minutes(
            answers=tuple(reply for reply in replies if isinstance(reply, Answered)),
            lost=tuple(lost_call(reply, STAGE) for reply in replies if isinstance(reply, Failed)),
        )
        self._board.close_stage(STAGE)
        self._board.found(details.table(outcome.findings(self._minutes)))
        answered, lost = len(self._minutes.answers), len(self._minutes.lost)
        told = {"stage": STAGE, "round": 1, "answered": answered, "lost": lost}
        workflow.logger.info("stage_closed", extra=told)
        return rules.stop_reason(self._inp, self._minutes, is_stopped=self._seating.stopped is not None)

    async def _record(self, stop_reason: StopReason) -> MajorityResult:
        result = outcome.conclude(
            self._inp,
            self._minutes,
            stop_reason,
            deliberation_id=workflow.info().workflow_id,
            spent=self._board.progress.spent,
            flaws=self._seating.flaws,
        )
        result = self._seating.with_sources(result)
        self._board.end(stop_reason, degraded=result.degraded, verdict=result.verdict, agreement=result.tally.agreement)
        await record(entry(self._inp, result, self._seating.lost))
        return result
