"""The workflow of a vote: every seat is asked at once and independently."""

from collections.abc import Sequence

from temporalio import workflow

from protocols.deliberation import Ending
from protocols.model_call import ModelCall
from protocols.panel import Participant
from protocols.transcript import Turn
from protocols.update_requests import ReplaceParticipant
from protocols.vote import prompts, results
from protocols.vote.model import STAGE, StopReason, VoteInput, VoteRecord, VoteResult
from protocols.votes import decide, votes_table
from workflows.deliberation import Deliberation
from workflows.short_start import accepts_short_input


@workflow.defn(name="Vote")
@accepts_short_input
class VoteWorkflow(Deliberation[VoteInput, VoteResult, StopReason]):
    """One vote of one panel on one question; with several samples, each sample has a seat beside the panel."""

    protocol = "vote"
    failures = results.FAILURES

    @workflow.init
    def __init__(self, inp: VoteInput) -> None:
        super().__init__(inp, [STAGE], panel=inp.panel.with_beside(inp.seats if inp.samples > 1 else ()))
        self._record = VoteRecord()

    @workflow.run
    async def run(self, inp: VoteInput) -> VoteResult:  # noqa: ARG002 - __init__ has it already
        """Ask every seat and count the votes; fails with one message when there is nothing to count."""
        return await self._run_to_end()

    def _refuse_replacement(self, request: ReplaceParticipant) -> None:
        results.refuse_replacement(self._board.progress, request.participant)

    async def _deliberate(self) -> StopReason:
        def build(seat: Participant, tries: int) -> ModelCall:
            return prompts.answer(self._inp, seat, attempt=tries)

        unclear = prompts.unclear(self._inp)
        replies = await self._ask_stage(STAGE, self._inp.seats, build, unclear, is_divisible=True)
        self._record = VoteRecord(answers=replies.answers, lost=replies.lost)
        self._board.show_findings(lambda: self._board.text_of(votes_table(decide(replies.answers).tally)))
        return results.stop_reason(self._inp, self._record, is_stopped=self._is_stopped)

    def _turns_so_far(self) -> Sequence[Turn]:
        return results.transcript(self._record).turns

    def _conclude(self, ending: Ending[StopReason]) -> VoteResult:
        return results.build_result(self._inp, self._record, ending)
