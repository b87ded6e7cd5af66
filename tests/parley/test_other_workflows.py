"""Ids of workflows that are no deliberations."""

from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from temporalio import workflow
from temporalio.worker import Worker

from parley.client import Parley
from parley.errors import RequestError
from parley.prompts import sent_prompts
from parley.rewind import rewind
from protocols.task_queues import TASK_QUEUE


@workflow.defn(name="Batch", sandboxed=False)
class EmptyBatch:
    """A batch that has a state, as a deliberation has."""

    @workflow.run
    async def run(self) -> None:
        """End at once."""

    @workflow.query(description="Progress")
    def state(self) -> dict[str, str]:
        """Return the name of the study."""
        return {"study": "autumn"}


Steer = Callable[[Parley, str], Coroutine[Any, Any, object]]

STEERING: dict[str, Steer] = {
    "cancel": lambda parley, of: parley.cancel(of),
    "stop": lambda parley, of: parley.stop(of),
    "stop_after_round": lambda parley, of: parley.stop_after_round(of),
    "replace": lambda parley, of: parley.replace_participant(of, "p1", "openrouter:b"),
    "rounds": lambda parley, of: parley.add_rounds(of, 2),
    "budget": lambda parley, of: parley.set_budget(of, {"usd": 3}),
    "continue": lambda parley, of: parley.resolve_escalation(of, "continue"),
    "approve": lambda parley, of: parley.approve(of),
    "evidence": lambda parley, of: parley.inject_evidence(of, "A fact.", "A source"),
    "release": lambda parley, of: parley.release_turn(of, "p1"),
    "about": lambda parley, of: parley.about(of),
    "prompts": lambda parley, of: sent_prompts(parley.client, of),
    "rewind": lambda parley, of: rewind(parley, of, 1),
    "continues": lambda parley, of: parley.start_council("And at night?", models=["a", "b"], continues=of),
}


@pytest.mark.parametrize("name", STEERING)
async def test_study_is_no_deliberation(parley: Parley, name: str) -> None:
    """A command for deliberations changes no study: the refusal names the study and the commands for it.

    A batch has updates of the same names, and is cancelled as a deliberation is.
    """
    study = f"spring-{name}"
    batch = await parley.client.start_workflow("Batch", {"study": study}, id=study, task_queue=TASK_QUEUE)
    try:
        with pytest.raises(RequestError, match=f"{study} is a study and no deliberation; parley batch status {study}"):
            await STEERING[name](parley, study)
        history = await batch.fetch_history()
    finally:
        await batch.terminate()
    assert 2 == len(history.events)


@pytest.mark.parametrize(
    ("workflow", "name", "said"),
    [
        ("Shard", "spring/shard-0001", "is a part of the study spring .* parley batch status spring shows it"),
        ("Budget", "spring/budget", "is a part of the study spring .* parley batch status spring shows it"),
        ("ScheduledStudy", "nightly/firing-1", "is a firing of a schedule and no deliberation; parley batch list"),
        ("Invoice", "invoice-7", "is a workflow of the type Invoice and no deliberation; parley list"),
    ],
)
async def test_other_workflow_is_not_cancelled(parley: Parley, workflow: str, name: str, said: str) -> None:
    """Another workflow of the server is named for what it is, and not cancelled."""
    other = await parley.client.start_workflow(workflow, id=name, task_queue=TASK_QUEUE)
    try:
        with pytest.raises(RequestError, match=f"{name} {said}"):
            await parley.cancel(name)
        history = await other.fetch_history()
    finally:
        await other.terminate()
    assert 2 == len(history.events)


async def test_state_of_a_study_is_no_progress(parley: Parley) -> None:
    """A batch answers the query of the same name, and its answer is not read as a deliberation's."""
    async with Worker(parley.client, task_queue="autumn", workflows=[EmptyBatch]):
        await parley.client.start_workflow("Batch", id="autumn", task_queue="autumn")
        with pytest.raises(RequestError, match="autumn is a study and no deliberation"):
            await parley.state("autumn")
