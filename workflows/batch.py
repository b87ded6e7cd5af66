"""A batch: the deliberations of a study, begun within a window and a budget, however many and however long.

It holds no deliberation itself. Shards do, a hundred instances each; the purse says who may begin; what travels up is
tallies. Only so many shards are open that the window is always filled. It goes on in another run when Temporal
suggests it and no shard is open, because shards and purse are children of the run that started them.
"""

import asyncio
from typing import Literal

from temporalio import workflow
from temporalio.common import WorkflowIDReusePolicy
from temporalio.exceptions import ChildWorkflowError, WorkflowAlreadyStartedError

from protocols.study import budget
from protocols.study.messages import BudgetStatus, ShardInput
from protocols.study.model import (
    BatchInput,
    BatchResult,
    BatchState,
    BudgetChange,
    Counts,
    Extension,
    PauseReason,
    PauseRequest,
    ResumeRequest,
    RunSettings,
    WindowChange,
)
from workflows.batch_progress import BatchProgress
from workflows.budget_client import BudgetClient, study_interrupted
from workflows.child_workflows import run_batch, start_child, study_attributes
from workflows.short_start import accepts_short_input


@workflow.defn(name="Batch")
@accepts_short_input
class BatchWorkflow:
    """One batch of one study."""

    @workflow.init
    def __init__(self, inp: BatchInput) -> None:
        self._inp = inp
        self._end, self._place = inp.last_place, inp.first + inp.begun
        self._tally = inp.tally
        self._begun_shards = self._done_shards = inp.done_shards
        self._phase: Literal["running", "closing", "done", "cancelled"] = "running"
        self._purser = BudgetClient(inp)
        self._shards: list[asyncio.Task[None]] = []
        self._is_stirred = False
        self._board = BatchProgress(inp.study, inp.title)

    @workflow.run
    async def run(self, inp: BatchInput) -> BatchResult:
        """Hold them all; what they came to.

        Raises:
            ApplicationError: the purse or a shard is gone; run again, the batch goes on where it stopped.
        """
        if inp.under_other_id:
            return await run_batch(inp.model_copy(update={"under_other_id": False}))
        stop_reason: Literal["done", "cancelled"] = "done"
        self._board.show(self.state())
        try:
            await self._purser.open()
            await self._hold_shards()
        except asyncio.CancelledError:
            stop_reason, self._phase = "cancelled", "cancelled"
            await self._call_off()
        await self._purser.shut()
        self._phase = stop_reason
        self._board.show(self.state())
        await workflow.wait_condition(workflow.all_handlers_finished)
        tally = budget.add_counts(inp.before, self._tally)
        return BatchResult(
            study=inp.study,
            stop_reason=stop_reason,
            tally=tally,
            terms=self._purser.terms,
            rehearsal=inp.rehearsal,
            outages=self._purser.standing.outages,
        )

    @workflow.query(description="How far it is, what it used, and why nothing begins, if so")
    def state(self) -> BatchState:
        """How far it is."""
        inp, standing = self._inp, self._purser.standing
        told = budget.add_counts(inp.tally, standing.tally)
        is_paused = standing.pause is not None and self._phase == "running"
        to_come = budget.shard_count(max(0, self._end - self._place))
        return BatchState(
            study=inp.study,
            phase="paused" if is_paused else self._phase,
            pause=standing.pause if is_paused else None,
            instances=inp.before.ended + self._end - inp.first,
            in_flight=standing.in_flight,
            waiting=standing.waiting,
            shards=self._begun_shards + to_come,
            shards_done=self._done_shards,
            # The purse hears of each instance, but late; a shard tells at its end, and then for certain.
            tally=budget.add_counts(inp.before, max(told, self._tally, key=lambda tally: tally.ended)),
            reserved=standing.reserved,
            used=standing.used,
            terms=self._purser.terms,
            rehearsal=inp.rehearsal,
            outages=standing.outages,
            failure_jump=standing.failure_jump,
        )

    @workflow.signal(description="From the purse: how it stands")
    def stand(self, standing: BudgetStatus) -> None:
        """Shown from now on."""
        self._purser.hear(standing)
        self._board.show(self.state())

    @workflow.update(description="Begin nothing more; what runs goes on")
    async def pause(self, request: PauseRequest) -> BatchState:
        """Begin nothing more."""
        said = request.reason or "A person paused it"
        reason = f"{said.rstrip('. ')}. To go on: parley batch resume {self._inp.study}"
        return await self._order(pause=PauseReason(cause="person", reason=reason))

    @pause.validator
    def _refuse_pause(self, request: PauseRequest) -> None:  # noqa: ARG002 - a validator takes what its update takes
        self._refuse_after_the_end()
        pause = self._purser.standing.pause
        if pause is not None and pause.cause != "provider":
            raise ValueError(f"it is paused already ({pause.cause}): {pause.reason}")

    @workflow.update(description="Go on: what was wrong is put right")
    async def resume(self, request: ResumeRequest) -> BatchState:  # noqa: ARG002 - there is nothing to say
        """Go on."""
        return await self._order(resume=True)

    @resume.validator
    def _refuse_resumption(self, request: ResumeRequest) -> None:  # noqa: ARG002 - as above
        self._refuse_after_the_end()
        pause = self._purser.standing.pause
        if pause is None:
            raise ValueError("it is not paused")
        if pause.cause == "budget" or budget.is_used_up(self._purser.terms.cap, self._purser.standing.used):
            raise ValueError(f"the budget is used up; raise it: parley batch budget {self._inp.study} --usd Y")

    @workflow.update(description="Set other limits on what the study may use, in dollars and in tokens")
    async def set_budget(self, request: BudgetChange) -> BatchState:
        """Set other limits; below what is used nothing more begins."""
        cap = budget.change_budget(self._purser.terms.cap, request)
        return await self._order(terms=self._purser.terms.model_copy(update={"cap": cap}))

    @set_budget.validator
    def _refuse_budget(self, request: BudgetChange) -> None:
        self._refuse_after_the_end()
        if request == BudgetChange():
            raise ValueError("nothing is to be changed: name a limit in dollars (--usd) or in tokens (--tokens)")
        if (request.usd and request.any_usd) or (request.tokens and request.any_tokens):
            raise ValueError("a limit cannot be set and taken away at once")

    @workflow.update(description="Set how many deliberations run at once")
    async def set_window(self, request: WindowChange) -> BatchState:
        """Set how many run at once; those in flight above a smaller window come to their end."""
        return await self._order(terms=self._purser.terms.model_copy(update={"window": request.window}))

    @set_window.validator
    def _refuse_window(self, request: WindowChange) -> None:  # noqa: ARG002 - as above
        self._refuse_after_the_end()

    @workflow.update(description="The study has more instances now: hold these as well")
    def extend(self, request: Extension) -> BatchState:
        """Go on to another end."""
        self._end = request.end
        self._is_stirred = True
        self._board.show(self.state())
        return self.state()

    @extend.validator
    def _refuse_extension(self, request: Extension) -> None:
        self._refuse_after_the_end()
        if self._inp.only is not None:
            raise ValueError("this batch holds listed instances again; extend the study when it has ended")
        if request.end <= self._end:
            raise ValueError(f"it goes to instance {self._end} already, and an extension only adds")

    def _refuse_after_the_end(self) -> None:
        if self._phase != "running":
            raise ValueError(f"the batch is {self._phase}: nothing more begins. To go on: parley batch run")

    async def _order(
        self, *, terms: RunSettings | None = None, pause: PauseReason | None = None, resume: bool = False
    ) -> BatchState:
        """Have the purse obey, and return how things stand then."""
        await self._purser.order(terms=terms, pause=pause, resume=resume)
        self._is_stirred = True
        self._board.show(self.state())
        return self.state()

    async def _hold_shards(self) -> None:
        while True:
            self._fail_with_what_failed()
            if not workflow.info().is_continue_as_new_suggested():
                self._open_shards()
            if not self._shards and self._place >= self._end:
                self._phase = "closing"
                return
            if not self._shards:
                await self._go_on_in_another_run()
            self._board.show(self.state())
            await workflow.wait_condition(self._is_something_new)
            self._is_stirred = False

    def _is_something_new(self) -> bool:
        return self._is_stirred or self._purser.has_ended or any(shard.done() for shard in self._shards)

    def _fail_with_what_failed(self) -> None:
        if self._purser.has_ended:
            raise study_interrupted("the purse has ended too early")
        ended = [shard for shard in self._shards if shard.done()]
        self._shards = [shard for shard in self._shards if not shard.done()]
        for shard in ended:
            shard.result()

    def _open_shards(self) -> None:
        while self._place < self._end and len(self._shards) < budget.shard_limit(self._purser.terms.window):
            numbers = budget.shard_numbers(self._inp, self._place, self._end)
            self._place, self._begun_shards = self._place + len(numbers), self._begun_shards + 1
            self._shards.append(asyncio.create_task(self._hold_shard(self._begun_shards, numbers)))

    async def _hold_shard(self, number: int, numbers: tuple[int, ...]) -> None:
        inp = self._inp
        shard = ShardInput(
            study=inp.study,
            number=number,
            numbers=numbers,
            purse_id=self._purser.id,
            priority=self._purser.terms.priority,
            again=inp.again,
        )
        try:
            child = await start_child(
                "Shard",
                shard,
                id=f"{inp.study}/shard-{number:04}",
                result_type=Counts,
                id_reuse_policy=WorkflowIDReusePolicy.ALLOW_DUPLICATE,
                search_attributes=study_attributes(inp.study),
                static_summary=f"Shard {number}: {len(numbers)} instances of {inp.study}",
            )
            tally: Counts = await child
        except WorkflowAlreadyStartedError:
            raise study_interrupted(f"another shard {number} runs; it must end first") from None
        except ChildWorkflowError as error:
            raise study_interrupted(f"shard {number} has failed ({error.cause})") from error
        self._tally, self._done_shards = budget.add_counts(self._tally, tally), self._done_shards + 1
        if tally.ended < len(numbers) and self._phase == "running":
            raise study_interrupted(f"shard {number} was cancelled")

    async def _call_off(self) -> None:
        """Cancel the shards, and wait until everything in flight is cancelled and recorded."""
        for shard in self._shards:
            shard.cancel()
        if self._shards:
            await workflow.wait(self._shards)
        for shard in self._shards:
            if not shard.cancelled() and (error := shard.exception()):
                workflow.logger.warning("shard_failed", extra={"reason": str(error)})

    async def _go_on_in_another_run(self) -> None:
        await self._purser.shut()
        await workflow.wait_condition(workflow.all_handlers_finished)
        workflow.continue_as_new(
            self._inp.model_copy(
                update={
                    "end": self._inp.end if self._inp.only else self._end,
                    "terms": self._purser.terms,
                    "used_before": self._purser.standing.used,
                    "done_shards": self._done_shards,
                    "begun": self._place - self._inp.first,
                    "tally": self._tally,
                    "pause": self._purser.standing.pause,
                    "outages": self._purser.standing.outages,
                }
            )
        )
