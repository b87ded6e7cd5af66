"""All seven modes on the real server with scripted models, each ending for a different reason.

One waits for a user, loses its worker meanwhile, and is resolved from the command line.
"""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pytest
from temporalio.client import WorkflowFailureError, WorkflowHandle
from temporalio.exceptions import ApplicationError

from parley import visibility
from protocols.debate.model.io import DebateInput, DebateResult
from protocols.debate.modes import MODES
from tests.fakes.debates import rehearsed_debate
from tests.fakes.installation import Installation, installation
from tests.fakes.programs import PARLEY, run_program
from workflows.debate import DebateWorkflow

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.timeout(280)]

Handle = WorkflowHandle[DebateWorkflow, DebateResult]

STOPPED_BY_HAND = "devils-advocate"
WAITS = "delphi"

DEBATES: dict[str, DebateInput] = {
    "collaborative": rehearsed_debate("collaborative", *["debate-converges"] * 3),
    "adversarial": rehearsed_debate("adversarial", *["debate-stalls"] * 3),
    "socratic": rehearsed_debate("socratic", *["debate-blocks"] * 3, max_rounds=3),
    "expert-panel": rehearsed_debate("expert-panel", "", "400-model-not-found", "400-model-not-found"),
    STOPPED_BY_HAND: rehearsed_debate(STOPPED_BY_HAND, "debate-blocks", "debate-blocks", "debate-blocks+hang"),
    WAITS: rehearsed_debate(WAITS, *["debate-flatters"] * 3),
    "red-team-blue-team": rehearsed_debate("red-team-blue-team", *["debate-unsafe"] * 4, escalation_timeout=2),
}

ENDS = {
    "collaborative": "consensus",
    "adversarial": "plateau",
    "socratic": "round_cap",
    "expert-panel": "debate_too_small",
    STOPPED_BY_HAND: "stopped",
    WAITS: "accepted",
    "red-team-blue-team": "safety_blocked",
}


@dataclass(frozen=True)
class Ended:
    """A debate that has ended."""

    result: DebateResult
    failure: str | None
    """Its one clear message, when it failed."""


def parley(installed: Installation, *words: str) -> str:
    """The output of a command that must succeed."""
    done = run_program([PARLEY, *words], installed.environment, timeout=100)
    assert done.returncode == 0, done.stderr
    return done.stdout


async def ended(handle: Handle) -> Ended:
    """The debate when it has ended, however it ended."""
    try:
        return Ended(await handle.result(), None)
    except WorkflowFailureError as error:
        cause = error.cause
    if not isinstance(cause, ApplicationError):
        pytest.fail(f"{handle.id} ended with {cause!r}")
    return Ended(DebateResult.model_validate(cause.details[0]), cause.message)


async def until_stage(handle: Handle, stage: str) -> Any:
    """The state of the debate once it has reached ``stage``."""
    while (progress := await handle.query(DebateWorkflow.state)).stage != stage:  # noqa: ASYNC110 - a query sets no event
        await asyncio.sleep(0.1)
    return progress


async def until_said(handle: Handle, turns: int) -> None:
    """Wait until so many turns were said."""
    while len((await handle.query(DebateWorkflow.transcript)).turns) < turns:  # noqa: ASYNC110 - as above
        await asyncio.sleep(0.1)


@pytest.fixture(scope="module")
async def debates(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[tuple[dict[str, Ended], str]]:
    """All seven, held side by side; and what ``parley escalations`` said while one waited."""
    async with installation(tmp_path_factory.mktemp("modes")) as installed:
        client = await installed.client()
        handles: dict[str, Handle] = {
            mode: await client.start_workflow(
                DebateWorkflow.run,
                inp,
                id=f"debate-{mode}",
                task_queue="parley",
                search_attributes=visibility.initial_attributes("debate", inp),
            )
            for mode, inp in DEBATES.items()
        }
        await until_stage(handles[WAITS], "escalation")
        await until_said(handles[STOPPED_BY_HAND], 2)
        await asyncio.to_thread(parley, installed, "stop", handles[STOPPED_BY_HAND].id, "--reason", "seen enough")
        others = [mode for mode in handles if mode != WAITS]
        found = dict(zip(others, await asyncio.gather(*(ended(handles[mode]) for mode in others)), strict=True))
        installed.kill("worker")
        await installed.start_worker()
        waiting = await asyncio.to_thread(parley, installed, "escalations")
        await asyncio.to_thread(parley, installed, "accept", handles[WAITS].id, "--note", "They are right.")
        yield {**found, WAITS: await ended(handles[WAITS])}, waiting


def test_seven_modes_end_for_seven_reasons(
    debates: tuple[dict[str, Ended], str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Every mode runs on the real server, and no two end alike."""
    found, _ = debates
    with capsys.disabled():
        for mode, one in found.items():
            print(f"\n  {mode:20} {one.result.stop_reason:18} rounds: {len(one.result.rounds)}", end="")
        print()

    assert set(MODES) == set(found)
    assert ENDS == {mode: one.result.stop_reason for mode, one in found.items()}


def test_who_waits_is_listed_and_resolved_after_a_restart(debates: tuple[dict[str, Ended], str]) -> None:
    """The one that waits is in the list of escalations after its worker was killed, and takes its answer."""
    found, waiting = debates
    (escalation,) = found[WAITS].result.escalations

    assert f"debate-{WAITS}" in waiting
    assert ("accept", "They are right.") == (escalation.decision, escalation.note)
    assert ["ordinary", "objection"] == [held.kind for held in found[WAITS].result.rounds]


def test_failures_have_one_clear_message(debates: tuple[dict[str, Ended], str]) -> None:
    """A debate that failed says why, and its result has every turn."""
    found, _ = debates
    failures = {mode: one.failure for mode, one in found.items() if one.failure}

    assert {"expert-panel", "red-team-blue-team"} == set(failures)
    assert all(len(found[mode].result.rounds) == 1 for mode in failures)


def test_everything_is_labelled_rehearsal(debates: tuple[dict[str, Ended], str]) -> None:
    """Every result says that scripted models answered."""
    found, _ = debates

    assert all(one.result.rehearsal for one in found.values())
