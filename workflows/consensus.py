"""The workflow of a consensus: its queries, updates and end.

``consensus_rounds`` has the rounds. The state between two rounds is small, so a consensus of many rounds continues as
new whenever Temporal suggests it. The secret from which nonces are made is drawn when the first run starts.
"""

from temporalio import workflow

from protocols.branch import RandomDraws
from protocols.consensus import results
from protocols.consensus.model import (
    STAGES,
    ConsensusInput,
    ConsensusResult,
    ConsensusState,
    ContinuedConsensus,
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


def _first_state(inp: ConsensusInput) -> ContinuedConsensus:
    """Return the state before the first round."""
    given = inp.given_draws
    return ContinuedConsensus(
        **first_state(inp, given.secret if given else f"{workflow.random().getrandbits(64):016x}"),
        course=ConsensusState(),
        max_rounds=inp.max_rounds,
        visual=VisualState(),
    )


@workflow.defn(name="Consensus")
@accepts_short_input
class ConsensusWorkflow(LongDeliberation[ConsensusInput, ConsensusResult, StopReason, ContinuedConsensus]):
    """One consensus on one question."""

    protocol = "consensus"
    failures = results.FAILURES
    _rounds: ConsensusRounds

    @workflow.init
    def __init__(self, inp: ConsensusInput) -> None:
        state = inp.carried or _first_state(inp)
        super().__init__(inp, STAGES, state, RandomDraws(secret=state.secret))
        self._rounds = ConsensusRounds(inp, state, self._board, self._seats)

    @workflow.run
    async def run(self, inp: ConsensusInput) -> ConsensusResult:  # noqa: ARG002 - __init__ has it already
        """Run all rounds and the curator; fail with one message when there can be no verdict."""
        return await self._run_to_end()

    @workflow.query(description="The visual state: round, bars, the three opinions, tokens and cost")
    def visual_state(self) -> VisualState:
        """Return the visual state (seed 004, "Visual Indicators Needed")."""
        return self._rounds.look()

    @workflow.query(description="The synchronisation events after the given number; all of them without one")
    def events(self, since: int = 0) -> tuple[SyncEvent, ...]:
        """Return the synchronisation points after number ``since``, in order."""
        return self._rounds.events.after(since)

    @workflow.update(description="Finish this round and begin no other")
    def stop_after_round(self, request: StopAfterRound) -> Progress:
        """Stop after this round; if all accept in it, the curator is still asked."""
        self._rounds.remark, self._rounds.is_last_round = request.reason, True
        return self._board.report()

    @stop_after_round.validator
    def _refuse_stop_after_round(self, request: StopAfterRound) -> None:  # noqa: ARG002 - as above
        self._refuse_after_end()
        self._refuse_without_further_rounds()
        if self._rounds.is_last_round:
            raise ValueError("this round is the last already")

    @workflow.update(description="Accept the present draft as the verdict now")
    def accept_draft(self, request: AcceptDraft) -> Progress:
        """Accept the present draft as the verdict."""
        self._rounds.is_accepted = True
        self._seats.stop(request.reason)
        return self._board.report()

    @accept_draft.validator
    def _refuse_acceptance(self, request: AcceptDraft) -> None:  # noqa: ARG002 - as above
        self._refuse_after_end()
        if self._rounds.course.draft is None:
            raise ValueError("there is no draft yet: the first answer is still being written")

    @workflow.update(description="Allow more rounds, 50 at most")
    def add_rounds(self, request: AddRounds) -> Progress:
        """Allow more rounds."""
        self._rounds.limit += request.rounds
        self._board.show(rounds=self._rounds.limit)
        return self._board.report()

    @add_rounds.validator
    def _refuse_limit(self, request: AddRounds) -> None:
        self._refuse_change()
        self._refuse_without_further_rounds()
        results.refuse_rounds(self._rounds.limit, request)

    def _refuse_replacement(self, request: ReplaceParticipant) -> None:
        results.refuse_replacement(self._board.progress.stage, request.participant)

    def _refuse_without_further_rounds(self) -> None:
        if self._rounds.is_agreed:
            raise ValueError("all accepted: there is no further round")

    async def _deliberate(self) -> StopReason:
        await self._load_earlier_turns()
        while (end := await self._rounds.run_round()) is None:
            await self._continue_as_new_if_suggested()
            if end := self._rounds.ended_by_a_person:
                return end
        return await self._rounds.curate() if end == "consensus" else end

    def _conclude(self, ending: Ending[StopReason]) -> ConsensusResult:
        return results.build_result(self._inp, self._rounds.record(self._earlier), ending)
