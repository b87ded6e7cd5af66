"""An iterative consensus as people meet it: how it begins, what may be asked of it, how it ends.

The rounds themselves are in ``loop``. It is at home in round 49 after a week: what a round needs of the past is small,
so the loop goes on in another run of the same workflow whenever Temporal suggests it; what was said is kept in the
ledger and recalled there. The only die, from which the nonces are made, is thrown when the first run starts.
"""

from temporalio import workflow

from protocols.branch import RandomDraws
from protocols.consensus import outcome
from protocols.consensus.model import (
    STAGES,
    Carried,
    ConsensusInput,
    ConsensusResult,
    Course,
    StopReason,
    SyncEvent,
    VisualState,
)
from protocols.deliberation import Ending
from protocols.progress import Progress
from protocols.update_requests import AcceptDraft, AddRounds, ReplaceParticipant, StopAfterRound
from workflows.consensus_rounds import ConsensusRounds
from workflows.long_deliberation import LongDeliberation, first_state
from workflows.short_start import accepts_short_input


def _begun(inp: ConsensusInput) -> Carried:
    """Where a consensus stands before its first round."""
    given = inp.given_dice
    return Carried(
        **first_state(inp, given.secret if given else f"{workflow.random().getrandbits(64):016x}"),
        course=Course(),
        max_rounds=inp.max_rounds,
        visual=VisualState(),
    )


@workflow.defn(name="Consensus")
@accepts_short_input
class ConsensusWorkflow(LongDeliberation[ConsensusInput, ConsensusResult, StopReason, Carried]):
    """One consensus on one question."""

    protocol = "consensus"

    @workflow.init
    def __init__(self, inp: ConsensusInput) -> None:
        state = inp.carried or _begun(inp)
        super().__init__(inp, STAGES, state, RandomDraws(secret=state.secret))
        self._loop = ConsensusRounds(inp, state, self._board, self._seating)

    @workflow.run
    async def run(self, inp: ConsensusInput) -> ConsensusResult:  # noqa: ARG002 - __init__ has it already
        """Hold the consensus; fails with one clear message when there can be no verdict."""
        return await self._run_to_end()

    @workflow.query(description="What is drawn: the round, the bars, the three opinions, tokens and cost")
    def visual_state(self) -> VisualState:
        """What is drawn (seed 004, "Visual Indicators Needed")."""
        return self._loop.look()

    @workflow.query(description="The moments at which a screen must change, those after the one of that number")
    def events(self, since: int) -> tuple[SyncEvent, ...]:
        """The synchronisation points after number ``since``, in order."""
        return self._loop.moments.after(since)

    @workflow.update(description="Let this round come to its end and begin no other")
    def stop_after_round(self, request: StopAfterRound) -> Progress:
        """End after this round, unless all accept in it: then the curator still comes."""
        self._loop.remark, self._loop.is_last_round = request.reason, True
        return self._board.progress

    @stop_after_round.validator
    def _refuse_stop_after_round(self, request: StopAfterRound) -> None:  # noqa: ARG002 - as above
        self._refuse_after_end()
        self._refuse_without_further_rounds()
        if self._loop.is_last_round:
            raise ValueError("this round is the last already")

    @workflow.update(description="Take the present draft for the verdict, now, on a person's word")
    def accept_draft(self, request: AcceptDraft) -> Progress:
        """A person ends it with the present draft; the result says so."""
        self._loop.is_accepted = True
        self._seating.stop(request.reason)
        return self._board.progress

    @accept_draft.validator
    def _refuse_acceptance(self, request: AcceptDraft) -> None:  # noqa: ARG002 - as above
        self._refuse_after_end()
        if self._loop.course.draft is None:
            raise ValueError("there is no draft yet: the first answer is still being written")

    @workflow.update(description="Allow more rounds, 50 at most")
    def add_rounds(self, request: AddRounds) -> Progress:
        """Allow more rounds."""
        self._loop.limit += request.rounds
        self._board.limit_rounds(self._loop.limit)
        return self._board.progress

    @add_rounds.validator
    def _refuse_limit(self, request: AddRounds) -> None:
        self._refuse_change()
        self._refuse_without_further_rounds()
        outcome.refuse_rounds(self._loop.limit, request)

    def _refuse_replacement(self, request: ReplaceParticipant) -> None:
        outcome.refuse_replacement(self._board.progress.stage, request.participant)

    def _refuse_without_further_rounds(self) -> None:
        if self._loop.is_agreed:
            raise ValueError("all accepted: there is no further round")

    @property
    def _rounds(self) -> ConsensusRounds:
        return self._loop

    async def _deliberate(self) -> StopReason:
        await self._load_earlier_turns()
        while (end := await self._loop.hold_round()) is None:
            await self._continue_as_new_if_suggested()
            if end := self._loop.ended_by_a_person:
                return end
        return await self._loop.curate() if end == "consensus" else end

    def _conclude(self, ending: Ending[StopReason]) -> ConsensusResult:
        return outcome.conclude(self._inp, self._loop.minutes(self._earlier), ending)

    def _failure(self, result: ConsensusResult) -> str | None:
        return outcome.failure(result)
