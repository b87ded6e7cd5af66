"""The schedule of a vote: all participants at once, and nobody hears of anybody."""

from collections.abc import Sequence

from temporalio import workflow

from protocols.deliberation import Ending
from protocols.exchange import ModelCall
from protocols.majority import outcome, prompts, rules
from protocols.majority.model import STAGE, MajorityInput, MajorityResult, Minutes, StopReason
from protocols.panel import Participant
from protocols.requests import ReplaceParticipant
from protocols.transcript import Turn
from workflows import web_ui_details
from workflows.deliberation import Deliberation
from workflows.short_start import accepts_short_input


@workflow.defn(name="Majority")
@accepts_short_input
class MajorityWorkflow(Deliberation[MajorityInput, MajorityResult, StopReason]):
    """One vote of one panel on one question."""

    protocol = "majority"

    @workflow.init
    def __init__(self, inp: MajorityInput) -> None:
        super().__init__(inp, [STAGE])
        self._minutes = Minutes()

    @workflow.run
    async def run(self, inp: MajorityInput) -> MajorityResult:  # noqa: ARG002 - __init__ has it already
        """Ask the panel and count the votes; fails with one clear message when there is nothing to count."""
        return await self._run_to_end()

    def _refuse_replacement(self, request: ReplaceParticipant) -> None:
        rules.refuse_replacement(self._board.progress, request.participant)

    async def _deliberate(self) -> StopReason:
        def build(seat: Participant, tries: int) -> ModelCall:
            return prompts.answer(self._inp, seat, attempt=tries)

        replies = await self._ask_stage(STAGE, self._inp.panel.participants, build, prompts.unclear(self._inp))
        self._minutes = Minutes(answers=replies.answers, lost=replies.lost)
        self._board.found(web_ui_details.table(outcome.findings(self._minutes)))
        return rules.stop_reason(self._inp, self._minutes, is_stopped=self._is_stopped)

    def _said(self) -> Sequence[Turn]:
        return outcome.transcript(self._minutes).turns

    def _conclude(self, ending: Ending[StopReason]) -> MajorityResult:
        return outcome.conclude(self._inp, self._minutes, ending)

    def _failure(self, result: MajorityResult) -> str | None:
        return outcome.failure(result)
