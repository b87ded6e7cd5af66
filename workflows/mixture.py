"""The schedule of a mixture of agents: layer by layer, all proposers of a layer at once, then the aggregator.

All dice are thrown in ``__init__``: the order in which answers are shown, and the secret that nonces come from. A run
that is reset to any later point therefore keeps them, and answers already paid for fit.
"""

from collections.abc import Sequence

from temporalio import workflow

from protocols.anonymity import self_names
from protocols.exchange import Answered, Failed, ModelCall, ParticipantId, Spent, lost_call
from protocols.further_calls import Unclear, always_clear
from protocols.mixture import outcome, prompts, rules
from protocols.mixture.model import (
    AGGREGATION,
    Layer,
    Minutes,
    MixtureInput,
    MixtureResult,
    StopReason,
    stage_of,
)
from protocols.panel import Participant
from protocols.progress import Progress
from protocols.requests import ReplaceParticipant, StopRequest
from protocols.rewinding import Dice
from protocols.transcript import Transcript
from workflows import details
from workflows.asking import record
from workflows.board import Board
from workflows.recording import carried_out, entry
from workflows.seating import Build, Seating
from workflows.starting import startable_by_hand


def _thrown(seats: Sequence[ParticipantId]) -> Dice:
    """Everything that is random in one mixture."""
    dice = workflow.random()
    drawn = {seat: dice.random() for seat in seats}
    return Dice(order=tuple(sorted(drawn, key=lambda seat: drawn[seat])), secret=f"{dice.getrandbits(64):016x}")


