"""The sandbox of the schedules, for tests that make a worker each."""

from typing import Any

from temporalio.worker import WorkflowInstance, WorkflowInstanceDetails
from temporalio.worker.workflow_sandbox import SandboxedWorkflowRunner
from temporalio.worker.workflow_sandbox._importer import Importer
from temporalio.worker.workflow_sandbox._restrictions import RestrictionContext
from temporalio.worker.workflow_sandbox._runner import _Instance

from runtime.plugin import sandboxed

_prepared: set[type] = set()
_loaded: dict[tuple[type, frozenset[str]], Importer] = {}


class _Lasting(RestrictionContext):
    """The restrictions of loading a module until it is loaded, and those of a running workflow from then on."""

    is_loaded = False

    def __setattr__(self, name: str, is_so: bool) -> None:
        """Lift no restriction once the module is loaded: another run may be in the middle of a step."""
        super().__setattr__(name, is_so or self.is_loaded)


class _LoadedOnce(_Instance):
    """A workflow whose module was loaded for the first of its runs."""

    def _create_instance(self) -> None:
        restrictions = self.importer.restrictions
        key = self.instance_details.defn.cls, frozenset(restrictions.passthrough_modules)
        loaded = _loaded.get(key)
        context = _Lasting()
        self.importer = loaded or Importer(restrictions, context, workflow_module_name=self._workflow_module_name())
        super()._create_instance()
        if loaded is None:
            context.is_loaded = context.is_runtime = context.in_activation = True
            _loaded[key] = self.importer


class PreparedOnce(SandboxedWorkflowRunner):
    """A runner that tries every workflow in the sandbox once in this process, and not in every worker anew.

    A worker tries all its workflows when it is made, which took half of the time of a test that holds one. A module is
    loaded for the first run of its workflow, not for each, which took a twelfth more. The SDK also enters the sandbox
    for every payload, to read from its own instance what the payload belongs to; that is read from outside here.
    Workflow code runs in the sandbox alone.
    """

    def create_instance(self, det: WorkflowInstanceDetails) -> WorkflowInstance:
        """Return a workflow in the sandbox."""
        instance: Any = _LoadedOnce(det, self.runner_class, self.restrictions)
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
