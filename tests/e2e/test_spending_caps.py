"""Caps on one deliberation, on real processes: reached, waited at, raised, and killed there."""

import asyncio
import uuid
from collections.abc import AsyncIterator
from typing import Any

import pytest
from temporalio.client import WorkflowHandle

from parley.specs import PROTOCOLS
from protocols.deliberation import DeliberationResult
from protocols.progress import Progress
from protocols.spending_cap import SpendingCap
from protocols.update_requests import BudgetChange
from tests.fakes.accounts import per_call
from tests.fakes.installation import Installation, installation
from tests.fakes.real_studies import calls
from tests.fakes.specified import specified

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.timeout(120)]

Handle = WorkflowHandle[Any, DeliberationResult]
CONSENSUS, COUNCIL = "consensus", "council"


@pytest.fixture(scope="module")
async def installed(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Installation]:
    """One installation for all of them."""
    async with installation(tmp_path_factory.mktemp("caps"), latency_ms=200) as everything:
        yield everything


async def start(installed: Installation, name: str, **options: Any) -> Handle:
    """Start a deliberation with ``options`` under a new id."""
    client, deliberation_id = await installed.client(), f"{name}-cap-{uuid.uuid4().hex[:8]}"
    inp = specified(name, **options).model_copy(update={"salt": deliberation_id})
    handle: Handle = await client.start_workflow(
        PROTOCOLS[name].workflow.run, inp, id=deliberation_id, task_queue="parley"
    )
    return handle


async def until_waiting(handle: Handle) -> Progress:
    """Wait until it waits for a higher budget, and return its progress."""
    while True:
        progress: Progress = await handle.query("state", result_type=Progress)
        if progress.waits_for:
            return progress
        await asyncio.sleep(0.05)


def first_stage(name: str, **options: Any) -> float:
    """Return the most dollars of the first stage of a deliberation."""
    spec, inp = PROTOCOLS[name], specified(name, budget_usd=100, **options)
    assert spec.first_calls is not None
    cap: SpendingCap = inp.cap
    return sum(cap.most(cap.bounded(call)).usd for call in spec.first_calls(inp))


async def test_a_consensus_ends_at_five_cents_with_its_draft(
    installed: Installation, capsys: pytest.CaptureFixture[str]
) -> None:
    """The check of the draft may cost more than is left, so the draft is the verdict and is marked."""
    result = await (await start(installed, CONSENSUS, budget_usd=0.05, max_tokens=1900)).result()
    with capsys.disabled():
        assert result.budget is not None
        print(f"\n  {result.stop_reason}, partial: {result.partial}, {result.spent.calls} calls, {result.budget.line}")
        print(f"  draft: {(result.verdict or '')[:70]!r}")

    assert ("budget", True) == (result.stop_reason, result.partial)
    assert result.verdict
    assert 0 < result.spent.usd <= 0.05
    assert "not asked: " in result.budget.line


async def test_a_kill_at_the_cap_spends_nothing_twice(
    installed: Installation, capsys: pytest.CaptureFixture[str]
) -> None:
    """Worker and server are killed while it waits: no call arrives again, and the ledger has what was billed."""
    since, billed = len(await installed.arrivals()), (await installed.ledger())["billed_usd"]
    limit = {"max_tokens": 900}
    handle = await start(installed, COUNCIL, budget_usd=first_stage("council", **limit), on_budget="wait", **limit)
    waiting = await until_waiting(handle)
    installed.kill("worker")
    installed.kill("server")
    await installed.start_server()
    await installed.start_worker()
    again = await until_waiting(handle)
    await handle.execute_update("set_budget", BudgetChange(any_usd=True))
    result = await handle.result()
    arrivals = (await installed.arrivals())[since:]
    paid = (await installed.ledger())["billed_usd"] - billed
    lines = [row for row in await calls(installed, handle.id) if row.cost_usd is not None]
    with capsys.disabled():
        print(
            f"\n  killed at the cap after {waiting.spent.calls} calls and ${waiting.spent.usd:.6f}: "
            f"{len(arrivals)} arrivals for {result.spent.calls} calls; "
            f"provider ${paid:.6f}, result ${result.spent.usd:.6f}, ledger ${sum(row.cost_usd for row in lines):.6f}"
        )

    assert (3, waiting.spent) == (waiting.spent.calls, again.spent)
    assert {1} == set(per_call(arrivals).values())
    assert (7, 7, 7) == (len(arrivals), result.spent.calls, len(lines))
    assert pytest.approx(paid) == result.spent.usd == pytest.approx(sum(row.cost_usd for row in lines))
