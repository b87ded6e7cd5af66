"""The workflow of a fire circle: a blind baseline, a dialogue, a refinement, and a fourth round where it is worth it.

All models of a round are asked at once, and none sees the present round. ``protocols.fire_circle.rules`` decides what a
round means, whether another one follows and which seat is the empty chair. The secret of the nonces is drawn when the
run starts.
"""

from collections.abc import Sequence

from temporalio import workflow

from protocols.branch import RandomDraws
from protocols.deliberation import Ending
from protocols.fire_circle import prompts, results, rules
from protocols.fire_circle.classification import CLASSIFICATION
from protocols.fire_circle.io import FireCircleInput, FireCircleResult, StopReason
from protocols.fire_circle.model import CircleState, DialogueRound
from protocols.fire_circle.tables import circle_table
from protocols.model_call import Answered, Failed, ModelCall, ParticipantId
from protocols.panel import Participant
from protocols.transcript import Turn, turns_of
from protocols.update_requests import ReplaceParticipant
from workflows.deliberation import Deliberation
from workflows.fire_circle_classifier import PatternClassifier
from workflows.seats import Build
from workflows.short_start import accepts_short_input

_PHASES = {1: "BASELINE", 2: "DISCUSSION", 3: "REFINEMENT", 4: "SYNTHESIS"}
_JUDGED: frozenset[StopReason] = frozenset({"converged", "round_limit", "round_unread"})
"""Ends with a verdict that its patterns belong to."""


@workflow.defn(name="FireCircle")
@accepts_short_input
class FireCircleWorkflow(Deliberation[FireCircleInput, FireCircleResult, StopReason]):
    """One fire circle on one layer of a prompt."""

    protocol = "fire-circle"

    @workflow.init
    def __init__(self, inp: FireCircleInput) -> None:
        stages = [_stage(number) for number in range(1, max(_PHASES) + 1)]
        named = [*stages, *([CLASSIFICATION] if inp.pattern_classification == "llm" else [])]
        super().__init__(
            inp, named, draws=inp.given_draws or RandomDraws(secret=f"{workflow.random().getrandbits(64):016x}")
        )
        self._participants = tuple(p.id for p in inp.panel.participants)
        self._circle = CircleState()
        self._rounds: list[DialogueRound] = []
        self._chairs: dict[int, ParticipantId] = {}
        self._classifier = PatternClassifier(inp, self._seats, self._draws.secret)
        self._turns: list[Turn] = []

    @workflow.run
    async def run(self, inp: FireCircleInput) -> FireCircleResult:  # noqa: ARG002 - __init__ has it already
        """Run all rounds; fail with one message and the partial result when the circle cannot continue."""
        return await self._run_to_end()

    def _refuse_replacement(self, request: ReplaceParticipant) -> None:
        if request.participant in self._participants and request.participant not in self._circle.active(
            self._participants
        ):
            raise ValueError(f"{request.participant!r} was lost and is not asked any more")

    async def _deliberate(self) -> StopReason:
        number = 0
        while True:
            number += 1
            if end := await self._run_round(number):
                break
        for left in range(number + 1, max(_PHASES) + 1):
            self._board.skip_stage(_stage(left))
        await self._classify(end)
        return "stopped" if self._is_stopped else end

    async def _run_round(self, number: int) -> StopReason | None:
        self._seats.enter_round(number)
        self._classifier.begin(self._circle, number - 1)
        active = self._circle.active(self._participants)
        chair = None
        if self._inp.empty_chair_rotation:
            chair = rules.chair_of(number, self._participants, active, self._chairs.get(number - 1))
        if chair is not None:
            self._chairs[number] = chair
        panel = self._seats.panel
        seats = [panel.at(seat) for seat in active]
        self._board.open_stage(_stage(number), seats, round_number=number, phase=_PHASES[number])
        build = self._build(number, chair)
        prompt = build(next((seat for seat in seats if seat.id != chair), seats[0]), 0).messages[-1].content
        before = self._circle
        for reply in await self._seats.ask_all(_stage(number), active, build, rules.unclear):
            self._apply_reply(reply, number, is_chair=reply.participant == chair)
        self._circle = rules.settle_round(before, self._circle, number)
        self._board.close_stage(_stage(number))
        if self._is_stopped:
            return "stopped"
        spread = self._close_round(number, prompt).convergence_metric
        return rules.stop_reason(self._inp, self._circle, number, spread)

    async def _classify(self, end: StopReason) -> None:
        """Take in the types that the classifier finds in time; the verdict is shown before it is waited for."""
        if not self._classifier.is_wanted:
            return
        if end not in _JUDGED:
            self._classifier.cancel()
            return
        self._seats.enter_round(len(self._rounds) + 1)
        self._board.verdict = self._conclude(self._ending(end)).verdict
        self._board.open_stage(
            CLASSIFICATION, [self._classifier.seat], round_number=len(self._rounds), phase="CLASSIFICATION"
        )
        await self._classifier.finish(self._circle, len(self._rounds))
        self._board.close_stage(CLASSIFICATION)

    def _build(self, number: int, chair: ParticipantId | None) -> Build:
        """Return the builder of this round's calls; the seat of the empty chair gets another prompt."""
        said, secret = self._circle.evaluations, self._draws.secret

        def build(participant: Participant, tries: int) -> ModelCall:
            seat = prompts.Seat(participant, number, tries)
            if number == 1:
                return prompts.baseline(self._inp, seat, secret=secret)
            if participant.id == chair:
                return prompts.from_the_chair(self._inp, seat, said, secret=secret)
            if number == _DISCUSSED:
                return prompts.discussion(self._inp, seat, said, secret=secret)
            return prompts.refinement(self._inp, seat, said, secret=secret)

        return build

    def _apply_reply(self, reply: Answered | Failed, number: int, *, is_chair: bool) -> None:
        self._circle = rules.apply_reply(self._circle, self._inp, reply, number, is_chair=is_chair)
        if isinstance(reply, Answered):
            self._turns += turns_of(reply, _stage(number), number)

    def _close_round(self, number: int, prompt: str) -> DialogueRound:
        """Keep the completed round, unless no reply of it was read and it is no round of the dialogue."""
        completed = results.round_of(self._circle, self._inp, number, prompt=prompt, at=workflow.now())
        if number == 1 or completed.evaluations:
            self._rounds.append(completed)
        seats = self._seats.panel.participants
        self._board.show_findings(lambda: self._board.text_of(circle_table(self._circle, seats, self._chairs)))
        spread, spoke = completed.convergence_metric, len(completed.evaluations)
        workflow.logger.info("round_closed", extra={"round": number, "spread": spread, "spoke": spoke})
        return completed

    def _rounds_completed(self) -> int:
        return len(self._rounds)

    def _turns_so_far(self) -> Sequence[Turn]:
        return self._turns

    def _conclude(self, ending: Ending[StopReason]) -> FireCircleResult:
        record = results.FireCircleRecord(
            circle=self._circle, rounds=tuple(self._rounds), chairs=self._chairs, classified=self._classifier.types
        )
        return results.build_result(self._inp, record, ending)

    def _failure(self, result: FireCircleResult) -> str | None:
        return results.failure_message(result)


_DISCUSSED = 2


def _stage(number: int) -> str:
    return f"round_{number}"
