"""A debate as people meet it: how it begins, what may be asked of it, where it waits for a person, how it ends.

The rounds themselves are in ``floor``, the waits for a person in ``gates``. All dice are thrown when the first run
starts: the secret from which the nonces are made, then the order of the labels.
"""

from temporalio import workflow

from protocols.branch import RandomDraws
from protocols.debate import outcome
from protocols.debate.model.history import ReleaseTurn
from protocols.debate.model.io import (
    JUDGE,
    SYNTHESISER,
    Approve,
    Carried,
    DebateInput,
    DebateResult,
    InjectEvidence,
    ResolveEscalation,
    StopReason,
    Waiting,
)
from protocols.debate.model.state import DebateState, Evidence
from protocols.debate.model.turn import AgentResponse
from protocols.debate.rules import interventions, round_steps
from protocols.debate.rules.registry import add_evidence, refuse_evidence
from protocols.debate.rules.safety import find_withheld_turn
from protocols.deliberation import Ending
from protocols.progress import Progress
from protocols.update_requests import AddRounds, ReplaceParticipant, refuse_rounds
from workflows.debate_approvals import HumanApprovals
from workflows.debate_rounds import APPROVAL, ESCALATION, SYNTHESIS, DebateRounds, stages_of
from workflows.debate_synthesis import DebateSynthesis
from workflows.long_deliberation import LongDeliberation, first_state
from workflows.short_start import accepts_short_input


def _thrown(inp: DebateInput) -> RandomDraws:
    dice = workflow.random()
    secret = f"{dice.getrandbits(64):016x}"
    dealt = list(inp.seats)
    dice.shuffle(dealt)
    return RandomDraws(secret=secret, order=tuple(dealt))


def _begun(inp: DebateInput) -> Carried:
    """Where a debate stands before its first round."""
    thrown = inp.given_dice or _thrown(inp)
    return Carried(**first_state(inp, thrown.secret), course=round_steps.start_debate(inp), labels=thrown.order)


@workflow.defn(name="Debate")
@accepts_short_input
class DebateWorkflow(LongDeliberation[DebateInput, DebateResult, StopReason, Carried]):
    """One debate on one topic, in any of the seven modes."""

    protocol = "debate"

    @workflow.init
    def __init__(self, inp: DebateInput) -> None:
        state = inp.carried or _begun(inp)
        super().__init__(inp, stages_of(inp), state, RandomDraws(secret=state.secret, order=state.labels))
        self._floor = DebateRounds(inp, state, self._board, self._seating)
        self._gates = HumanApprovals(inp, self._floor)
        self._closing = DebateSynthesis(inp, self._floor)
        self._is_closing = False

    @workflow.run
    async def run(self, inp: DebateInput) -> DebateResult:  # noqa: ARG002 - __init__ has it already
        """Hold the debate; fails with one clear message, and what there is, when it cannot go on."""
        return await self._run_to_end()

    @workflow.query(description="The registries: claims, evidence, decisions, and how everybody stands")
    def claims(self) -> DebateState:
        """Claims, evidence and decisions under their ids."""
        return self._floor.course.state

    @workflow.query(description="What it waits for a person to say, and until when; nothing when it does not wait")
    def waiting(self) -> Waiting | None:
        """What it waits for."""
        return self._gates.waiting

    @workflow.update(description="Decide what a failed objection round comes to: accept, continue or reject")
    def resolve_escalation(self, request: ResolveEscalation) -> Progress:
        """A person decides."""
        self._gates.resolution = request
        return self._board.progress

    @resolve_escalation.validator
    def _refuse_resolution(self, request: ResolveEscalation) -> None:
        self._gates.refuse_unless_waiting(ESCALATION)
        interventions.refuse_resolution(self._floor.course, request)

    @workflow.update(description="Open the gate before the synthesis, or shut it for good")
    def approve(self, request: Approve) -> Progress:
        """A person approves, or refuses to."""
        self._gates.answer = request
        return self._board.progress

    @approve.validator
    def _refuse_approval(self, request: Approve) -> None:  # noqa: ARG002 - a validator takes what its update takes
        self._gates.refuse_unless_waiting(APPROVAL)

    @workflow.update(description="Add a fact with its source; it gets an id (E1 …) and everybody sees it from now on")
    def inject_evidence(self, request: InjectEvidence) -> Evidence:
        """A person adds a fact."""
        course = self._floor.course
        state, added = add_evidence(course.state, request, max(1, course.state.round))
        self._floor.course = course.model_copy(update={"state": state})
        return added

    @inject_evidence.validator
    def _refuse_evidence(self, request: InjectEvidence) -> None:
        self._refuse_change()
        refuse_evidence(self._floor.course.state, request, self._inp.context.facts)

    @workflow.update(description="Show a withheld turn from now on; what it says enters the registries")
    def release_turn(self, request: ReleaseTurn) -> AgentResponse:
        """A person releases a turn that the safety evaluator withheld."""
        course, turn = self._floor.course, find_withheld_turn(self._floor.course, request)
        self._floor.course, shown = round_steps.release_turn(course, self._inp, self._floor.names, turn, request.note)
        self._floor.show()
        return shown

    @release_turn.validator
    def _refuse_release(self, request: ReleaseTurn) -> None:
        self._refuse_change()
        find_withheld_turn(self._floor.course, request)

    @workflow.update(description="Allow more rounds")
    def add_rounds(self, request: AddRounds) -> Progress:
        """Allow more rounds."""
        self._floor.course = interventions.extend_limit(self._floor.course, request)
        self._board.limit_rounds(self._floor.most_rounds)
        return self._board.progress

    @add_rounds.validator
    def _refuse_round(self, request: AddRounds) -> None:
        self._refuse_change()
        refuse_rounds(self._floor.course.limit, request)

    def _refuse_replacement(self, request: ReplaceParticipant) -> None:
        if self._is_closing and request.participant not in {JUDGE, SYNTHESISER}:
            raise ValueError("the rounds are over; only judge and synthesiser are still asked")

    @property
    def _rounds(self) -> DebateRounds:
        return self._floor

    async def _deliberate(self) -> StopReason:
        await self._load_earlier_turns()
        end = await self._hold_rounds()
        self._is_closing = True
        if not interventions.is_synthesised(end):
            return end
        return await self._gates.shut() or await self._closing.write(end)

    async def _hold_rounds(self) -> StopReason:
        while True:
            following = await self._floor.hold_round()
            if self._is_stopped:
                return "stopped"
            while following in {"release", "escalate"}:
                following = await (self._gates.release() if following == "release" else self._gates.escalate())
            if (end := interventions.stop_reason_of(following)) is not None:
                return end
            await self._continue_as_new_if_suggested()

    def _conclude(self, ending: Ending[StopReason]) -> DebateResult:
        floor = self._floor
        minutes = outcome.Minutes(
            course=floor.course,
            names=floor.names,
            synthesis=self._closing.synthesis,
            decision=self._closing.decision,
            synthesis_turn=next((turn for turn in floor.turns if turn.stage == SYNTHESIS and turn.counts), None),
            approval=self._gates.approval,
            remark=self._seating.stopped or "",
        )
        return outcome.conclude(self._inp, minutes, ending)

    def _failure(self, result: DebateResult) -> str | None:
        return outcome.failure(result)
