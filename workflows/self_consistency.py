"""The schedule of a self-consistency run: one model, asked several times at once.

The samples sit beside the one participant, each in a seat of its own, so that each has its bar on the screen.
"""

from temporalio import workflow

from protocols.exchange import Answered, Failed, ModelCall, Spent, lost_call
from protocols.panel import Participant
from protocols.progress import Progress
from protocols.requests import StopRequest
from protocols.self_consistency import outcome, prompts, rules
from protocols.self_consistency.model import STAGE, Minutes, SelfConsistencyInput, SelfConsistencyResult, StopReason
from protocols.transcript import Transcript
from workflows import details
from workflows.asking import record
from workflows.board import Board
from workflows.recording import carried_out, entry
from workflows.seating import Seating
from workflows.starting import startable_by_hand


@workflow.defn(name="SelfConsistency")
@startable_by_hand
class SelfConsistencyWorkflow:
    """One question to one model, several times over."""

    @workflow.init
    def __init__(self, inp: SelfConsistencyInput) -> None:
        self._inp = inp
        self._board = Board("self_consistency", inp.title, inp.question, [STAGE], rehearsal=inp.panel.is_rehearsal)
        samples = inp.panel.with_beside({seat.id: seat.model for seat in inp.seats})
        self._seating = Seating(samples, self._board, inp.queues, clarify=inp.clarify)
        self._minutes = Minutes()

    @workflow.run
    async def run(self, inp: SelfConsistencyInput) -> SelfConsistencyResult:  # noqa: ARG002 - __init__ has it already
        """Take the samples and count them; fails with one clear message when there is nothing to count."""
        return await carried_out("self_consistency", self._sample(), self._record, outcome.failure)

    @workflow.query(description="Where the run stands: seats, what was spent")
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

    @workflow.update(description="End now with what there is; nothing more is asked or paid")
    def stop(self, request: StopRequest) -> Progress:
        """End the run with what there is."""
        self._seating.stop(request.reason)
        return self._board.progress

    @stop.validator
    def _refuse_stop(self, request: StopRequest) -> None:  # noqa: ARG002 - a validator takes what its update takes
        if self._seating.stopped or self._board.progress.stop_reason:
            raise ValueError("the run has ended already")

    async def _sample(self) -> StopReason:
        seats = self._inp.seats

        def build(seat: Participant, _tries: int) -> ModelCall:
            return prompts.sample(self._inp, seat)

        self._board.open_stage(STAGE, seats)
        replies = await self._seating.ask_all(STAGE, [seat.id for seat in seats], build, prompts.unclear(self._inp))
        self._minutes = Minutes(
            samples=tuple(reply for reply in replies if isinstance(reply, Answered)),
            lost=tuple(lost_call(reply, STAGE) for reply in replies if isinstance(reply, Failed)),
        )
        self._board.close_stage(STAGE)
        self._board.found(details.table(outcome.findings(self._minutes)))
        answered, lost = len(self._minutes.samples), len(self._minutes.lost)
        told = {"stage": STAGE, "round": 1, "answered": answered, "lost": lost}
        workflow.logger.info("stage_closed", extra=told)
        return rules.stop_reason(self._inp, self._minutes, is_stopped=self._seating.stopped is not None)

    async def _record(self, stop_reason: StopReason) -> SelfConsistencyResult:
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
