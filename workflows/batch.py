"""A batch: all deliberations of a study, started within a window and a budget.

It runs no deliberation itself. Shards do, a hundred instances each; the budget workflow issues permits; only counts
travel up. As many shards are open as fill the window. The batch continues as new when Temporal suggests it and no shard
is open, because shards and budget are children of the run that started them.
"""

import asyncio
from typing import Literal

from temporalio import workflow
from temporalio.common import WorkflowIDReusePolicy
from temporalio.exceptions import ApplicationError, ChildWorkflowError, WorkflowAlreadyStartedError

from protocols.plurals import counted
from protocols.study import budget
from protocols.study.messages import BudgetStatus, ShardInput
from protocols.study.model import (
    BatchInput,
    BatchResult,
    BatchState,
    Counts,
    Extension,
    PauseReason,
    PauseRequest,
    ResumeRequest,
    RunSettings,
    WindowChange,
    add_counts,
)
from protocols.update_requests import BudgetChange
from workflows import batch_progress
from workflows.activity_calls import refuse_unknown_instance
from workflows.budget_client import BudgetClient, study_interrupted
from workflows.child_start import is_reset, start_child
from workflows.child_workflows import run_batch, study_attributes
from workflows.search_attributes import Columns
from workflows.short_start import accepts_short_input


