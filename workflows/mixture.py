"""The workflow of a mixture of agents: all proposers of a layer at once, layer by layer, then the aggregator.

All random numbers are drawn in ``__init__``: the order of the answers and the secret of the nonces. A run that is reset
to a later point keeps them, and the answers already paid for still fit.
"""

from collections.abc import Sequence

from temporalio import workflow

from protocols.anonymity import self_names
from protocols.branch import RandomDraws
from protocols.deliberation import Ending
from protocols.mixture import prompts, results, rules
from protocols.mixture.model import AGGREGATION, Layer, MixtureInput, MixtureRecord, MixtureResult, StopReason, stage_of
from protocols.model_call import ModelCall, ParticipantId
from protocols.panel import Participant
from protocols.transcript import Turn
from protocols.update_requests import ReplaceParticipant
from protocols.votes import decide, votes_table
from workflows.deliberation import Deliberation
from workflows.short_start import accepts_short_input


def _draw(seats: Sequence[ParticipantId]) -> RandomDraws:
    """Draw all random numbers of one mixture."""
    draws = workflow.random()
    drawn = {seat: draws.random() for seat in seats}
    return RandomDraws(order=tuple(sorted(drawn, key=lambda seat: drawn[seat])), secret=f"{draws.getrandbits(64):016x}")


@workflow.defn(name="Mixture")
@accepts_short_input
class MixtureWorkflow(Deliberation[MixtureInput, MixtureResult, StopReason]):
    """One mixture of agents on one question."""

    protocol = "mixture"
    failures = results.FAILURES

    @workflow.init
    def __init__(self, inp: MixtureInput) -> None:
        super().__init__(inp, inp.stages, draws=inp.given_draws or _draw([seat.id for seat in inp.panel.participants]))
        self._record = MixtureRecord()

    @workflow.run
    async def run(self, inp: MixtureInput) -> MixtureResult:  # noqa: ARG002 - __init__ has it already
        """Run all layers and the aggregation; fail with one message when there can be no verdict."""
        return await self._run_to_end()

    def _refuse_replacement(self, request: ReplaceParticipant) -> None:
        results.refuse_replacement(self._inp, self._record, self._board.progress, request)

    async def _deliberate(self) -> StopReason:
        for number in range(1, self._inp.layers + 1):
            if end := await self._ask_layer(number):
                return end
            if not self._record.layers[-1].answers:
                break
        if rules.last_answered(self._record.layers) is None:
            return "no_answers"
        for number in range(len(self._record.layers) + 1, self._inp.layers + 1):
            self._board.skip_stage(stage_of(number))
        return await self._ask_aggregator()

    async def _ask_layer(self, number: int) -> StopReason | None:
        panel, before = self._seats.panel, self._record.layers
        names = self_names([p.model for p in panel.participants])
        shown = rules.shown(rules.last_answered(before), self._draws.order)
        asked = rules.proposers(panel, before)
        seats = [seat for seat in panel.participants if seat.id in asked]

        def build(seat: Participant, tries: int) -> ModelCall:
            return prompts.proposal(self._inp, seat, number, shown, names, secret=self._draws.secret, attempt=tries)

        replies = await self._ask_stage(stage_of(number), seats, build, round_number=number)
        lost = tuple(call.participant for call in replies.lost)
        layer = Layer(number=number, asked=asked, answers=replies.answers, lost=lost)
        self._note(layers=(*before, layer), lost=(*self._record.lost, *replies.lost))
        if replies.answers:
            self._board.show_findings(lambda: self._board.text_of(votes_table(decide(layer.answers).tally)))
        return self._end_after(replies)

    async def _ask_aggregator(self) -> StopReason:
        layer = rules.last_answered(self._record.layers)
        shown = rules.shown(layer, self._draws.order)
        last = len(self._record.layers)

        def build(seat: Participant, tries: int) -> ModelCall:
            return prompts.aggregation(self._inp, seat, last, shown, secret=self._draws.secret, attempt=tries)

        chair = self._seats.panel.chair_seat
        for number, model in enumerate(rules.aggregators(self._seats.panel)):
            if number:
                self._seats.replace_model(chair, model)
            seats = [self._seats.panel.at(chair)]
            replies = await self._ask_stage(AGGREGATION, seats, build, prompts.unclear(self._inp), round_number=last)
            self._note(lost=(*self._record.lost, *replies.lost))
            if self._is_stopped:
                self._note(decided_by="fallback" if self._seats.limit.left_out else "none")
                return "stopped"
            if replies.answers:
                self._note(aggregation=replies.answers[0], decided_by="fallback_aggregator" if number else "aggregator")
                return "verdict"
        if self._inp.failure_mode == "strict":
            return "aggregator_lost"
        self._note(decided_by="fallback")
        return "verdict"

    def _note(self, **found: object) -> None:
        self._record = self._record.model_copy(update=found)

    def _turns_so_far(self) -> Sequence[Turn]:
        return results.transcript(self._record, self._draws.order).turns

    def _conclude(self, ending: Ending[StopReason]) -> MixtureResult:
        return results.build_result(self._inp, self._record, ending)
