"""The schedule of a self-consistency run: one model, asked several times at once.

The samples sit beside the one participant, each in a seat of its own, so that each has its bar on the screen.
"""

from collections.abc import Sequence

from temporalio import workflow

from protocols.deliberation import Ending
from protocols.exchange import ModelCall
from protocols.panel import Participant
from protocols.self_consistency import outcome, prompts, rules
from protocols.self_consistency.model import STAGE, Minutes, SelfConsistencyInput, SelfConsistencyResult, StopReason
from protocols.transcript import Turn
from workflows import web_ui_details
from workflows.deliberation import Deliberation
from workflows.short_start import accepts_short_input


@workflow.defn(name="SelfConsistency")
@accepts_short_input
class SelfConsistencyWorkflow(Deliberation[SelfConsistencyInput, SelfConsistencyResult, StopReason]):
    """One question to one model, several times over."""

    protocol = "self_consistency"

    @workflow.init
    def __init__(self, inp: SelfConsistencyInput) -> None:
        super().__init__(inp, [STAGE], panel=inp.panel.with_beside({seat.id: seat.model for seat in inp.seats}))
        self._minutes = Minutes()

    @workflow.run
    async def run(self, inp: SelfConsistencyInput) -> SelfConsistencyResult:  # noqa: ARG002 - __init__ has it already
        """Take the samples and count them; fails with one clear message when there is nothing to count."""
        return await self._run_to_end()

    async def _deliberate(self) -> StopReason:
        def build(seat: Participant, _tries: int) -> ModelCall:
            return prompts.sample(self._inp, seat)

        replies = await self._ask_stage(STAGE, self._inp.seats, build, prompts.unclear(self._inp))
        self._minutes = Minutes(samples=replies.answers, lost=replies.lost)
        self._board.found(web_ui_details.table(outcome.findings(self._minutes)))
        return rules.stop_reason(self._inp, self._minutes, is_stopped=self._is_stopped)

    def _said(self) -> Sequence[Turn]:
        return outcome.transcript(self._minutes).turns

    def _conclude(self, ending: Ending[StopReason]) -> SelfConsistencyResult:
        return outcome.conclude(self._inp, self._minutes, ending)

    def _failure(self, result: SelfConsistencyResult) -> str | None:
        return outcome.failure(result)
