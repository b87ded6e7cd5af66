"""The baselines' schedule with scripted models: SINGLE and PARALLEL (seed 000, sections 10.2 and 11.1)."""

from typing import Any

import pytest
from temporalio.exceptions import ApplicationError
from temporalio.testing import WorkflowEnvironment

from protocols.fire_circle import findings
from protocols.fire_circle.io import FireCircleBaselineResult
from tests.fakes.circles import assessing, baseline_of
from tests.fakes.models import Script, ScriptedModels, refused_by_provider
from tests.workflows import holding
from workflows.fire_circle_baseline import FireCircleBaselineWorkflow


async def hold(
    env: WorkflowEnvironment, script: Script, models: int, **changes: Any
) -> tuple[FireCircleBaselineResult, ScriptedModels]:
    """Hold a baseline to its end."""
    return await holding.hold(env, FireCircleBaselineWorkflow.run, baseline_of(models, **changes), script)


async def fail(env: WorkflowEnvironment, script: Script, models: int, **changes: Any) -> ApplicationError:
    """Hold a baseline that must fail."""
    error, _ = await holding.fail(env, FireCircleBaselineWorkflow.run, baseline_of(models, **changes), script)
    return error


async def test_single_requests_one_model_once(env: WorkflowEnvironment) -> None:
    """SINGLE is one call with the circle's prompt of round 1."""
    result, models = await hold(env, assessing(usual=0.7), 1)

    assert (["r1-p1"], "single") == ([call.call_id for call in models.calls], result.mode)
    assert (0.7, 0.7, "assessed") == (result.falsehood, result.highest, result.stop_reason)


async def test_parallel_takes_the_mean(env: WorkflowEnvironment) -> None:
    """PARALLEL asks all at once without a dialogue; its finding is the mean, and the highest is beside it."""
    result, models = await hold(env, assessing({"r1-p1": 0.1, "r1-p2": 0.2, "r1-p3": 0.9}), 3)

    assert 3 == len(models.calls)
    assert (0.4, 0.9) == (result.falsehood, result.highest)


async def test_a_lost_model_leaves_the_others(env: WorkflowEnvironment) -> None:
    """RESILIENT: the mean has ended those that gave an assessment, and the result is degraded."""
    result, _ = await hold(env, assessing({"r1-p1": refused_by_provider(), "r1-p2": 0.2, "r1-p3": 0.4}), 3)

    assert (0.3, True, ["p1"]) == (
        result.falsehood,
        result.degraded.is_degraded,
        [call.participant for call in result.failed],
    )


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (refused_by_provider(), "no model answered, so there is no assessment: "),
        ("I would rather not say.", "no model gave an assessment that can be used: "),
        ("I'm sorry, but I can't help with that.", findings.ALL_REFUSED),
    ],
    ids=["lost", "unreadable", "refused"],
)
async def test_without_an_assessment_it_fails(env: WorkflowEnvironment, said: Any, told: str) -> None:
    """What could not be had or read is no F = 0: the evaluation fails with one clear message."""
    error = await fail(env, assessing({"r1-p1": said}), 1)

    assert "fire-circle-baseline.not_assessed" == error.type
    assert error.message.startswith(told)


async def test_the_session_goes_on(env: WorkflowEnvironment) -> None:
    """A baseline returns the session memory updated like a circle does."""
    result, _ = await hold(env, assessing(usual=0.7), 1, session={"turn": 2, "trust": [0.1], "balance": 0.1})

    assert result.session is not None
    assert (3, (0.1, -0.4)) == (result.session.turn, result.session.trust)
