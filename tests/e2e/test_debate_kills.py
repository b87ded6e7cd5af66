"""A sequential debate whose worker is killed in the middle of a round: no turn is lost, none is taken twice."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pytest
from temporalio.client import WorkflowHandle

from protocols.debate.model.io import DebateResult
from protocols.model_call import CallTimeouts
from protocols.transcript import Transcript
from tests.fakes.accounts import Arrival, Kill, kill, needless, per_call
from tests.fakes.debates import rehearsed_debate
from tests.fakes.installation import Installation, installation
from workflows.debate import DebateWorkflow

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.timeout(280)]

Handle = WorkflowHandle[DebateWorkflow, DebateResult]

ROUNDS, DEBATERS = 2, 3
TURNS = ROUNDS * DEBATERS
TOPIC = "Should the library open on Sundays?"
LATENCY_MS = 150
KILLED_AT = (2, 5)
"""The arrivals in the middle of which the worker is killed: in each round one."""


@dataclass(frozen=True)
class Held:
    """A debate that has ended."""

    result: DebateResult
    transcript: Transcript
    arrivals: list[Arrival]


async def begin(installed: Installation, name: str) -> Handle:
    """Start a socratic debate of debaters that never agree."""
    patience = CallTimeouts(heartbeat=2)
    manners = ["debate-blocks"] * DEBATERS
    inp = rehearsed_debate("socratic", *manners, question=TOPIC, max_rounds=ROUNDS, patience=patience)
    client = await installed.client()
    return await client.start_workflow(DebateWorkflow.run, inp, id=f"debate-{name}", task_queue="parley")


async def concluded(installed: Installation, handle: Handle, since: int) -> Held:
    """Wait for its end."""
    result = await handle.result()
    arrivals: Any = await installed.arrivals(since)
    return Held(result, await handle.query(DebateWorkflow.transcript), arrivals)


@pytest.fixture(scope="module")
async def twice(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[tuple[Held, Held, list[Kill]]]:
    """The same debate undisturbed and with a kill of the worker in each round, while a debater is asked."""
    async with installation(tmp_path_factory.mktemp("floor"), latency_ms=LATENCY_MS) as installed:
        calm = await concluded(installed, await begin(installed, "calm"), 0)
        since = len(await installed.arrivals())
        handle, kills = await begin(installed, "killed"), []
        for number in KILLED_AT:
            while len(await installed.arrivals(since)) < number:  # noqa: ASYNC110 - another process's calls set no event
                await asyncio.sleep(0.02)
            kills.append(await kill(installed, "worker"))
            await installed.start_worker()
        yield calm, await concluded(installed, handle, since), kills


def test_no_turn_is_lost_or_said_twice(
    twice: tuple[Held, Held, list[Kill]], capsys: pytest.CaptureFixture[str]
) -> None:
    """The transcript has every turn once, in the order of speaking, and no answered call is asked for again."""
    _, killed, kills = twice
    said = [(turn.round, turn.participant) for turn in killed.transcript.turns if turn.stage == "turns"]
    counts = per_call(killed.arrivals)
    with capsys.disabled():
        print(
            f"\n  {len(kills)} kills of the worker: {len(counts)} calls, {len(killed.arrivals)} arrivals, "
            f"{len(needless(killed.arrivals, kills))} answered calls repeated"
        )

    assert [(number, f"p{seat}") for number in range(1, ROUNDS + 1) for seat in range(1, DEBATERS + 1)] == said
    assert (len(KILLED_AT), []) == (len(kills), needless(killed.arrivals, kills))


def test_the_same_comes_out(twice: tuple[Held, Held, list[Kill]]) -> None:
    """Claims, evidence, positions and verdict are those of the debate that no one disturbed."""
    calm, killed, _ = twice

    assert (calm.result.state, calm.result.verdict) == (killed.result.state, killed.result.verdict)
    assert [turn.text for turn in calm.transcript.turns] == [turn.text for turn in killed.transcript.turns]
