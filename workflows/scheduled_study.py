"""A scheduled study: a copy of the study for this time, and a batch of the copy."""

from temporalio import workflow

from protocols.study.model import BatchInput, BatchResult
from protocols.study.scheduled import ScheduledInput, StudyCopy, firing_name
from workflows.activity_calls import copy_study
from workflows.child_workflows import run_batch
from workflows.short_start import accepts_short_input


@workflow.defn(name="ScheduledStudy")
@accepts_short_input
class ScheduledStudyWorkflow:
    """One run of a schedule; it ends with its batch, so that runs need not overlap."""

    @workflow.init
    def __init__(self, inp: ScheduledInput) -> None:
        """Keep nothing: ``run`` has the argument."""

    @workflow.run
    async def run(self, inp: ScheduledInput) -> BatchResult:
        """Copy the study and run the copy."""
        info = workflow.info()
        moment = f"{inp.pattern}-{info.workflow_start_time:%Y%m%d-%H%M%S}"
        name = firing_name(inp.pattern, info.workflow_id) or moment
        copy = await copy_study(StudyCopy(pattern=inp.pattern, name=name))
        batch = BatchInput(study=name, title=inp.title, end=copy.instances, terms=copy.terms, rehearsal=inp.rehearsal)
        return await run_batch(batch.model_copy(update={"used_before": copy.used}))
