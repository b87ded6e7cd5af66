"""A debate as people meet it: how it begins, what may be asked of it, where it waits for a person, how it ends.

The rounds themselves are in ``floor``, the waits for a person in ``gates``. All dice are thrown when the first run
starts: the secret from which the nonces are made, then the order of the labels.
"""

from temporalio import workflow

from protocols.debate import outcome
from protocols.debate.model.asked import (
    JUDGE,
    SYNTHESISER,
    AddRound,
    Approve,
    Carried,
    DebateInput,
    DebateResult,
    InjectEvidence,
    ResolveEscalation,
    StopReason,
    Waiting,
)
from protocols.debate.model.course import ReleaseTurn
from protocols.debate.model.state import DebateState, Evidence
from protocols.debate.model.turns import AgentResponse
from protocols.debate.rules import changes, hearing
from protocols.debate.rules.registry import injected, refuse_evidence
from protocols.debate.rules.safety import to_release
from protocols.exchange import Spent
from protocols.progress import Progress
from protocols.requests import ReplaceParticipant, StopRequest
from protocols.rewinding import Dice, Heritage
from protocols.transcript import Transcript, Turn
from workflows.asking import keep, recall, record
from workflows.closing import Closing
from workflows.floor import APPROVAL, ESCALATION, SYNTHESIS, Floor
from workflows.gates import Gates
from workflows.recording import carried_out, chapter, entry
from workflows.starting import startable_by_hand


def _thrown(inp: DebateInput) -> Dice:
    dice = workflow.random()
    secret = f"{dice.getrandbits(64):016x}"
    dealt = list(inp.seats)
    dice.shuffle(dealt)
    return Dice(secret=secret, order=tuple(dealt))


def _begun(inp: DebateInput) -> Carried:
    """Where a debate stands before its first round."""
    info, thrown = workflow.info(), (inp.branch.dice if inp.branch else inp.dice) or _thrown(inp)
    return Carried(
        course=hearing.begun(inp),
        said=0,
        panel=inp.panel,
        spent=Spent(),
        secret=thrown.secret,
        labels=thrown.order,
        chapter_key=info.run_id,
        started_at=info.workflow_start_time,
        rehearsal=inp.panel.is_rehearsal,
    )