@workflow.defn(name="Batch")
@accepts_short_input
class BatchWorkflow:
    """One batch of one study."""

    @workflow.init
    def __init__(self, inp: BatchInput) -> None:
        self._inp = inp.model_copy(update={"again": inp.again or is_reset()})  # their answers are in the journal
        self._only, self._tally = inp.only, inp.tally
        self._end, self._place = inp.last_place, inp.first + inp.assigned
        self._started_shards = self._done_shards = inp.done_shards
        self._phase: Literal["running", "closing", "done", "cancelled"] = "running"
        self._budget = BudgetClient(inp)
        self._shards: list[asyncio.Task[None]] = []
        self._is_changed, self._columns = False, Columns()

    @workflow.run
    async def run(self, inp: BatchInput) -> BatchResult:
        """Run all instances and return their counts.

        Raises:
            ApplicationError: budget or shard ended early; a new run of the batch resumes where it stopped.
        """
        if inp.under_other_id:
            return await run_batch(self._inp.model_copy(update={"under_other_id": False}))
        stop_reason: Literal["done", "cancelled"] = "done"
        self._shown()
        try:
            if is_reset() and workflow.patched("left-behind"):
                await self._budget.end_left_behind(self.state().shards)
            await self._budget.open()
            await self._run_shards()
        except asyncio.CancelledError:
            stop_reason, self._phase = "cancelled", "cancelled"
            await self._cancel_shards()
        await self._budget.close()
        self._phase = stop_reason
        self._shown()
        await workflow.wait_condition(workflow.all_handlers_finished)
        return BatchResult(
            study=inp.study,
            stop_reason=stop_reason,
            tally=add_counts(inp.before, self._tally),
            terms=self._budget.terms,
            rehearsal=inp.rehearsal,
            outages=self._budget.status.outages,
        )

    @workflow.query(description="Progress: counts, spending, and the reason of a pause")
    def state(self) -> BatchState:
        """Return the progress of the batch."""
        inp, status = self._inp, self._budget.status
        counts = add_counts(inp.tally, status.tally)
        is_paused = status.pause is not None and self._phase == "running"
        return BatchState(
            study=inp.study,
            phase="paused" if is_paused else self._phase,
            pause=status.pause if is_paused else None,
            instances=self._instances,
            in_flight=status.in_flight,
            waiting=status.waiting,
            shards=self._started_shards + budget.shard_count(max(0, self._end - self._place)),
            shards_done=self._done_shards,
            # The budget learns of each instance late; a shard reports at its end, and then for certain.
            tally=add_counts(inp.before, max(counts, self._tally, key=lambda tally: tally.ended)),
            reserved=status.reserved,
            used=status.used,
            terms=self._budget.terms,
            rehearsal=inp.rehearsal,
            outages=status.outages,
            failure_jump=status.failure_jump,
            learned=status.learned,
        )

    def current_details(self) -> str:
        """Return the details for the Web UI as Markdown."""
        return batch_progress.render(self.state(), self._inp.title)

    @workflow.signal(description="From the budget: its status")
    def budget_status(self, status: BudgetStatus) -> None:
        """Take over the budget's status and show it."""
        self._budget.receive(status)
        self._shown()

    @workflow.update(description="Start no further deliberation; running ones continue")
    async def pause(self, request: PauseRequest) -> BatchState:
        """Start no further deliberation."""
        said = request.reason or "A user paused it"
        reason = f"{said.rstrip('. ')}. Resume it with: parley batch resume {self._inp.study}"
        return await self._change(pause=PauseReason(cause="person", reason=reason))

    @pause.validator
    def _refuse_pause(self, request: PauseRequest) -> None:  # noqa: ARG002 - a validator takes what its update takes
        self._refuse_after_the_end()
        if (pause := self._budget.status.pause) and pause.cause != "provider":
            raise ValueError(f"it is paused already ({pause.cause}): {pause.reason}")

    @workflow.update(description="Resume after a pause")
    async def resume(self, request: ResumeRequest) -> BatchState:  # noqa: ARG002 - there is nothing to say
        """Resume a paused batch."""
        return await self._change(resume=True)

    @resume.validator
    def _refuse_resumption(self, request: ResumeRequest) -> None:  # noqa: ARG002 - as above
        self._refuse_after_the_end()
        if (pause := self._budget.status.pause) is None:
            raise ValueError("it is not paused")
        if pause.cause == "budget" or budget.is_used_up(self._budget.terms.cap, self._budget.status.used):
            raise ValueError(f"the budget is used up; raise it: parley batch budget {self._inp.study} --usd Y")

    @workflow.update(description="Set other limits on what the study may use, in dollars and in tokens")
    async def set_budget(self, request: BudgetChange) -> BatchState:
        """Set other limits; below what is used, no further deliberation starts."""
        cap = budget.change_budget(self._budget.terms.cap, request)
        return await self._change(terms=self._budget.terms.model_copy(update={"cap": cap}))

    @set_budget.validator
    def _refuse_budget(self, request: BudgetChange) -> None:
        self._refuse_after_the_end()
        request.refuse_contradiction()

    @workflow.update(description="Set how many deliberations run at once")
    async def set_window(self, request: WindowChange) -> BatchState:
        """Set how many run at once; those in flight above a smaller window are not interrupted."""
        return await self._change(terms=self._budget.terms.model_copy(update={"window": request.window}))

    @set_window.validator
    def _refuse_window(self, request: WindowChange) -> None:  # noqa: ARG002 - as above
        self._refuse_after_the_end()

    @workflow.update(description="Run the instances that were added to the study as well")
    async def extend(self, request: Extension) -> BatchState:
        """Extend the batch to another last instance, if the ledger has it; a repeated request changes nothing."""
        if workflow.patched("extension-checked"):
            await refuse_unknown_instance(self._inp.study, request.end - 1)
            self._refuse_after_the_end()
        added = range(self._instances, request.end)
        self._end += len(added)
        if self._only is not None:
            self._only += tuple(added)
        self._is_changed = True
        return self._shown()

    @extend.validator
    def _refuse_extension(self, request: Extension) -> None:
        self._refuse_after_the_end()
        if request.end < self._instances:
            raise ValueError(f"it goes to instance {self._instances} already, and an extension only adds")

    @property
    def _instances(self) -> int:
        """The instances of the whole study: those that ended in earlier batches, and those of this one."""
        return self._inp.before.ended + self._end - self._inp.first

    def _refuse_after_the_end(self) -> None:
        if self._phase != "running":
            raise ApplicationError(f"the batch is {self._phase}: nothing more starts. Continue with: parley batch run")

    async def _change(
        self, *, terms: RunSettings | None = None, pause: PauseReason | None = None, resume: bool = False
    ) -> BatchState:
        """Apply a change to the budget and return the state after it."""
        await self._budget.change(terms=terms, pause=pause, resume=resume)
        self._is_changed = True
        return self._shown()

    def _shown(self) -> BatchState:
        """Write the columns that have changed and return the state."""
        state = self.state()
        self._columns.write(batch_progress.columns(state, self._inp.title))
        return state

    async def _run_shards(self) -> None:
        while True:
            self._raise_failures()
            if not workflow.info().is_continue_as_new_suggested():
                self._open_shards()
            if not self._shards and self._place >= self._end:
                self._phase = "closing"
                return
            if not self._shards:
                await self._continue_as_new()
            self._shown()
            await workflow.wait_condition(
                lambda: self._is_changed or self._budget.has_ended or any(shard.done() for shard in self._shards)
            )
            self._is_changed = False

    def _raise_failures(self) -> None:
        if self._budget.has_ended:
            raise study_interrupted("the budget workflow has ended too early")
        for shard in [one for one in self._shards if one.done()]:
            self._shards.remove(shard)
            shard.result()

    def _open_shards(self) -> None:
        while self._place < self._end and len(self._shards) < budget.shard_limit(self._budget.terms.window):
            numbers = budget.shard_numbers(self._only, self._place, self._end)
            self._place, self._started_shards = self._place + len(numbers), self._started_shards + 1
            self._shards.append(asyncio.create_task(self._run_shard(self._started_shards, numbers)))

    async def _run_shard(self, number: int, numbers: tuple[int, ...]) -> None:
        inp = self._inp
        shard = ShardInput(
            study=inp.study,
            number=number,
            numbers=numbers,
            budget_id=self._budget.id,
            priority=self._budget.terms.priority,
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
                static_summary=f"Shard {number}: {counted(len(numbers), 'instance')} of {inp.study}",
            )
            tally: Counts = await child
        except WorkflowAlreadyStartedError:
            raise study_interrupted(f"another shard {number} runs; it must end first") from None
        except ChildWorkflowError as error:
            raise study_interrupted(f"shard {number} has failed ({error.cause})") from error
        self._tally, self._done_shards = add_counts(self._tally, tally), self._done_shards + 1
        if tally.ended < len(numbers) and self._phase == "running":
            raise study_interrupted(f"shard {number} was cancelled")

    async def _cancel_shards(self) -> None:
        """Cancel the shards, and wait until everything in flight is cancelled and recorded."""
        for shard in self._shards:
            shard.cancel()
        if self._shards:
            await workflow.wait(self._shards)
        for shard in self._shards:
            if not shard.cancelled() and (error := shard.exception()):
                workflow.logger.warning("shard_failed", extra={"reason": str(error)})

    async def _continue_as_new(self) -> None:
        await self._budget.close()
        await workflow.wait_condition(workflow.all_handlers_finished)
        status = self._budget.status
        workflow.continue_as_new(
            self._inp.model_copy(
                update={
                    "end": self._end,
                    "only": self._only,
                    "terms": self._budget.terms,
                    "used_before": status.used,
                    "done_shards": self._done_shards,
                    "assigned": self._place - self._inp.first,
                    "tally": self._tally,
                    "pause": status.pause,
                    "outages": status.outages,
                    "learned": status.learned,
                }
            )
        )
