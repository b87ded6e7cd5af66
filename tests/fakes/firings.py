"""Firings of a schedule without a study: a ledger that copies nothing, and a batch that ends as the test asks."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from temporalio import activity, workflow
from temporalio.exceptions import ApplicationError
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import Worker

from protocols.study.model import Amount, BatchInput, BatchResult, Budget, Counts, RunSettings
from protocols.study.scheduled import CopiedStudy, StudyCopy
from protocols.task_queues import LEDGER_QUEUE
from tests.fakes.sandbox import prepared_once
from workflows.scheduled_study import ScheduledStudyWorkflow

TERMS = RunSettings(window=3, cap=Budget(usd=2.0))
USED = Amount(usd=0.5, tokens=20)


@workflow.defn(name="Batch")
class FakeBatch:
    """Holds nothing; what its title says happens to it."""

    @workflow.run
    async def run(self, inp: BatchInput) -> BatchResult:
        """Be over at once, fail, or wait to be cancelled."""
        if inp.title == "fails":
            raise ApplicationError("the budget has ended too early", type="batch.interrupted", non_retryable=True)
        if inp.title == "waits":
            await workflow.wait_condition(lambda: False)
        return BatchResult(study=inp.study, stop_reason="done", tally=Counts(completed=inp.end), terms=inp.terms)


class FakeCopies:
    """The ledger of the one study ``nightly``, four instances."""

    def __init__(self, *, busy: int = 0) -> None:
        self.asked: list[StudyCopy] = []
        self._busy = busy

    @activity.defn(name="copy_study")
    async def copy_study(self, request: StudyCopy) -> CopiedStudy:
        """Say what a copy has."""
        self.asked.append(request)
        if len(self.asked) <= self._busy:
            raise ApplicationError("the ledger is busy", type="store.busy")
        if request.pattern != "nightly":
            raise ApplicationError("no such study", type="study.missing", non_retryable=True)
        return CopiedStudy(instances=4, terms=TERMS, used=USED)

    @asynccontextmanager
    async def staff(self, env: WorkflowEnvironment, queue: str) -> AsyncIterator[None]:
        """A worker for firings and their batches on a queue of its own."""
        schedules = Worker(
            env.client,
            task_queue=queue,
            workflows=[ScheduledStudyWorkflow, FakeBatch],
            workflow_runner=prepared_once("tests"),
            workflow_failure_exception_types=[AssertionError, KeyError, TypeError, AttributeError],
        )
        async with schedules, Worker(env.client, task_queue=LEDGER_QUEUE, activities=[self.copy_study]):
            yield
