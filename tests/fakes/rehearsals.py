"""Consensuses of scripted models in a whole installation, and what is known of one when it has ended."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row, select
from temporalio.client import Client, WorkflowHandle

from ledger.store import Store
from ledger.tables import CONSENSUS_ITERATIONS
from protocols.consensus.model import CURATOR, SPEAKERS, ConsensusInput, ConsensusResult
from protocols.model_call import CallTimeouts
from protocols.panel import Panel
from tests.fakes.accounts import Arrival
from tests.fakes.consensuses import consensus_input
from tests.fakes.installation import Installation
from tests.fakes.seed_panel import SEED_CURATOR, SEED_SPEAKERS
from workflows.consensus import ConsensusWorkflow

Handle = WorkflowHandle[ConsensusWorkflow, ConsensusResult]

PATIENCE = CallTimeouts(total=None, heartbeat=2)
"""No limit on an answer, and a dead worker is noticed soon."""


@dataclass(frozen=True)
class Run:
    """One run of a workflow id."""

    id: str
    events: int
    size: int
    """Bytes of its history."""


@dataclass(frozen=True)
class Held:
    """A consensus that has ended."""

    id: str
    result: ConsensusResult
    runs: Sequence[Run]
    """In order; one where it never continued in another one."""
    arrivals: Sequence[Arrival]
    """What arrived at the provider while it ran."""
    iterations: Sequence[Row[Any]]
    """Its rows of the ledger's table ``consensus_iterations``."""


def rehearsed(manner: str = "", *, models: Sequence[str] = SEED_SPEAKERS, **changes: Any) -> ConsensusInput:
    """A consensus of scripted ``models`` that all behave in one manner, for example ``never-accepts``."""
    tag = f"+{manner}" if manner else ""
    speakers = tuple(f"rehearsal:{model}{tag}" for model in models)
    panel = Panel.of(speakers, f"rehearsal:{SEED_CURATOR}", seats=SPEAKERS, chair_seat=CURATOR)
    return consensus_input(**{"panel": panel, "patience": PATIENCE, **changes})


async def begin(installed: Installation, inp: ConsensusInput, name: str) -> Handle:
    """Start a consensus under the id ``consensus-<name>``."""
    client = await installed.client()
    return await client.start_workflow(ConsensusWorkflow.run, inp, id=f"consensus-{name}", task_queue="parley")


async def hold(installed: Installation, inp: ConsensusInput, name: str) -> Held:
    """Hold a consensus to its end, nothing else being asked meanwhile."""
    since = len(await installed.arrivals())
    return await concluded(installed, await begin(installed, inp, name), since)


async def concluded(installed: Installation, handle: Handle, since: int) -> Held:
    """Wait for the end of a consensus that began after ``since`` arrivals."""
    result = await handle.result()
    return Held(
        id=handle.id,
        result=result,
        runs=await _runs(await installed.client(), handle.id, handle.first_execution_run_id),
        arrivals=await installed.arrivals(since),
        iterations=await iterations(installed, handle.id),
    )


async def iterations(installed: Installation, consensus_id: str) -> Sequence[Row[Any]]:
    """What the ledger has of a consensus so far, one row per call."""
    store = Store(installed.settings.database_url, read_only=True)
    try:
        table = CONSENSUS_ITERATIONS
        return await store.rows(select(table).where(table.c.consensus_id == consensus_id))
    finally:
        await store.close()


async def _runs(client: Client, workflow_id: str, run_id: str | None) -> list[Run]:
    """Every run, from the first one on: each shows in its last event which one continues."""
    runs = []
    while run_id:
        history = await client.get_workflow_handle(workflow_id, run_id=run_id).fetch_history()
        events = history.events
        runs.append(Run(run_id, len(events), sum(event.ByteSize() for event in events)))
        run_id = events[-1].workflow_execution_continued_as_new_event_attributes.new_execution_run_id
    return runs
