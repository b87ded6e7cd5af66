"""The sandbox of the tests: cheaper than production's, and no wider."""

import pytest
from temporalio import workflow
from temporalio.worker import WorkflowInstance, WorkflowInstanceDetails
from temporalio.worker.workflow_sandbox import SandboxedWorkflowRunner

from runtime.plugin import sandboxed
from tests.fakes.sandbox import prepared_once
from workflows.vote import VoteWorkflow


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


@pytest.mark.parametrize("more", [(), ("tests",)])
def test_more_is_passed_through_where_it_is_named(more: tuple[str, ...]) -> None:
    """Workflows of the tests themselves need their modules."""
    assert ("tests" in prepared_once(*more).restrictions.passthrough_modules) == bool(more)
