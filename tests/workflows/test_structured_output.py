"""Whole deliberations of models that obey a JSON schema, refuse it, ignore it, break it or hide the object."""

from collections.abc import Sequence
from typing import Any

import pytest
from temporalio.testing import WorkflowEnvironment

from protocols.exchange import Patience, Sampling
from protocols.panel import Panel
from tests.fakes.circles import circle_of
from tests.fakes.councils import council_input
from tests.fakes.debates import debate_of
from tests.fakes.schema_stage import DIALECTS, SchemaStage, schema_stage
from tests.workflows.conftest import staff
from tests.workflows.holding import start
from workflows.council import CouncilWorkflow
from workflows.debate import DebateWorkflow
from workflows.fire_circle import FireCircleWorkflow

PATIENCE = Patience(total=30, attempts=3, heartbeat=5)


async def held(env: WorkflowEnvironment, stage: SchemaStage, run: Any, inp: Any) -> Any:
    """What a deliberation comes to."""
    async with staff(env, stage.calls):
        return await (await start(env, run, inp)).result()


def models(provider: str, form: str, count: int = 3) -> tuple[str, ...]:
    """Names of scripted models that deal with a schema so."""
    return tuple(f"{provider}:lab/m{number}+schema-{form}" for number in range(1, count + 1))


def circle(names: Sequence[str], **changes: Any) -> Any:
    """A circle of the named models with nothing else in it."""
    panel = Panel.of(tuple(names), names[0], chair_seat="classifier")
    return circle_of(2, panel=panel, patience=PATIENCE, max_rounds=2, **changes)


def council(names: Sequence[str], **changes: Any) -> Any:
    """A council of the named models."""
    return council_input(panel=Panel.of(tuple(names), names[0]), patience=PATIENCE, **changes)


def debate(names: Sequence[str]) -> Any:
    """A short debate of the named models."""
    from protocols.debate.model.asked import panel_of

    panel = panel_of(tuple(names), names[0], evaluator=names[0], summariser=names[0])
    return debate_of("collaborative", panel=panel, patience=PATIENCE, max_rounds=2)


def sources(result: Any) -> set[str]:
    """How a circle's numbers were come by."""
    return {one.assessment.source for held in result.rounds for one in held.evaluations}


@pytest.mark.parametrize("provider", DIALECTS)
async def test_x(env, provider):
    for form in ("obeys", "refuses", "ignores", "cuts", "breaks", "hides", "declines"):
        for run, make in ((FireCircleWorkflow, circle), (CouncilWorkflow, council), (DebateWorkflow, debate)):
            async with schema_stage() as stage:
                try:
                    result = await held(env, stage, run.run, make(models(provider, form)))
                except Exception as e:
                    print(form, run.__name__, "FAILED", repr(e.cause)[:300])
                    continue
                print(
                    form,
                    run.__name__,
                    len(stage.arrivals),
                    sum(a.has_schema for a in stage.arrivals),
                    dict(stage.refused()),
                    result.stop_reason,
                    [f.error_type for f in result.failed],
                    getattr(result, "degraded", None) and result.degraded.counts,
                )
                if run is FireCircleWorkflow:
                    print(
                        "   ",
                        sorted(one.assessment.source for h in result.dialogue_history for one in h.evaluations)
                        if hasattr(result, "dialogue_history")
                        else list(type(result).model_fields),
                    )
                if run is CouncilWorkflow:
                    print("   ", [(b.ballot.standing, b.ballot.found_as, b.ballot.repairs) for b in result.ballots])
