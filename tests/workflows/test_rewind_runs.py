"""A branch that continues in another run: the real server suggests it early, and nothing is shared or changed twice."""

from collections.abc import AsyncIterator

import pytest
from temporalio.testing import WorkflowEnvironment

from protocols.model_call import ModelId, ParticipantId
from protocols.update_requests import ReplaceParticipant
from tests.fakes.branches import OTHER, branch_of, rounds_of
from tests.fakes.consensuses import consensus_input, converging
from tests.fakes.models import ScriptedModels
from tests.fakes.server import local_server
from tests.workflows import holding
from tests.workflows.conftest import staff
from workflows.consensus import ConsensusWorkflow

LATER = "openrouter:later/model"


@pytest.fixture(scope="module")
async def short() -> AsyncIterator[WorkflowEnvironment]:
    """A real server that suggests to continue as new after very few events."""
    async with local_server(events=60) as env:
        yield env


@pytest.mark.long
@pytest.mark.timeout(60)
async def test_a_branch_over_several_runs(short: WorkflowEnvironment) -> None:
    """Shared rounds in two runs, the change in a third; what a user changes after it stays, run after run."""
    models = ScriptedModels(converging(8))
    models.hold = {"r05-refiner"}
    inp = consensus_input(branch=branch_of("consensus", 3, {"refiner": OTHER}))
    async with staff(short, models):
        handle = await holding.start(short, ConsensusWorkflow.run, inp)
        await holding.until_alone(handle, "r05-refiner")
        request = ReplaceParticipant(participant=ParticipantId("refiner"), model=ModelId(LATER))
        await handle.execute_update(ConsensusWorkflow.replace_participant, request)
        models.hold.clear()
        result = await handle.result()
        found = [run async for run in short.client.list_workflows(f"WorkflowId = '{handle.id}'")]
        for run in found:
            await holding.replay(short, short.client.get_workflow_handle(handle.id, run_id=run.run_id))
    refiners = {call.round: call.model for call in models.calls if call.stage == "refiner"}

    assert len(found) > 3
    assert ({1, 2, 3}, {4, 5, 6, 7, 8}) == rounds_of(models.calls)
    assert (18, OTHER, {LATER}) == (result.spent.shared_calls, refiners[4], {refiners[n] for n in (6, 7, 8)})