@workflow.defn(name="Debate")
@startable_by_hand
class DebateWorkflow:
    """One debate on one topic, in any of the seven modes."""

    @workflow.init
    def __init__(self, inp: DebateInput) -> None:
        self._inp = inp
        self._begun = inp.carried or _begun(inp)
        self._floor = Floor(inp, self._begun)
        self._recalled: tuple[Turn, ...] = ()
        self._gates = Gates(inp, self._floor)
        self._closing = Closing(inp, self._floor)
        self._is_closing = False

    @workflow.run
    async def run(self, inp: DebateInput) -> DebateResult:  # noqa: ARG002 - __init__ has it already
        """Hold the debate; fails with one clear message, and what there is, when it cannot go on."""
        return await carried_out("debate", self._deliberate(), self._record, outcome.failure)

    @workflow.query(description="Where the debate stands: round, seats, positions, what it waits for, what was spent")
    def state(self) -> Progress:
        """Where it stands."""
        return self._floor.board.progress

    @workflow.query(description="The registries: claims, evidence, decisions, and how everybody stands")
    def claims(self) -> DebateState:
        """Claims, evidence and decisions under their ids."""
        return self._floor.course.state

    @workflow.query(description="Everything said so far, in order")
    def transcript(self) -> Transcript:
        """Everything said so far.

        Raises:
            ValueError: this run has just begun and still recalls what the runs before said.
        """
        if len(self._recalled) < self._begun.said:
            raise ValueError("what was said before is being recalled; ask again in a moment")
        return Transcript(turns=(*self._recalled, *self._floor.turns))

    @workflow.query(description="Calls, tokens and dollars so far")
    def cost(self) -> Spent:
        """What was used and paid so far."""
        return self._floor.board.progress.spent

    @workflow.query(description="What a branch of it needs: its dice, the rounds it held, the calls it lost")
    def dice(self) -> Heritage:
        """What a branch of it needs."""
        return self._floor.heritage()

    @workflow.query(description="What it waits for a person to say, and until when; nothing when it does not wait")
    def waiting(self) -> Waiting | None:
        """What it waits for."""
        return self._gates.waiting

    @workflow.update(description="Decide what a failed objection round comes to: accept, continue or reject")
    def resolve_escalation(self, request: ResolveEscalation) -> Progress:
        """A person decides."""
        self._gates.resolution = request
        return self._floor.board.progress

    @resolve_escalation.validator
    def _refuse_resolution(self, request: ResolveEscalation) -> None:
        self._gates.refuse_unless_waiting(ESCALATION)
        changes.refuse_resolution(self._floor.course, request)

    @workflow.update(description="Open the gate before the synthesis, or shut it for good")
    def approve(self, request: Approve) -> Progress:
        """A person approves, or refuses to."""
        self._gates.answer = request
        return self._floor.board.progress

    @approve.validator
    def _refuse_approval(self, request: Approve) -> None:  # noqa: ARG002 - a validator takes what its update takes
        self._gates.refuse_unless_waiting(APPROVAL)

    @workflow.update(description="Add a fact with its source; it gets an id (E1 …) and everybody sees it from now on")
    def inject_evidence(self, request: InjectEvidence) -> Evidence:
        """A person adds a fact."""
        course = self._floor.course
        state, added = injected(course.state, request, max(1, course.state.round))
        self._floor.course = course.model_copy(update={"state": state})
        return added

    @inject_evidence.validator
    def _refuse_evidence(self, request: InjectEvidence) -> None:
        self._refuse_after_the_end()
        refuse_evidence(self._floor.course.state, request, self._inp.context.facts)

    @workflow.update(description="Show a withheld turn from now on; what it says enters the registries")
    def release_turn(self, request: ReleaseTurn) -> AgentResponse:
        """A person releases a turn that the safety evaluator withheld."""
        course, turn = self._floor.course, to_release(self._floor.course, request)
        self._floor.course, shown = hearing.released(course, self._inp, self._floor.names, turn, request.note)
        self._floor.show()
        return shown

    @release_turn.validator
    def _refuse_release(self, request: ReleaseTurn) -> None:
        self._refuse_after_the_end()
        to_release(self._floor.course, request)

    @workflow.update(description="Allow more rounds")
    def add_round(self, request: AddRound) -> Progress:
        """Allow more rounds."""
        self._floor.course = changes.prolonged(self._floor.course, request)
        self._floor.board.limit_rounds(self._floor.most_rounds)
        return self._floor.board.progress

    @add_round.validator
    def _refuse_round(self, request: AddRound) -> None:
        self._refuse_after_the_end()
        changes.refuse_rounds(self._floor.course, request)

    @workflow.update(description="Put another model behind a seat (p1 …, evaluator, summariser, judge, synthesiser)")
    def replace_participant(self, request: ReplaceParticipant) -> Progress:
        """Replace the model behind a seat; a call in flight there is closed, and a lost debater is asked again."""
        self._floor.replace(request.participant, request.model)
        return self._floor.board.progress

    @replace_participant.validator
    def _refuse_replacement(self, request: ReplaceParticipant) -> None:
        self._floor.seating.refuse_replacement(request.participant, request.model)
        if self._is_closing and request.participant not in {JUDGE, SYNTHESISER}:
            raise ValueError("the rounds are over; only judge and synthesiser are still asked")

    @workflow.update(description="End now with what there is; nothing more is asked or paid")
    def stop(self, request: StopRequest) -> Progress:
        """End the debate with what there is."""
        self._floor.seating.stop(request.reason)
        return self._floor.board.progress

    @stop.validator
    def _refuse_stop(self, request: StopRequest) -> None:  # noqa: ARG002 - as above
        if self._floor.is_stopped or self._floor.board.progress.stop_reason:
            raise ValueError("the debate has ended already")

    def _refuse_after_the_end(self) -> None:
        self._floor.seating.refuse_while_sharing()
        if self._floor.is_stopped or self._floor.board.progress.stop_reason:
            raise ValueError("the debate has ended already")

    async def _deliberate(self) -> StopReason:
        if self._inp.carried is not None:
            self._recalled = (await recall(self._begun.chapter_key, self._begun.said)).turns
        end = await self._hold_rounds()
        self._is_closing = True
        if not changes.is_synthesised(end):
            return end
        return await self._gates.shut() or await self._closing.write(end)

    async def _hold_rounds(self) -> StopReason:
        while True:
            following = await self._floor.hold_round()
            if self._floor.is_stopped:
                return "stopped"
            while following in {"release", "escalate"}:
                following = await (self._gates.release() if following == "release" else self._gates.escalate())
            if (end := changes.end_of(following)) is not None:
                return end
            if workflow.info().is_continue_as_new_suggested():
                await self._go_on_in_another_run()

    async def _go_on_in_another_run(self) -> None:
        """Continue as new, unless a person ends it in this very moment."""
        key, first, turns = self._begun.chapter_key, len(self._recalled), self._floor.turns
        await keep(chapter("debate", key, first, turns, self._floor.seating.lost))
        await workflow.wait_condition(workflow.all_handlers_finished)
        if not self._floor.is_stopped:
            workflow.logger.info("run_changed", extra={"rounds": len(self._floor.course.rounds)})
            carried = self._floor.handed_on(first + len(turns))
            # What a run wrote into its own memo is not carried over by itself.
            workflow.continue_as_new(self._inp.model_copy(update={"carried": carried}), memo=workflow.memo())

    async def _record(self, stop_reason: StopReason) -> DebateResult:
        floor = self._floor
        minutes = outcome.Minutes(
            course=floor.course,
            names=floor.names,
            synthesis=self._closing.synthesis,
            decision=self._closing.decision,
            synthesis_turn=next((turn for turn in floor.turns if turn.stage == SYNTHESIS and turn.counts), None),
            approval=self._gates.approval,
            remark=floor.seating.stopped or "",
        )
        result = outcome.conclude(
            self._inp,
            minutes,
            stop_reason,
            deliberation_id=workflow.info().workflow_id,
            progress=floor.board.progress,
            flaws=floor.seating.flaws,
            dice=floor.dice,
        )
        agreement = floor.course.rounds[-1].measures.agreement if floor.course.rounds else None
        result = floor.seating.with_sources(result)
        floor.board.end(stop_reason, degraded=result.degraded, verdict=result.verdict, agreement=agreement)
        await record(entry(self._inp, result, floor.seating.lost, started_at=self._begun.started_at))
        return result
