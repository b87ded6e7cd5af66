"""The schedule of a baseline: one model, or several at once, assess a prompt and never hear of each other."""

from temporalio import workflow

from protocols.exchange import Answered, ModelCall, Spent
from protocols.fire_circle import baseline, findings, prompts, rules
from protocols.fire_circle.model import Circle
from protocols.fire_circle.modes import EvaluateInput, EvaluateResult, EvaluateStopReason
from protocols.panel import Participant
from protocols.progress import Progress
from protocols.requests import StopRequest
from protocols.transcript import Transcript, Turn, turns_of
from workflows import details
from workflows.asking import record
from workflows.board import Board
from workflows.recording import carried_out, entry
from workflows.seating import Seating
from workflows.starting import startable_by_hand

_STAGE = "assessment"


@workflow.defn(name="Evaluate")
@startable_by_hand
class EvaluateWorkflow:
    """One evaluation of one layer of a prompt without a dialogue: SINGLE or PARALLEL."""

    @workflow.init
    def __init__(self, inp: EvaluateInput) -> None:
        self._inp = inp
        self._board = Board("evaluate", inp.title, inp.question, [_STAGE], rehearsal=inp.panel.is_rehearsal)
        self._seating = Seating(inp.panel, self._board, inp.queues, clarify=inp.clarify)
        self._secret = f"{workflow.random().getrandbits(64):016x}"
        self._circle = Circle()
        self._turns: list[Turn] = []

    @workflow.run
    async def run(self, inp: EvaluateInput) -> EvaluateResult:  # noqa: ARG002 - __init__ has it already
        """Evaluate; fails with one clear message when no assessment could be had."""
        return await carried_out("evaluate", self._assess(), self._record, baseline.failure)

    @workflow.query(description="Where the evaluation stands: seats, what was spent")
    def state(self) -> Progress:
        """Where it stands."""
        return self._board.progress

    @workflow.query(description="Everything said so far, in order")
    def transcript(self) -> Transcript:
        """Everything said so far."""
        return Transcript(turns=tuple(self._turns))

    @workflow.query(description="Calls, tokens and dollars so far")
    def cost(self) -> Spent:
        """What was used and paid so far."""
        return self._board.progress.spent

    @workflow.update(description="End now with what there is; nothing more is asked or paid")
    def stop(self, request: StopRequest) -> Progress:
        """End the evaluation with what there is."""
        self._seating.stop(request.reason)
        return self._board.progress

    @stop.validator
    def _refuse_stop(self, request: StopRequest) -> None:  # noqa: ARG002 - a validator takes what its update takes
        if self._seating.stopped or self._board.progress.stop_reason:
            raise ValueError("the evaluation has ended already")

    async def _assess(self) -> EvaluateStopReason:
        seats = self._inp.panel.participants

        def build(participant: Participant, tries: int) -> ModelCall:
            return prompts.baseline(self._inp, prompts.Seat(participant, 1, tries), secret=self._secret)

        self._board.open_stage(_STAGE, seats)
        for reply in await self._seating.ask_all(_STAGE, [seat.id for seat in seats], build, rules.unclear):
            seat = Participant(id=reply.participant, model=reply.model)
            self._circle = rules.heard(self._circle, self._inp, seat, reply, 1, is_chair=False)
            if isinstance(reply, Answered):
                self._turns += turns_of(reply, _STAGE)
        self._board.close_stage(_STAGE)
        self._board.found(details.table(findings.findings(self._circle, seats)))
        if self._seating.stopped is not None:
            return "stopped"
        if self._inp.failure_mode == "strict" and self._circle.failed:
            return "participant_lost"
        return "assessed" if self._circle.evaluations else "not_assessed"

    async def _record(self, stop_reason: EvaluateStopReason) -> EvaluateResult:
        result = baseline.conclude(
            self._inp,
            self._circle,
            stop_reason,
            deliberation_id=workflow.info().workflow_id,
            progress=self._board.progress,
            flaws=self._seating.flaws,
        )
        result = self._seating.with_sources(result)
        self._board.end(stop_reason, degraded=result.degraded, verdict=result.verdict, falsehood=result.falsehood)
        await record(entry(self._inp, result, self._seating.lost))
        return result
