"""A debate that continues in another run: the real server suggests it early, and no one notices."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from temporalio.testing import WorkflowEnvironment

from protocols.debate.model.io import DebateResult
from protocols.model_call import ModelCall
from protocols.update_requests import StopRequest
from tests.fakes.debates import arguing, debate_of, said
from tests.fakes.ledger import FakeLedger
from tests.fakes.models import ScriptedModels
from tests.fakes.server import local_server
from tests.workflows import holding
from tests.workflows.conftest import staff
from tests.workflows.test_debate import fact, shown_to
from workflows.debate import DebateWorkflow

EVENTS = 25
"""So short a history that a run has a round or two."""

ROUNDS = 6


@pytest.fixture(scope="module")
async def short() -> AsyncIterator[WorkflowEnvironment]:
    """A real server that suggests to continue as new after very few events."""
    async with local_server(events=EVENTS) as env:
        yield env


def lasting(call: ModelCall) -> Any:
    """Debaters that bring one claim of their own each round, repeat the first and never agree."""
    if call.read_as.reader != "debate.turn":
        return arguing()(call)
    number = call.round * 10 + int(call.participant[1:])
    told = fact(number, vote="BLOCKER", confidence=0.5 + 0.2 * (call.round % 2))
    again = {"text": "Measurement number 11 was taken in town 11", "label": "FACT", "citations": [1]}
    return said(**{**told, "claims": [*told["claims"], again], "challenges": ["C2"]})


async def test_claims_keep_their_identity(short: WorkflowEnvironment) -> None:
    """Over several runs ids continue where they were, a claim that comes back has its old id, and no turn is lost."""
    models, ledger = ScriptedModels(lasting), FakeLedger()
    async with staff(short, models, ledger):
        handle = await holding.start(short, DebateWorkflow.run, debate_of(max_rounds=ROUNDS))
        result: DebateResult = await handle.result()
        runs = [run async for run in short.client.list_workflows(f"WorkflowId = '{handle.id}'")]
        said_in_all = await handle.query(DebateWorkflow.transcript)
        for run in runs:
            await holding.replay(short, short.client.get_workflow_handle(handle.id, run_id=run.run_id))
    (entry,) = ledger.entries
    ids = [claim.id for claim in result.state.claims]

    assert len(runs) > 1
    assert [f"C{n}" for n in range(1, 3 * ROUNDS + 1)] == ids
    assert ("Measurement number 11 was taken in town 11", 1, ROUNDS) == (
        result.state.claims[0].text,
        result.state.claims[0].introduced_round,
        result.state.claims[0].last_updated_round,
    )
    assert ("round_cap", ROUNDS, 3 * ROUNDS + 1) == (result.stop_reason, len(result.rounds), len(said_in_all.turns))
    assert (3 * ROUNDS + 1, 3 * ROUNDS + 1) == (result.spent.calls, len({call.call_id for call in models.calls}))
    assert entry.started_at == min(run.start_time for run in runs)


async def test_a_stop_between_two_runs_begins_no_round(short: WorkflowEnvironment) -> None:
    """Every round of a debate that is stopped while the turns of its earlier runs are loaded has its turns."""
    models, ledger = ScriptedModels(lasting), FakeLedger()
    ledger.recalls_nothing = True
    async with staff(short, models, ledger):
        handle = await holding.start(short, DebateWorkflow.run, debate_of(max_rounds=ROUNDS))
        while not ledger.chapters:  # noqa: ASYNC110 - an activity sets no event of this loop
            await asyncio.sleep(0.02)
        await handle.execute_update(DebateWorkflow.stop, StopRequest())
        ledger.recalls_nothing = False
        result: DebateResult = await handle.result()

    assert "stopped" == result.stop_reason
    assert {3} == {len(completed.turns) for completed in result.rounds}


async def test_a_new_run_shows_the_round_before_in_full(short: WorkflowEnvironment) -> None:
    """The first debater of a new run sees the round before word for word, and the registry under the old ids."""
    models = ScriptedModels(lasting)
    async with staff(short, models):
        handle = await holding.start(short, DebateWorkflow.run, debate_of(max_rounds=ROUNDS))
        await handle.result()
    shown = [shown_to(models, f"r{n:02}-p1") for n in range(2, ROUNDS + 1)]

    assert all("Traffic fell in comparable cities" in text for text in shown)
    assert all('"C1"' in text or "C1," in text for text in shown)
    assert "Measurement number 11 was taken in town 11" in shown[0]
