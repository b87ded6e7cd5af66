"""The modules that workflow code may import without reloading them for every run.

Temporal's sandbox loads the module of a workflow afresh for each run. Everything else it imports is either passed
through, which is fast and right for code without state, or loaded again, which costs a tenth of a second and
150 MB per hundred workflows for a package full of pydantic models. So a module that reaches the sandbox unlisted is an
error that names it, when the worker starts and not on the first busy day.
"""

from temporalio.worker.workflow_sandbox import SandboxedWorkflowRunner, SandboxRestrictions
from temporalio.workflow import SandboxImportNotificationPolicy as Policy

from runtime.distribution import own_module

_PASSED_THROUGH = (
    "protocols",
    "activities",
    "ledger",
    # What the schedules share; none of it defines a workflow, and the import rules keep it free of clock and I/O.
    "workflows.activity_calls",
    "workflows.batch_progress",
    "workflows.progress_board",
    "workflows.by_protocol",
    "workflows.child_workflows",
    "workflows.fire_circle_classifier",
    "workflows.debate_synthesis",
    "workflows.search_attributes",
    "workflows.deliberation",
    "workflows.web_ui_details",
    "workflows.debate_rounds",
    "workflows.debate_approvals",
    "workflows.long_deliberation",
    "workflows.consensus_rounds",
    "workflows.budget_client",
    "workflows.recording",
    "workflows.seats",
    "workflows.short_start",
    "workflows.type_names",
)
"""A name covers everything below it."""
PASSED_THROUGH = tuple(map(own_module, _PASSED_THROUGH))


def sandboxed(*more: str, passed_through: tuple[str, ...] = PASSED_THROUGH) -> SandboxedWorkflowRunner:
    """Return a workflow runner that passes ``passed_through`` and ``more`` through and refuses any other module."""
    restrictions = SandboxRestrictions.default.with_passthrough_modules(*passed_through, *more)
    strict = Policy.RAISE_ON_UNINTENTIONAL_PASSTHROUGH | Policy.WARN_ON_DYNAMIC_IMPORT
    return SandboxedWorkflowRunner(restrictions=restrictions.with_import_notification_policy(strict))
