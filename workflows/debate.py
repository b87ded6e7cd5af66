"""The workflow of a debate: its queries and updates, and its end with the judge's decision and the synthesis.

``debate_rounds`` has the rounds, ``debate_approvals`` the waits for a user. Without a readable reply there is no
decision, and the synthesis is made by rule. The secret from which nonces are made and
the order of the labels are drawn when the first run starts.
"""

from temporalio import workflow

from protocols.branch import RandomDraws
from protocols.debate import results
from protocols.debate.model.closing import JudgeDecision, Synthesis
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
from protocols.debate.modes import MODES
from protocols.debate.prompts import calls, clarifications
from protocols.debate.prompts.call_context import Build, RoundContext
from protocols.debate.rules import round_steps, stop_rules
from protocols.debate.rules.registry import add_evidence, refuse_evidence
from protocols.debate.rules.safety import find_withheld_turn
from protocols.deliberation import Ending
from protocols.model_call import Answered, ParticipantId
from protocols.progress import Progress
from protocols.update_requests import AddRounds, ReplaceParticipant, refuse_rounds
from workflows.debate_approvals import HumanApprovals
from workflows.debate_rounds import APPROVAL, DECISION, ESCALATION, SYNTHESIS, DebateRounds, stages_of
from workflows.long_deliberation import LongDeliberation, first_state
from workflows.short_start import accepts_short_input


def _draw(inp: DebateInput) -> RandomDraws:
    draws = workflow.random()
    secret = f"{draws.getrandbits(64):016x}"
    dealt = list(inp.seats)
    draws.shuffle(dealt)
    return RandomDraws(secret=secret, order=tuple(dealt))


def _first_state(inp: DebateInput) -> Carried:
    drawn = inp.given_draws or _draw(inp)
    return Carried(**first_state(inp, drawn.secret), course=round_steps.start_debate(inp), labels=drawn.order)


