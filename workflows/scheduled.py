"""A study held by a schedule: a copy of it under the moment's name, and a batch that holds the copy."""

from temporalio import workflow
from temporalio.common import Priority, WorkflowIDReusePolicy

from protocols.study.model import BatchInput, BatchResult
from protocols.study.scheduled import ScheduledInput, StudyCopy, firing_name
from workflows.asking import copied
from workflows.children import begin, belonging_to


@workflow.defn(name="ScheduledStudy")
class ScheduledStudyWorkflow:
    """One firing of a schedule; it is over when its batch is, so that firings need not overlap."""

    @workflow.run
    async def run(self, inp: ScheduledInput) -> BatchResult:
        """Enter the copy and hold it.

        Raises:
            temporalio.exceptions.ActivityError: the study is not in the ledger any more.
            temporalio.exceptions.ChildWorkflowError: its batch failed.
        """
        info = workflow.info()
        moment = f"{inp.pattern}-{info.workflow_start_time:%Y%m%d-%H%M%S}"
        name = firing_name(inp.pattern, info.workflow_id) or moment
        copy = await copied(StudyCopy(pattern=inp.pattern, name=name))
        workflow.set_current_details(f"### Holds the study {name}\n\n{copy.instances:,} deliberations")
        batch = BatchInput(study=name, title=inp.title, end=copy.instances, terms=copy.terms, rehearsal=inp.rehearsal)
        child = await begin(
            "Batch",
            batch,
            id=name,
            result_type=BatchResult,
            id_reuse_policy=WorkflowIDReusePolicy.ALLOW_DUPLICATE,
            priority=Priority(priority_key=1),
            search_attributes=belonging_to(name),
            static_summary=f"{'Rehearsal · ' if inp.rehearsal else ''}Batch · {inp.title}"[:200],
        )
        held: BatchResult = await child
        return held
