"""The sandbox of the schedules, for tests that make a worker each."""

from typing import Any

from temporalio.worker import WorkflowInstance, WorkflowInstanceDetails
from temporalio.worker.workflow_sandbox import SandboxedWorkflowRunner

from runtime.plugin import sandboxed

_prepared: set[type] = set()


class PreparedOnce(SandboxedWorkflowRunner):
    """A runner that tries every workflow in the sandbox once in this process, and not in every worker anew.

    A worker tries all its workflows when it is made, which took half of the time of a test that holds one. The SDK
    also enters the sandbox for every payload, to read from its own instance what the payload belongs to; that is read
    from outside here. Workflow code runs in the sandbox alone.
    """

    def create_instance(self, det: WorkflowInstanceDetails) -> WorkflowInstance:
        """Return a workflow in the sandbox."""
        instance: Any = super().create_instance(det)
        inside = instance.globals_and_locals["__temporal_in_sandbox"]
        instance.get_serialization_context = inside.get_serialization_context
        instance.get_external_store_context = inside.get_external_store_context
        return instance  # type: ignore[no-any-return]  # the SDK's class has no public name

    def prepare_workflow(self, defn: object) -> None:
        """Try the workflow, unless it was tried."""
        cls: type = defn.cls  # type: ignore[attr-defined]  # the SDK's class has no public name
        if cls not in _prepared:
            super().prepare_workflow(defn)  # type: ignore[arg-type]  # the same
            _prepared.add(cls)


def prepared_once(*more: str) -> SandboxedWorkflowRunner:
    """The sandbox of ``runtime.plugin``, with those economies; ``more`` is passed through too."""
    return PreparedOnce(restrictions=sandboxed(*more).restrictions)
