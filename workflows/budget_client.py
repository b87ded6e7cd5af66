"""A batch's dealings with its purse: open it, pass on what a person changed, hear how it stands, shut it."""

import asyncio
from datetime import timedelta
from typing import Any

from temporalio import workflow
from temporalio.common import WorkflowIDReusePolicy
from temporalio.exceptions import ApplicationError, ChildWorkflowError, WorkflowAlreadyStartedError
from temporalio.workflow import ChildWorkflowHandle, ParentClosePolicy

from protocols.study import budget
from protocols.study.messages import BudgetInput, BudgetStatus, RunChange
from protocols.study.model import Amount, BatchInput, PauseReason, RunSettings
from protocols.study.outages import Outage, ProviderWatch
from workflows.child_workflows import signal_if_running, start_child, study_attributes

_PATIENCE = timedelta(seconds=10)
"""How long an update waits until the purse has obeyed."""


class BudgetClient:
    """The purse of one run of a batch, as the batch knows it."""

    def __init__(self, inp: BatchInput) -> None:
        self._study = inp.study
        self.id = f"{inp.study}/purse"
        self.terms = inp.terms
        """As a person set them last."""
        self.standing = budget.budget_status(self._input(inp.pause, inp.used_before, inp.outages))
        """How it stands, as far as is known."""
        self._orders = 0
        self._child: ChildWorkflowHandle[Any, BudgetStatus] | None = None
        self._is_shut = False

    @property
    def has_ended(self) -> bool:
        """Whether the purse came to an end, whoever caused that."""
        return self._child is not None and self._child.done()

    async def open(self) -> None:
        """Start the purse.

        Raises:
            ApplicationError: another one runs.
            asyncio.CancelledError: the batch was called off before the purse began.
        """
        try:
            self._child = await start_child(
                "Purse",
                self._input(self.standing.pause, self.standing.used, self.standing.outages),
                id=self.id,
                result_type=BudgetStatus,
                id_reuse_policy=WorkflowIDReusePolicy.ALLOW_DUPLICATE,
                parent_close_policy=ParentClosePolicy.TERMINATE,
                search_attributes=study_attributes(self._study),
                static_summary=f"Who may begin in {self._study}",
            )
        except WorkflowAlreadyStartedError:
            raise study_interrupted(f"another purse runs under the id {self.id!r}; it must end first") from None

    async def order(
        self, *, terms: RunSettings | None = None, pause: PauseReason | None = None, resume: bool = False
    ) -> None:
        """Have the purse obey, and wait until it has."""
        self.terms = terms or self.terms
        self._orders += 1
        order = RunChange(number=self._orders, terms=terms, pause=pause, resume=resume)
        await workflow.wait_condition(lambda: self._child is not None or self._is_shut)
        if self._is_shut:
            # There is none between two runs: the next one begins with what was changed.
            state = budget.apply_change(
                self._input(self.standing.pause, self.standing.used, self.standing.outages), order
            )
            self.standing = self.standing.model_copy(update={"pause": state.pause})
        elif await signal_if_running(self.id, "order", order):
            await self._obeyed(order.number)

    def hear(self, standing: BudgetStatus) -> None:
        """Take over how it stands. What comes late is no longer true: its result was later, or another run's is."""
        if standing.batch_run == workflow.info().run_id and not self._is_shut:
            self.standing = standing

    async def shut(self) -> None:
        """Have it end after the orders that are on their way to it, and take over its last word.

        Raises:
            ApplicationError: it was gone already.
        """
        if self._child is None:
            self._is_shut = True
            return
        await workflow.wait_condition(workflow.all_handlers_finished)
        self._is_shut = True
        await signal_if_running(self.id, "close")
        try:
            last = await asyncio.shield(self._child)
        except ChildWorkflowError as error:
            raise study_interrupted("the purse has ended too early") from error
        pause = last.pause if last.orders == self._orders else self.standing.pause
        is_over = pause is not None and pause.cause == "provider"
        self.standing = last.model_copy(update={"pause": None if is_over else pause})

    async def _obeyed(self, number: int) -> None:
        try:
            await workflow.wait_condition(lambda: self.standing.orders >= number, timeout=_PATIENCE)
        except TimeoutError:
            workflow.logger.warning("purse_is_slow", extra={"order": number})

    def _input(self, pause: PauseReason | None, used: Amount, outages: tuple[Outage, ...]) -> BudgetInput:
        info = workflow.info()
        return BudgetInput(
            study=self._study,
            batch_id=info.workflow_id,
            batch_run=info.run_id,
            terms=self.terms,
            used=used,
            pause=pause,
            watch=ProviderWatch(outages=outages),
        )


def study_interrupted(what: str) -> ApplicationError:
    """Why a batch cannot go on by itself; nothing that was held is lost."""
    said = f"{what}. What was held is kept, and the study goes on with: parley batch run"
    return ApplicationError(said, type="study.interrupted", non_retryable=True)
