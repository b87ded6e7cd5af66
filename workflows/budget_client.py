"""The batch's client for the budget workflow: start it, forward changes, receive its status, close it."""

import asyncio
from contextlib import suppress
from datetime import timedelta
from typing import Any

from temporalio import workflow
from temporalio.common import WorkflowIDReusePolicy
from temporalio.exceptions import ApplicationError, ChildWorkflowError, FailureError, WorkflowAlreadyStartedError
from temporalio.workflow import ChildWorkflowHandle, ParentClosePolicy

from protocols.study import budget
from protocols.study.messages import BudgetInput, BudgetStatus, RunChange
from protocols.study.model import Amount, BatchInput, PauseReason, RunSettings
from protocols.study.outages import Outage, ProviderWatch
from workflows.child_start import start_child
from workflows.child_workflows import signal_if_running, study_attributes

_PATIENCE = timedelta(seconds=10)
"""How long an update waits until a change is applied."""


class BudgetClient:
    """The budget of one run of a batch, from the side of the batch."""

    def __init__(self, inp: BatchInput) -> None:
        self._study = inp.study
        self._run = f"{workflow.random().getrandbits(64):016x}"
        """The name of this run of the batch for its budget; it stays when the run is reset, and so does its budget."""
        self.id = f"{inp.study}/budget"
        self.terms = inp.terms
        """The latest settings of a user."""
        self._learned = inp.learned
        self.status = budget.budget_status(self._input(inp.pause, inp.used_before, inp.outages))
        """The latest known status."""
        self._changes = 0
        self._child: ChildWorkflowHandle[Any, BudgetStatus] | None = None
        self._is_closed = False

    @property
    def has_ended(self) -> bool:
        """True once the budget workflow has ended."""
        return self._child is not None and self._child.done()

    async def end_left_behind(self, shards: int) -> None:
        """Cancel the budget workflow and the ``shards`` that still run: a reset of their batch does not end them."""
        for workflow_id in (*(f"{self._study}/shard-{number:04}" for number in range(1, shards + 1)), self.id):
            with suppress(FailureError):  # it has ended, or never began
                await workflow.get_external_workflow_handle(workflow_id).cancel()

    async def open(self) -> None:
        """Start the budget workflow.

        Raises:
            ApplicationError: another one runs.
            asyncio.CancelledError: the batch was cancelled before the budget workflow started.
        """
        try:
            self._child = await start_child(
                "Budget",
                self._input(self.status.pause, self.status.used, self.status.outages),
                id=self.id,
                result_type=BudgetStatus,
                id_reuse_policy=WorkflowIDReusePolicy.ALLOW_DUPLICATE,
                parent_close_policy=ParentClosePolicy.TERMINATE,
                search_attributes=study_attributes(self._study),
                static_summary=f"Budget and window of {self._study}",
            )
        except WorkflowAlreadyStartedError:
            raise study_interrupted(
                f"another budget workflow runs under the id {self.id!r}; it must end first"
            ) from None

    async def change(
        self, *, terms: RunSettings | None = None, pause: PauseReason | None = None, resume: bool = False
    ) -> None:
        """Send a change to the budget workflow and wait until it is applied."""
        self.terms = terms or self.terms
        self._changes += 1
        change = RunChange(number=self._changes, terms=terms, pause=pause, resume=resume)
        await workflow.wait_condition(lambda: self._child is not None or self._is_closed)
        if self._is_closed:
            # There is none between two runs: the next one begins with what was changed.
            state = budget.apply_change(self._input(self.status.pause, self.status.used, self.status.outages), change)
            self.status = self.status.model_copy(update={"pause": state.pause})
        elif await signal_if_running(self.id, "change", change):
            await self._wait_until_applied(change.number)

    def receive(self, status: BudgetStatus) -> None:
        """Take over a status, unless it comes late: then the final status, or that of another run, is newer."""
        # The id of the run is the name that an older version gave it.
        if status.batch_run in {self._run, workflow.info().run_id} and not self._is_closed:
            self.status = status

    async def close(self) -> None:
        """Close the budget workflow once pending changes are applied, and keep its final status.

        Raises:
            ApplicationError: it was gone already.
        """
        if self._child is None:
            self._is_closed = True
            return
        await workflow.wait_condition(workflow.all_handlers_finished)
        self._is_closed = True
        await signal_if_running(self.id, "close")
        try:
            last = await asyncio.shield(self._child)
        except ChildWorkflowError as error:
            raise study_interrupted("the budget workflow has ended too early") from error
        pause = last.pause if last.orders == self._changes else self.status.pause
        is_over = pause is not None and pause.cause == "provider"
        self.status = last.model_copy(update={"pause": None if is_over else pause})

    async def _wait_until_applied(self, number: int) -> None:
        try:
            await workflow.wait_condition(lambda: self.status.orders >= number, timeout=_PATIENCE)
        except TimeoutError:
            workflow.logger.warning("budget_is_slow", extra={"change": number})

    def _input(self, pause: PauseReason | None, used: Amount, outages: tuple[Outage, ...]) -> BudgetInput:
        return BudgetInput(
            study=self._study,
            batch_id=workflow.info().workflow_id,
            batch_run=self._run,
            terms=self.terms,
            used=used,
            pause=pause,
            watch=ProviderWatch(outages=outages),
            learned=self._learned,
        )


def study_interrupted(what: str) -> ApplicationError:
    """Return the failure of a batch that cannot continue by itself; completed results are kept."""
    said = f"{what}. Completed results are kept; continue with: parley batch run"
    return ApplicationError(said, type="study.interrupted", non_retryable=True)