@workflow.defn(name="Mixture")
@startable_by_hand
class MixtureWorkflow:
    """One mixture of agents on one question."""

    @workflow.init
    def __init__(self, inp: MixtureInput) -> None:
        self._inp = inp
        self._dice = inp.dice or _thrown([seat.id for seat in inp.panel.participants])
        self._board = Board("mixture", inp.title, inp.question, inp.stages, rehearsal=inp.panel.is_rehearsal)
        self._seating = Seating(inp.panel, self._board, inp.queues, clarify=inp.clarify)
        self._minutes = Minutes()

    @workflow.run
    async def run(self, inp: MixtureInput) -> MixtureResult:  # noqa: ARG002 - __init__ has it already
        """Hold all layers and the aggregation; fails with one clear message when there can be no verdict."""
        return await carried_out("mixture", self._deliberate(), self._record, outcome.failure)

    @workflow.query(description="Where the mixture stands: layer, seats, what was spent")
    def state(self) -> Progress:
        """Where the mixture stands."""
        return self._board.progress

    @workflow.query(description="Everything said so far, in order")
    def transcript(self) -> Transcript:
        """Everything said so far."""
        return outcome.transcript(self._minutes, self._dice.order)

    @workflow.query(description="Calls, tokens and dollars so far")
    def cost(self) -> Spent:
        """What was used and paid so far."""
        return self._board.progress.spent

    @workflow.update(description="Put another model behind a seat (p1 …, aggregator)")
    def replace_participant(self, request: ReplaceParticipant) -> Progress:
        """Replace the model behind a seat; a call in flight there is closed and asked of the new model."""
        self._seating.seat(request.participant, request.model)
        return self._board.progress

    @replace_participant.validator
    def _refuse_replacement(self, request: ReplaceParticipant) -> None:
        self._seating.refuse_replacement(request.participant, request.model)
        outcome.refuse_replacement(self._inp, self._minutes, self._board.progress, request)

    @workflow.update(description="End now with what there is; nothing more is asked or paid")
    def stop(self, request: StopRequest) -> Progress:
        """End the mixture with what there is."""
        self._seating.stop(request.reason)
        return self._board.progress

    @stop.validator
    def _refuse_stop(self, request: StopRequest) -> None:  # noqa: ARG002 - a validator takes what its update takes
        if self._seating.stopped or self._board.progress.stop_reason:
            raise ValueError("the mixture has ended already")

    async def _deliberate(self) -> StopReason:
        for number in range(1, self._inp.layers + 1):
            if end := await self._hold_layer(number):
                return end
            if not self._minutes.layers[-1].answers:
                break
        if rules.last_answered(self._minutes.layers) is None:
            return "no_answers"
        for number in range(len(self._minutes.layers) + 1, self._inp.layers + 1):
            self._board.skip_stage(stage_of(number))
        return await self._hold_aggregation()

    async def _hold_layer(self, number: int) -> StopReason | None:
        panel, before = self._seating.panel, self._minutes.layers
        names = self_names([p.model for p in panel.participants])
        shown = rules.shown(rules.last_answered(before), self._dice.order)
        asked = rules.proposers(panel, before)
        seats = [seat for seat in panel.participants if seat.id in asked]

        def build(seat: Participant, tries: int) -> ModelCall:
            return prompts.proposal(self._inp, seat, number, shown, names, secret=self._dice.secret, attempt=tries)

        answers, end = await self._hold(stage_of(number), number, seats, build)
        lost = tuple(call.participant for call in self._minutes.lost if call.round == number)
        layer = Layer(number=number, asked=asked, answers=answers, lost=lost)
        self._note(layers=(*before, layer))
        if answers:
            self._board.found(details.table(outcome.findings(layer)))
        return end

    async def _hold_aggregation(self) -> StopReason:
        layer = rules.last_answered(self._minutes.layers)
        shown = rules.shown(layer, self._dice.order)
        last = len(self._minutes.layers)

        def build(seat: Participant, tries: int) -> ModelCall:
            return prompts.aggregation(self._inp, seat, last, shown, secret=self._dice.secret, attempt=tries)

        chair = self._seating.panel.chair_seat
        for number, model in enumerate(rules.aggregators(self._seating.panel)):
            if number:
                self._seating.seat(chair, model)
            seats = [Participant(id=chair, model=model)]
            written, _ = await self._hold(AGGREGATION, last, seats, build, prompts.unclear(self._inp))
            if self._seating.stopped is not None:
                return "stopped"
            if written:
                self._note(aggregation=written[0], decided_by="fallback_aggregator" if number else "aggregator")
                return "verdict"
        if self._inp.failure_mode == "strict":
            return "aggregator_lost"
        self._note(decided_by="fallback")
        return "verdict"

    async def _hold(
        self, stage: str, layer: int, seats: Sequence[Participant], build: Build, unclear: Unclear = always_clear
    ) -> tuple[tuple[Answered, ...], StopReason | None]:
        """Hold one stage; return its answers in panel order and, when it ends the mixture, why."""
        self._board.open_stage(stage, seats, round_number=layer)
        replies = await self._seating.ask_all(stage, [seat.id for seat in seats], build, unclear)
        lost = tuple(lost_call(reply, stage, layer) for reply in replies if isinstance(reply, Failed))
        self._note(lost=(*self._minutes.lost, *lost))
        self._board.close_stage(stage)
        told = {"stage": stage, "round": layer, "answered": len(replies) - len(lost), "lost": len(lost)}
        workflow.logger.info("stage_closed", extra=told)
        answers = tuple(reply for reply in replies if isinstance(reply, Answered))
        if self._seating.stopped is not None:
            return answers, "stopped"
        return answers, "participant_lost" if lost and self._inp.failure_mode == "strict" else None

    def _note(self, **found: object) -> None:
        self._minutes = self._minutes.model_copy(update=found)

    async def _record(self, stop_reason: StopReason) -> MixtureResult:
        result = outcome.conclude(
            self._inp,
            self._minutes,
            stop_reason,
            order=self._dice.order,
            deliberation_id=workflow.info().workflow_id,
            spent=self._board.progress.spent,
            flaws=self._seating.flaws,
            dice=self._dice,
        )
        agreement = result.layers[-1].tally.agreement if result.layers else None
        result = self._seating.with_sources(result)
        self._board.end(stop_reason, degraded=result.degraded, verdict=result.verdict, agreement=agreement)
        await record(entry(self._inp, result, self._seating.lost))
        return result
