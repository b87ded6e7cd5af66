"""Whole deliberations of models that follow a JSON schema, refuse it, ignore it, break it or hide the object."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from temporalio.testing import WorkflowEnvironment

from protocols.council.model import CouncilInput
from protocols.debate.model.io import DebateInput, panel_of
from protocols.fire_circle.io import FireCircleInput
from protocols.model_call import CallTimeouts
from protocols.panel import Panel
from tests.fakes.circles import baseline_of, circle_of
from tests.fakes.councils import council_input
from tests.fakes.debates import debate_of
from tests.fakes.schema_stage import SchemaStage, schema_stage
from tests.workflows.conftest import staff
from tests.workflows.holding import start
from workflows.council import CouncilWorkflow
from workflows.debate import DebateWorkflow
from workflows.fire_circle import FireCircleWorkflow
from workflows.fire_circle_baseline import FireCircleBaselineWorkflow

PATIENCE = CallTimeouts(total=30, attempts=3, heartbeat=5)

CIRCLE = {
    "obeys": ({"schema": 6}, 6),
    "refuses": ({"json": 6}, 9),
    "cuts": ({"schema": 6}, 12),
    "breaks": ({"repaired": 6}, 6),
    "hides": ({"schema": 6}, 6),
}
"""By what the models make of a schema: how the six replies of a circle of two rounds were read, and the requests."""

COUNCIL = {"obeys": 7, "refuses": 10, "ignores": 7, "cuts": 10, "breaks": 10, "hides": 7}
"""By what the models make of a schema: the requests of a council of three."""

DEBATE = {"obeys": ("schema", 7), "refuses": ("json", 10), "ignores": ("text", 7), "cuts": ("schema", 14)}
"""How the turns of a debate of two rounds were read, and the requests."""


async def held(env: WorkflowEnvironment, stage: SchemaStage, run: Any, inp: Any) -> Any:
    """What a deliberation gives."""
    async with staff(env, stage.calls):
        return await (await start(env, run, inp)).result()


def models(form: str, provider: str = "openrouter", count: int = 3) -> tuple[str, ...]:
    """Names of scripted models that make this of a schema."""
    return tuple(f"{provider}:lab/m{number}+schema-{form}" for number in range(1, count + 1))


def circle(names: Sequence[str], **changes: Any) -> FireCircleInput:
    """A circle of the named models and no one else."""
    panel = Panel.of(tuple(names), names[0], chair_seat="classifier")
    return circle_of(2, panel=panel, patience=PATIENCE, max_rounds=2, **changes)


def council(names: Sequence[str], **changes: Any) -> CouncilInput:
    """A council of the named models, the first of which is the chair."""
    return council_input(panel=Panel.of(tuple(names), names[0]), patience=PATIENCE, **changes)


def debate(names: Sequence[str]) -> DebateInput:
    """A debate of two rounds among the named models, the first of which does everything beside it too."""
    panel = panel_of(tuple(names), names[0], evaluator=names[0], summariser=names[0])
    return debate_of("collaborative", panel=panel, patience=PATIENCE, max_rounds=2)


def sources(result: Any) -> Counter[str]:
    """How the numbers of a circle were read."""
    return Counter(one.assessment.source for held in result.dialogue_history for one in held.evaluations)


@pytest.mark.parametrize("form", CIRCLE)
async def test_a_circle_states_how_each_reply_was_read(env: WorkflowEnvironment, form: str) -> None:
    """No reply is lost whatever a model makes of the schema, and the result says how each was read."""
    expected, requests = CIRCLE[form]
    async with schema_stage() as stage:
        result = await held(env, stage, FireCircleWorkflow.run, circle(models(form)))
    assert expected == sources(result)
    assert (requests, ()) == (len(stage.arrivals), result.failed)


async def test_prose_in_place_of_the_object_is_read(env: WorkflowEnvironment) -> None:
    """An endpoint that ignores the schema costs nothing: labelled lines are read, and no one is asked again."""
    names = models("ignores")
    inp = baseline_of(3, panel=Panel.of(names, names[0], chair_seat="classifier"), patience=PATIENCE)
    async with schema_stage() as stage:
        result = await held(env, stage, FireCircleBaselineWorkflow.run, inp)
    assert ["text"] * 3 == [one.assessment.source for one in result.evaluations]
    assert [True] * 3 == [arrival.has_schema for arrival in stage.arrivals]


@pytest.mark.parametrize("provider", ["openrouter", "cerebras", "generic"])
async def test_a_refused_schema_costs_one_request_per_model(env: WorkflowEnvironment, provider: str) -> None:
    """In the words of each dialect: after the first refusal a model is asked without a schema, and nothing is lost."""
    names = models("refuses", provider)
    async with schema_stage() as stage:
        result = await held(env, stage, FireCircleWorkflow.run, circle(names))
    assert dict.fromkeys((name.partition(":")[2] for name in names), 1) == stage.refused()
    assert [1] * 6 == [answer.attempts for answer in stage.journal.answers.values()]
    assert ((), {}) == (result.failed, result.degraded.counts)


@pytest.mark.parametrize("form", COUNCIL)
async def test_a_council_reads_every_ballot(env: WorkflowEnvironment, form: str) -> None:
    """A review that is bound by a schema and one that is prose place every answer."""
    async with schema_stage() as stage:
        result = await held(env, stage, CouncilWorkflow.run, council(models(form)))
    assert ["complete"] * 3 == [cast.ballot.standing for cast in result.ballots]
    assert (COUNCIL[form], ()) == (len(stage.arrivals), result.failed)


async def test_a_review_that_is_an_object_is_shown_as_text(env: WorkflowEnvironment) -> None:
    """Transcript and result show the paragraphs and the ranking; the chair reads the same, and no JSON."""
    async with schema_stage() as stage:
        result = await held(env, stage, CouncilWorkflow.run, council(models("obeys")))
    (first, *_), (turn, *_) = result.stage2, [turn for turn in result.transcript.turns if turn.stage == "review"]
    ranking = "\n".join(f"{place}. {label}" for place, label in enumerate(first.parsed_ranking, start=1))
    assert first.ranking == turn.text
    assert turn.text.endswith(f"\n\n{ranking}")
    assert not [turn.text for turn in result.transcript.turns if '"ranking"' in turn.text]


@pytest.mark.parametrize("form", DEBATE)
async def test_a_debate_reads_every_turn(env: WorkflowEnvironment, form: str) -> None:
    """Turns are read from the schema where it was kept to, and from labelled lines where it was not."""
    source, requests = DEBATE[form]
    async with schema_stage() as stage:
        result = await held(env, stage, DebateWorkflow.run, debate(models(form)))
    assert {source} == {turn.said.source for held_round in result.rounds for turn in held_round.turns}
    assert (requests, ()) == (len(stage.arrivals), result.failed)


async def test_a_refusal_inside_the_schema_is_a_refusal(env: WorkflowEnvironment) -> None:
    """A provider's refusal field counts as a refusal although a schema was sent, and is not asked again."""
    async with schema_stage() as stage:
        result = await held(env, stage, CouncilWorkflow.run, council(models("declines")))
    assert ["refused"] * 3 == [lost.kind for lost in result.failed]
    assert {"refused": 3} == result.degraded.counts


async def test_without_schemas_none_is_sent(env: WorkflowEnvironment) -> None:
    """The switch holds for the whole deliberation, and the models answer as their prompts ask."""
    inp = circle(models("obeys"), sampling={"structured_output": False})
    async with schema_stage() as stage:
        result = await held(env, stage, FireCircleWorkflow.run, inp)
    assert {"json": 6} == sources(result)
    assert not any(arrival.has_schema for arrival in stage.arrivals)
