"""The sandbox of the tests: cheaper than production's, and no wider."""

from typing import Any

import pytest
from temporalio import workflow
from temporalio.worker import WorkflowInstance, WorkflowInstanceDetails
from temporalio.worker.workflow_sandbox import RestrictedWorkflowAccessError, SandboxedWorkflowRunner

from runtime.plugin import sandboxed
from tests.fakes.sandbox import prepared_once
from workflows.vote import VoteWorkflow

READ_THE_DISK = "with importer.applied():\n  import os\n  os.listdir()"


def _in(instance: Any, name: str) -> object:
    return instance.globals_and_locals[name]


def details() -> WorkflowInstanceDetails:
    """Return what a worker gives its runner, when it tries a workflow."""
    given: list[WorkflowInstanceDetails] = []

    class Kept(SandboxedWorkflowRunner):
        def create_instance(self, det: WorkflowInstanceDetails) -> WorkflowInstance:
            """Keep what is given."""
            given.append(det)
            return super().create_instance(det)

    Kept(restrictions=sandboxed().restrictions).prepare_workflow(workflow._Definition.must_from_class(VoteWorkflow))
    return given[0]


async def test_payloads_belong_where_the_sdk_puts_them() -> None:
    """The context of a payload and of a stored one are those of the SDK's own runner."""
    asked = details()
    theirs, ours = sandboxed().create_instance(asked), prepared_once().create_instance(asked)
    assert ours.get_serialization_context(None) == theirs.get_serialization_context(None)
    assert ours.get_external_store_context(None) == theirs.get_external_store_context(None)


async def test_workflow_code_runs_in_the_sandbox() -> None:
    """What a workflow may import is what production lets it import, and an activation is the SDK's."""
    assert prepared_once().restrictions == sandboxed().restrictions
    ours = prepared_once().create_instance(details())
    assert "activate" not in vars(ours)


async def test_a_module_is_loaded_for_the_first_run_alone() -> None:
    """Later runs have its class, which is the sandbox's own and not the one outside."""
    one, other = (prepared_once().create_instance(details()) for _ in range(2))
    assert _in(one, "__temporal_workflow_class") is _in(other, "__temporal_workflow_class") is not VoteWorkflow


@pytest.mark.parametrize("runs", [1, 2])
async def test_every_run_is_refused_the_disk(runs: int) -> None:
    """What the sandbox refuses, it refuses to later runs too, and while another run has just ended a step."""
    instances: list[Any] = [prepared_once().create_instance(details()) for _ in range(runs)]
    instances[0].importer.restriction_context.is_runtime = False
    with pytest.raises(RestrictedWorkflowAccessError, match=r"os\.listdir"):
        instances[-1]._run_code(READ_THE_DISK, importer=instances[-1].importer)


@pytest.mark.parametrize("more", [(), ("tests",)])
def test_more_is_passed_through_where_it_is_named(more: tuple[str, ...]) -> None:
    """Workflows of the tests themselves need their modules."""
    assert ("tests" in prepared_once(*more).restrictions.passthrough_modules) == bool(more)
