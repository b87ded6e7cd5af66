"""The base classes of every protocol's workflow: queries, updates, stages, and how an end is recorded.

A protocol's workflow adds its stages, its result and the updates of its own. Temporal wants ``run`` and
``workflow.init`` on the class itself, so each workflow has both in a line or two.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Coroutine, Mapping, Sequence
from datetime import datetime
from typing import Any, ClassVar, Generic, Literal, NamedTuple, TypeVar

from temporalio import workflow
from temporalio.exceptions import ActivityError, ApplicationError, FailureError, is_cancelled_exception

from protocols.branch import UNDRAWN, BranchState, RandomDraws
from protocols.cited import by_seat
from protocols.deliberation import ContinueAsNewState, DeliberationInput, DeliberationResult, Ending, describe_failure
from protocols.further_calls import Unclear, always_clear
from protocols.model_call import Answered, Failed, LostCall, Spending, lost_call
from protocols.panel import Panel, Participant
from protocols.progress import Progress
from protocols.spending_cap import UNUSED
from protocols.transcript import Transcript, Turn
from protocols.update_requests import BudgetChange, ReplaceParticipant, StopRequest
from workflows.activity_calls import record_deliberation
from workflows.progress_board import ProgressBoard
from workflows.recording import deliberation_record
from workflows.seats import Build, Seats
from workflows.spending_limit import SpendingLimit

Input = TypeVar("Input", bound=DeliberationInput)
Result = TypeVar("Result", bound=DeliberationResult)
Reason = TypeVar("Reason", bound=str)


class StageReplies(NamedTuple):
    """The replies of one stage, in the order of its seats."""

    answers: tuple[Answered, ...]
    lost: tuple[LostCall, ...]


class Deliberation(ABC, Generic[Input, Result, Reason]):
    """One deliberation of one protocol in one run."""

    protocol: ClassVar[str]
    """The protocol's name."""
    failures: ClassVar[Mapping[Any, str]] = {}
    """The stop reasons that are failures, in words."""

    def __init__(
        self,
        inp: Input,
        stages: Sequence[str],
        *,
        draws: RandomDraws = UNDRAWN,
        panel: Panel | None = None,
        continued: ContinueAsNewState | None = None,
    ) -> None:
        """Prepare the run; ``continued`` is the state of an earlier run, ``panel`` replaces the panel of the input."""
        self._inp = inp
        self._draws = draws
        self._started_at: datetime | None = continued.started_at if continued else None
        self._board = ProgressBoard(
            self.protocol,
            inp.title,
            inp.question,
            stages,
            rehearsal=continued.rehearsal if continued else inp.panel.is_rehearsal,
            spent_before=continued.spent if continued else inp.spent_before,
            lost_before=continued.failed_models if continued else (),
        )
        cap, used = (continued.cap, continued.cap_used) if continued else (inp.cap, UNUSED)
        self._seats = Seats(
            continued.panel if continued else panel or inp.panel,
            self._board,
            inp.queues,
            SpendingLimit(cap, self._board, used),
            inp.branch,
            clarify=inp.clarify,
            flaws_before=continued.flaws if continued else (),
            cited_before=continued.cited if continued else (),
        )

    @workflow.query(description="Progress: round, stage, seats, what is waited for, tokens and cost")
    def state(self) -> Progress:
        """Return the progress."""
        return self._board.report()

    def current_details(self) -> str:
        """Return the details for the Web UI as Markdown."""
        return self._board.details()

    @workflow.query(description="All turns so far, in order")
    def transcript(self) -> Transcript:
        """Return all turns so far."""
        return Transcript(turns=tuple(self._turns_so_far()))

    @workflow.query(description="Calls, tokens and dollars so far")
    def cost(self) -> Spending:
        """Return what was used and paid so far."""
        return self._board.progress.spent

    @workflow.query(description="What a branch needs: the random draws, the completed rounds, the lost calls")
    def branch_state(self) -> BranchState:
        """Return what a branch of this deliberation needs; the stages of a council count as its rounds."""
        return self._seats.shared_rounds.branch_state(self._draws, self._rounds_completed(), self._seats.lost)

    @workflow.update(description="Replace the model of one seat; the query state lists the seats")
    def replace_participant(self, request: ReplaceParticipant) -> Progress:
        """Replace the model of a seat; a running call there is cancelled and put to the new model."""
        self._seats.limit.add_price(request.model, request.price)
        self._seats.replace_model(request.participant, request.model)
        return self._board.report()

    @replace_participant.validator
    def _validate_replacement(self, request: ReplaceParticipant) -> None:
        self._seats.refuse_replacement(request.participant, request.model)
        self._seats.limit.refuse_unpriced(request.model, request.price)
        self._refuse_replacement(request)

    @workflow.update(description="Stop now and keep the result so far; no further call is made")
    def stop(self, request: StopRequest) -> Progress:
        """Stop the deliberation and keep the result so far."""
        self._seats.stop(request.reason)
        return self._board.report()

    @stop.validator
    def _validate_stop(self, request: StopRequest) -> None:  # noqa: ARG002 - a validator takes what its update takes
        self._refuse_after_end()

    @workflow.update(description="Set other limits on what it may spend; one that waits for a higher budget continues")
    def set_budget(self, request: BudgetChange) -> Progress:
        """Set other limits; below what is used, no further call is made."""
        self._seats.limit.change(request)
        return self._board.report()

    @set_budget.validator
    def _refuse_budget(self, request: BudgetChange) -> None:
        self._refuse_after_end()
        request.refuse_contradiction()
        self._seats.limit.refuse_change(request)

    @abstractmethod
    async def _deliberate(self) -> Reason:
        """Run all stages and return the stop reason."""

    @abstractmethod
    def _turns_so_far(self) -> Sequence[Turn]:
        """Return all turns so far."""

    @abstractmethod
    def _conclude(self, ending: Ending[Reason]) -> Result:
        """Return the result."""

    def _failure(self, result: Result) -> str | None:
        """Return the message of a result that is a failure, else ``None``."""
        return describe_failure(result, self.failures)

    def _rounds_completed(self) -> int:
        """Return how many rounds a branch may share."""
        return 0

    def _refuse_replacement(self, request: ReplaceParticipant) -> None:
        """Refuse to replace the model of a seat that the protocol no longer asks."""

    def _refuse_after_end(self) -> None:
        """Refuse an update of a deliberation that has ended."""
        if self._is_stopped or self._board.progress.stop_reason:
            raise ValueError("the deliberation has ended already")

    def _refuse_change(self) -> None:
        """Refuse an update that changes the course of a deliberation."""
        self._seats.refuse_while_sharing()
        self._refuse_after_end()

    @property
    def _is_stopped(self) -> bool:
        return self._seats.stopped is not None

    async def _ask_stage(
        self,
        stage: str,
        seats: Sequence[Participant],
        build: Build,
        unclear: Unclear = always_clear,
        *,
        round_number: int = 1,
        is_divisible: bool = False,
    ) -> StageReplies:
        """Ask all ``seats`` at once, as one stage on the screen.

        Where the budget is too small for all calls none is made, or with ``is_divisible`` as many as fit.
        """
        self._board.open_stage(stage, seats, round_number=round_number)
        asked = [seat.id for seat in seats]
        replies = await self._seats.ask_all(stage, asked, build, unclear, is_divisible=is_divisible)
        answers = tuple(reply for reply in replies if isinstance(reply, Answered))
        lost = tuple(lost_call(reply, stage, round_number) for reply in replies if isinstance(reply, Failed))
        self._board.close_stage(stage)
        counts = {"stage": stage, "round": round_number, "answered": len(answers), "lost": len(lost)}
        workflow.logger.info("stage_closed", extra=counts)
        return StageReplies(answers, lost)

    def _end_after(self, replies: StageReplies) -> Literal["stopped", "participant_lost"] | None:
        """Return why the deliberation ends after a stage; ``None`` when it continues."""
        if self._is_stopped:
            return "stopped"
        return "participant_lost" if replies.lost and self._inp.failure_mode == "strict" else None

    async def _run_to_end(self) -> Result:
        """Run all stages, record the end, and return the result.

        Raises:
            ApplicationError: it failed; carries the result.
            CancelledError: it was cancelled, and recorded as such.
        """
        try:
            stop_reason: Any = self._named(await self._deliberate())
        except (ActivityError, asyncio.CancelledError) as error:
            if is_cancelled_exception(error):
                await _shielded(self._write_record("cancelled"))
            raise
        result = await _shielded(self._write_record(stop_reason))
        await workflow.wait_condition(workflow.all_handlers_finished)
        if message := self._failure(result):
            failure_type = f"{self.protocol}.{result.stop_reason}"
            raise ApplicationError(message, result, type=failure_type, non_retryable=True)
        return result

    def _named(self, end: Any) -> Any:
        """Return the stop reason; ``budget`` where no user ended it and further calls did not fit."""
        return "budget" if end == "stopped" and self._seats.limit.left_out else end

    def _ending(self, stop_reason: Any) -> Ending[Reason]:
        return Ending(
            deliberation_id=workflow.info().workflow_id,
            stop_reason=stop_reason,
            spent=self._board.progress.spent,
            rehearsal=self._board.progress.rehearsal,
            flaws=self._seats.flaws,
            cited=by_seat(self._seats.cited),
            budget=self._seats.limit.report,
            draws=self._draws,
        )

    async def _write_record(self, stop_reason: Any) -> Result:
        self._board.show(stop_reason=stop_reason)
        await self._seats.cancel_calls()
        result = self._conclude(self._ending(stop_reason))
        self._board.end(result)
        record = deliberation_record(self._inp, result, self._seats.lost, started_at=self._started_at)
        try:
            await record_deliberation(record)
        except ActivityError as error:
            if is_cancelled_exception(error):
                raise
            # The answers are paid: a ledger that will never take the record must not cost the verdict.
            message = f"it ended ({stop_reason}), and the ledger refused its record: {_reason(error)}"
            raise ApplicationError(message, result, type="deliberation.not_recorded", non_retryable=True) from error
        return result


def _reason(error: ActivityError) -> str:
    """Return the message of the failure within an activity's failure."""
    return error.cause.message if isinstance(error.cause, FailureError) else error.message


async def _shielded(recording: Coroutine[Any, Any, Result]) -> Result:
    """Wait for ``recording`` even when the run is cancelled: what has ended can no longer be cancelled."""
    task = asyncio.create_task(recording)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        return await task