@workflow.defn(name="Debate")
@accepts_short_input
class DebateWorkflow(LongDeliberation[DebateInput, DebateResult, StopReason, Carried]):
    """One debate on one topic, in any of the seven modes."""

    protocol = "debate"
    _rounds: DebateRounds

    @workflow.init
    def __init__(self, inp: DebateInput) -> None:
        state = inp.carried or _first_state(inp)
        super().__init__(inp, stages_of(inp), state, RandomDraws(secret=state.secret, order=state.labels))
        self._rounds = DebateRounds(inp, state, self._board, self._seats)
        self._approvals = HumanApprovals(inp, self._rounds)
        self._decision: JudgeDecision | None = None
        self._synthesis: Synthesis | None = None
        self._is_closing = self._is_writing = False

    @workflow.run
    async def run(self, inp: DebateInput) -> DebateResult:  # noqa: ARG002 - __init__ has it already
        """Run all rounds and the synthesis; fail with one message and the partial result when it cannot continue."""
        return await self._run_to_end()

    @workflow.query(description="The registries: claims, evidence, decisions and positions")
    def claims(self) -> DebateState:
        """Return claims, evidence and decisions by their ids."""
        return self._rounds.course.state

    @workflow.query(description="The user's decision that it waits for, and until when; null when it waits for none")
    def waiting(self) -> Waiting | None:
        """Return the decision that it waits for, if any."""
        return self._approvals.waiting

    @workflow.update(description="Decide a failed objection round: accept, continue or reject")
    def resolve_escalation(self, request: ResolveEscalation) -> Progress:
        """Decide a failed objection round."""
        self._approvals.resolution = request
        return self._board.report()

    @resolve_escalation.validator
    def _refuse_resolution(self, request: ResolveEscalation) -> None:
        self._approvals.refuse_unless_waiting(ESCALATION)
        stop_rules.refuse_resolution(self._rounds.course, request)

    @workflow.update(description="Approve the synthesis, or refuse it for the whole debate")
    def approve(self, request: Approve) -> Progress:
        """Approve the synthesis, or refuse it."""
        self._approvals.answer = request
        return self._board.report()

    @approve.validator
    def _refuse_approval(self, request: Approve) -> None:  # noqa: ARG002 - a validator takes what its update takes
        self._approvals.refuse_unless_waiting(APPROVAL)

    @workflow.update(
        description="Add a fact with its source; it gets an id (E1 …) and is shown to all debaters from now on"
    )
    def inject_evidence(self, request: InjectEvidence) -> Evidence:
        """Add a fact with its source."""
        course = self._rounds.course
        state, added = add_evidence(course.state, request, max(1, course.state.round))
        self._rounds.course = course.model_copy(update={"state": state})
        return added

    @inject_evidence.validator
    def _refuse_evidence(self, request: InjectEvidence) -> None:
        self._refuse_addition()
        refuse_evidence(self._rounds.course.state, request, self._inp.context_budget.facts)

    @workflow.update(description="Show a withheld turn from now on and enter its claims into the registries")
    def release_turn(self, request: ReleaseTurn) -> AgentResponse:
        """Release a turn that the safety evaluator withheld."""
        turn = find_withheld_turn(self._rounds.course, request)
        self._rounds.course, shown = round_steps.release_turn(self._rounds.table, turn, request.note)
        return shown

    @release_turn.validator
    def _refuse_release(self, request: ReleaseTurn) -> None:
        self._refuse_addition()
        find_withheld_turn(self._rounds.course, request)

    @workflow.update(description="Allow more rounds")
    def add_rounds(self, request: AddRounds) -> Progress:
        """Allow more rounds."""
        self._rounds.course = stop_rules.extend_limit(self._rounds.course, request)
        self._board.show(rounds=self._rounds.most_rounds)
        return self._board.report()

    @add_rounds.validator
    def _refuse_round(self, request: AddRounds) -> None:
        self._refuse_change()
        if self._is_closing:
            raise ValueError("the rounds are over: there is no further round")
        refuse_rounds(self._rounds.course.limit, request)

    def _refuse_addition(self) -> None:
        self._refuse_change()
        if self._is_writing:
            raise ValueError("the synthesis is being written: no model is shown what is added now")

    def _refuse_replacement(self, request: ReplaceParticipant) -> None:
        if self._is_closing and request.participant not in {JUDGE, SYNTHESISER}:
            raise ValueError("the rounds are over; only judge and synthesiser are still asked")

    async def _deliberate(self) -> StopReason:
        await self._load_earlier_turns()
        end = await self._run_rounds()
        self._is_closing = True
        if end not in stop_rules.SYNTHESISED:
            return end
        return await self._approvals.await_approval() or await self._write(end)

    async def _run_rounds(self) -> StopReason:
        while not self._rounds.is_stopped:
            following = await self._rounds.run_round()
            if self._is_stopped:
                break
            while following in {"release", "escalate"}:
                following = await (self._approvals.release() if following == "release" else self._approvals.escalate())
            if (end := stop_rules.stop_reason_of(following)) is not None:
                return end
            await self._continue_as_new_if_suggested()
        return "stopped"

    async def _write(self, end: StopReason) -> StopReason:
        self._rounds.seats.enter_round(len(self._rounds.course.rounds) + 1)
        if MODES[self._inp.mode].is_judged:
            self._decision = await self._written(JudgeDecision, DECISION, JUDGE, calls.decision)
        if not self._rounds.is_ending:
            self._is_writing = True
            self._synthesis = await self._written(Synthesis, SYNTHESIS, SYNTHESISER, calls.synthesis)
        if self._rounds.is_stopped:
            return "stopped"
        return "participant_lost" if self._rounds.has_lost_in_strict else end

    async def _written(
        self, kind: type[results.ClosingText], stage: str, seat: ParticipantId, build: Build
    ) -> results.ClosingText | None:
        """Return the first text for ``seat`` that can be read, by its model or else a fallback of the chair."""
        panel, on = self._rounds.seats.panel, RoundContext(max(1, len(self._rounds.course.rounds)))
        for number, model in enumerate(dict.fromkeys((panel.at(seat).model, *panel.chair_fallbacks))):
            if number:
                self._rounds.seats.replace_model(seat, model)
            reply = await self._rounds.obtain(stage, seat, on, build)
            if self._rounds.is_ending:
                break
            if isinstance(reply, Answered) and clarifications.BESIDE[stage](reply) is None:
                return results.closing_text(kind, reply, "fallback" if number else seat)
        return None

    def _conclude(self, ending: Ending[StopReason]) -> DebateResult:
        rounds = self._rounds
        record = results.DebateRecord(
            course=rounds.course,
            names=rounds.names,
            synthesis=self._synthesis,
            decision=self._decision,
            synthesis_turn=next((turn for turn in rounds.turns if turn.stage == SYNTHESIS and turn.counts), None),
            approval=self._approvals.approval,
            remark="" if self._seats.limit.left_out else self._seats.stopped or "",
        )
        return results.build_result(self._inp, record, ending)

    def _failure(self, result: DebateResult) -> str | None:
        return results.failure_message(result)
