"""The workflow of a baseline: one model, or several independently, assess a prompt."""

from collections.abc import Sequence

from temporalio import workflow

from protocols.branch import RandomDraws
from protocols.deliberation import Ending
from protocols.fire_circle import prompts, results, rules
from protocols.fire_circle.io import FireCircleBaselineInput, FireCircleBaselineResult, FireCircleBaselineStopReason
from protocols.fire_circle.model import CircleState
from protocols.fire_circle.tables import circle_table
from protocols.model_call import Answered, ModelCall
from protocols.panel import Participant
from protocols.transcript import Turn, turns_of
from workflows.deliberation import Deliberation
from workflows.short_start import accepts_short_input

_STAGE = "round_1"
"""As in the first round of a circle: so its calls are named in the ledger."""


@workflow.defn(name="FireCircleBaseline")
@accepts_short_input
class FireCircleBaselineWorkflow(
    Deliberation[FireCircleBaselineInput, FireCircleBaselineResult, FireCircleBaselineStopReason]
):
    """One evaluation of one layer of a prompt without a dialogue: SINGLE or PARALLEL."""

    protocol = "fire-circle-baseline"

    @workflow.init
    def __init__(self, inp: FireCircleBaselineInput) -> None:
        super().__init__(
            inp, [_STAGE], draws=inp.given_draws or RandomDraws(secret=f"{workflow.random().getrandbits(64):016x}")
        )
        self._circle = CircleState()
        self._turns: list[Turn] = []

    @workflow.run
    async def run(self, inp: FireCircleBaselineInput) -> FireCircleBaselineResult:  # noqa: ARG002 - __init__ has it already
        """Ask for all assessments; fail with one message when there is none."""
        return await self._run_to_end()

    async def _deliberate(self) -> FireCircleBaselineStopReason:
        seats = self._inp.panel.participants

        def build(participant: Participant, tries: int) -> ModelCall:
            return prompts.baseline(self._inp, prompts.Seat(participant, 1, tries), secret=self._draws.secret)

        self._board.open_stage(_STAGE, seats)
        asked = [seat.id for seat in seats]
        for reply in await self._seats.ask_all(_STAGE, asked, build, rules.unclear, is_divisible=True):
            self._circle = rules.apply_reply(self._circle, self._inp, reply, 1, is_chair=False)
            if isinstance(reply, Answered):
                self._turns += turns_of(reply, _STAGE)
        self._board.close_stage(_STAGE)
        self._board.show_findings(lambda: self._board.text_of(circle_table(self._circle, seats)))
        if self._is_stopped:
            return "stopped"
        if self._inp.failure_mode == "strict" and self._circle.failed:
            return "participant_lost"
        return "assessed" if self._circle.evaluations else "not_assessed"

    def _turns_so_far(self) -> Sequence[Turn]:
        return self._turns

    def _conclude(self, ending: Ending[FireCircleBaselineStopReason]) -> FireCircleBaselineResult:
        return results.build_baseline_result(self._inp, self._circle, ending)

    def _failure(self, result: FireCircleBaselineResult) -> str | None:
        return results.baseline_failure(result)
