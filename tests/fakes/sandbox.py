"""The sandbox of the schedules, for tests that make a worker each."""

from temporalio.worker.workflow_sandbox import SandboxedWorkflowRunner

from runtime.sandbox import sandboxed

_prepared: set[type] = set()


class PreparedOnce(SandboxedWorkflowRunner):
    """A runner that tries every workflow in the sandbox once in this process, and not in every worker anew.

    A worker tries all its workflows when it is made, which took half of the time of a test that holds one.
    """

    def prepare_workflow(self, defn: object) -> None:
        """Try the workflow, unless it was tried."""
        cls: type = defn.cls  # type: ignore[attr-defined]  # the SDK's class has no public name
        if cls not in _prepared:
            super().prepare_workflow(defn)  # type: ignore[arg-type]  # the same
            _prepared.add(cls)


def prepared_once() -> SandboxedWorkflowRunner:
    """The sandbox of production, with that economy."""
    return PreparedOnce(restrictions=sandboxed().restrictions)
