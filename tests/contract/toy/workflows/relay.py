"""The workflow of a relay."""

from collections.abc import Sequence

from temporalio import workflow

from protocols.deliberation import Ending
from protocols.model_call import Answered, LostCall, ModelCall
from protocols.panel import Participant
from protocols.relay.model import STAGE, RelayInput, RelayResult, StopReason
from protocols.relay.prompts import leg
from protocols.transcript import Transcript, Turn, turns_of
from workflows.deliberation import Deliberation
from workflows.short_start import accepts_short_input

FAILURES = {"no_answers": "no model answered", "participant_lost": "STRICT mode, and a participant was lost"}


@workflow.defn(name="Relay")
@accepts_short_input
class RelayWorkflow(Deliberation[RelayInput, RelayResult, StopReason]):
    """One relay."""

    protocol = "relay"
    failures = FAILURES

    @workflow.init
    def __init__(self, inp: RelayInput) -> None:
        super().__init__(inp, [STAGE])
        self._answers: list[Answered] = []
        self._lost: list[LostCall] = []

    @workflow.run
    async def run(self, inp: RelayInput) -> RelayResult:
        """Run all legs."""
        return await self._run_to_end()

    async def _deliberate(self) -> StopReason:
        seats = self._inp.panel.participants
        for number, seat in enumerate(reversed(seats) if self._inp.backwards else seats, 1):
            said = self._answers[-1].text if self._answers else ""

            def build(seat: Participant, tries: int, number: int = number, said: str = said) -> ModelCall:
                return leg(self._inp, seat, number, said, tries)

            replies = await self._ask_stage(STAGE, (seat,), build, round_number=number)
            self._answers += replies.answers
            self._lost += replies.lost
            if end := self._end_after(replies):
                return end
        return "verdict" if self._answers else "no_answers"

    def _turns_so_far(self) -> Sequence[Turn]:
        return [turn for answer in self._answers for turn in turns_of(answer, STAGE)]

    def _conclude(self, ending: Ending[StopReason]) -> RelayResult:
        return RelayResult(
            verdict=self._answers[-1].text if self._answers and ending.stop_reason != "participant_lost" else None,
            partial=ending.stop_reason != "verdict",
            transcript=Transcript(turns=tuple(self._turns_so_far())),
            **ending.fields(self._inp, self._lost),
        )
