"""Each failure type of a fire circle (seed 000, section 5.1) through a real fault, and every shape of a reply."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest
from temporalio.client import WorkflowFailureError
from temporalio.exceptions import ApplicationError

from protocols.fire_circle.io import FireCircleResult
from protocols.model_call import CallTimeouts
from protocols.panel import Panel
from tests.fakes.circles import circle_of
from tests.fakes.installation import Installation, installation
from workflows.fire_circle import FireCircleWorkflow

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.timeout(120)]

HEALTHY = ("maker/one", "maker/two", "maker/three")
PATIENCE = CallTimeouts(total=2, first_token=1.5, between_chunks=1.5, attempts=2, away=3, heartbeat=3)

FAULTS = {
    "maker/late+hang": ("timeout", "provider.stalled"),
    "maker/error+500-masked": ("api_error", "provider.unavailable"),
    "maker/refused+400-context-length": ("api_error", "provider.bad_request"),
    "maker/unreadable+tif-praise": ("unparseable", "reply.unparseable"),
    "maker/limited+429": ("rate_limited", "provider.rate_limited"),
}
"""A model with its fault: API timeout, API error (5xx, 4xx), unparseable response, rate limit; how it is lost."""

READ = {
    "tif-fenced": "json",
    "tif-prose": "json",
    "tif-think": "json",
    "tif-trailing": "json",
    "tif-upper-keys": "json",
    "tif-truncated": "repaired",
    "tif-percent": "repaired",
    "tif-single-quotes": "repaired",
    "tif-no-json": "text",
    "tif-words": "heuristic",
}
NOT_READ = ("tif-out-of-range", "tif-nan", "tif-twice", "tif-cut-number", "tif-praise")


@pytest.fixture(scope="module")
async def installed(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Installation]:
    """One installation for all circles."""
    async with installation(tmp_path_factory.mktemp("circles")) as everything:
        yield everything


async def hold(installed: Installation, models: Sequence[str], **changes: Any) -> FireCircleResult:
    """Run a circle of scripted models on the real server."""
    client = await installed.client()
    panel = Panel.of(tuple(f"rehearsal:{m}" for m in models), "rehearsal:maker/cheap", chair_seat="classifier")
    inp = circle_of(3, panel=panel, patience=PATIENCE, salt=uuid.uuid4().hex, **changes)
    return await client.execute_workflow(
        FireCircleWorkflow.run, inp, id=f"circle-{uuid.uuid4().hex[:8]}", task_queue="parley"
    )


@pytest.mark.parametrize("model", FAULTS)
async def test_a_resilient_circle_goes_on_without_the_lost_model(installed: Installation, model: str) -> None:
    """Whatever the fault, the model is excluded in round 1 with its reason, and the others hold the circle."""
    result = await hold(installed, (*HEALTHY, model))
    (lost,) = result.failed

    assert FAULTS[model] == (lost.kind, lost.error_type)
    assert (True, (f"{model}_round_1",), 3) == (
        result.partial,
        result.failed_models,
        len(result.dialogue_history[1].evaluations),
    )
    assert result.verdict is not None


@pytest.mark.parametrize("model", FAULTS)
async def test_a_strict_circle_fails_with_the_partial_result(installed: Installation, model: str) -> None:
    """Whatever the fault, a strict circle ends in one clear error that carries what there was."""
    with pytest.raises(WorkflowFailureError) as failure:
        await hold(installed, (*HEALTHY, model), failure_mode="strict")
    cause = failure.value.cause

    assert isinstance(cause, ApplicationError)
    assert "fire-circle.participant_lost" == cause.type
    assert 3 == len(FireCircleResult.model_validate(cause.details[0]).dialogue_history[0].evaluations)


async def test_every_reply_shape_is_read_or_lost_and_never_innocent(
    installed: Installation, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every shape is read in its way; what cannot be read excludes its model and is never F = 0."""
    shapes = (*READ, *NOT_READ)
    results = await asyncio.gather(*(hold(installed, (*HEALTHY, f"maker/odd+{shape}")) for shape in shapes))
    sources: dict[str, str] = {}
    for shape, result in zip(shapes, results, strict=True):
        odd = [one for one in result.dialogue_history[0].evaluations if one.participant == "p4"]
        sources[shape] = odd[0].assessment.source if odd else "not read"
    with capsys.disabled():
        print("".join(f"\n  {shape:<18} {source}" for shape, source in sources.items()))

    assert {**READ, **dict.fromkeys(NOT_READ, "not read")} == sources
