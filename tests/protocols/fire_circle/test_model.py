"""What a fire circle may be asked, and the seed's structure of what comes back (seed 000, sections 2, 6, 7, 8)."""

from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from protocols.fire_circle.io import FireCircleBaselineInput, FireCircleInput, FireCircleResult
from protocols.fire_circle.model import (
    Assessment,
    CircleSize,
    CircleState,
    DialogueRound,
    Layers,
    PatternObservation,
    PatternType,
    RoundMetrics,
    SessionMemory,
)
from protocols.panel import Panel
from tests.fakes.seed_panel import SEED_CIRCLE
from tests.protocols.fire_circle.circle import circle_input, panel, seat, seats


@pytest.mark.parametrize(
    ("models", "size"),
    [
        (2, CircleSize.SMALL),
        (3, CircleSize.SMALL),
        (4, CircleSize.MEDIUM),
        (6, CircleSize.MEDIUM),
        (7, CircleSize.LARGE),
        (10, CircleSize.LARGE),
    ],
)
def test_circle_size_is_inferred_from_the_number_of_models(models: int, size: CircleSize) -> None:
    """Both edges of every size of the table make that size (sections 2.1 and 3.4)."""
    assert size is CircleSize.of(models)
    assert models == len(circle_input(models).panel.participants)


@pytest.mark.parametrize("models", [0, 1, 11])
def test_a_number_of_models_beside_the_table_is_refused(models: int) -> None:
    """Fewer than two or more than ten models are no circle (section 9.1, "Invalid model counts rejected")."""
    with pytest.raises(ValueError, match=f"2 to 10 models, got {models}"):
        CircleSize.of(models)


@pytest.mark.parametrize("models", [1, 11])
def test_an_input_with_such_a_number_is_refused(models: int) -> None:
    """The input refuses what the table does not hold."""
    panel_ = Panel.of(tuple(f"maker/{n}" for n in range(models)), "maker/cheap")
    with pytest.raises(ValidationError, match=f"got {models}"):
        circle_input(panel=panel_)


@pytest.mark.parametrize(
    ("size", "models"),
    [("SMALL", 4), ("MEDIUM", 3), ("MEDIUM", 7), ("LARGE", 6)],
)
def test_circle_size_constraints_are_enforced(size: str, models: int) -> None:
    """A stated size refuses the number just outside either of its edges (section 9.1)."""
    with pytest.raises(ValidationError, match=f"{size} circle has .* models, got {models}"):
        circle_input(models, circle_size=CircleSize[size])


@pytest.mark.parametrize(
    ("size", "models"), [("SMALL", 2), ("SMALL", 3), ("MEDIUM", 4), ("MEDIUM", 6), ("LARGE", 7), ("LARGE", 10)]
)
def test_a_stated_size_that_fits_is_kept(size: str, models: int) -> None:
    """Both edges of a stated size are inside it."""
    assert CircleSize[size] is circle_input(models, circle_size=CircleSize[size]).circle_size


def test_the_default_models_of_the_seed_make_a_small_circle_unless_they_are_called_medium() -> None:
    """The seed's default of MEDIUM with three models refuses itself when stated, and is fine when inferred."""
    three = Panel.of(SEED_CIRCLE, "maker/cheap")
    assert CircleSize.SMALL is CircleSize.of(len(circle_input(panel=three).panel.participants))
    with pytest.raises(ValidationError, match="MEDIUM circle has 4 to 6 models, got 3"):
        circle_input(panel=three, circle_size=CircleSize.MEDIUM)


@pytest.mark.parametrize(
    "models",
    [2, 3, 4, 6, 7, 10],
)
def test_every_size_has_three_rounds_by_default(models: int) -> None:
    """The number of rounds does not grow with the number of models (section 3.4)."""
    assert circle_input(models).max_rounds == 3


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("max_rounds", 3),
        ("empty_chair_rotation", True),
        ("failure_mode", "resilient"),
        ("min_viable_models", 2),
        ("pattern_threshold", 0.5),
        ("pattern_classification", "heuristic"),
        ("early_stop_convergence", 0.1),
    ],
)
def test_configuration_defaults(setting: str, value: object) -> None:
    """What is not given is the seed's (section 7, "Configuration Schema")."""
    assert value == getattr(circle_input(), setting)


def test_a_round_has_sixty_seconds() -> None:
    """One attempt may take the seed's 60 s (section 7, ``timeout_per_round``)."""
    assert circle_input().patience.total == 60.0


def test_the_default_circle_is_the_seeds() -> None:
    """The three models are those of section 7."""
    assert SEED_CIRCLE == (
        "anthropic/claude-sonnet-4-20250514",
        "qwen/qwen-2.5-72b-instruct",
        "deepseek/deepseek-r1",
    )


@pytest.mark.parametrize(
    "changes",
    [
        {"max_rounds": 1},
        {"max_rounds": 5},
        {"min_viable_models": 1},
        {"min_viable_models": 4},
        {"pattern_threshold": 0},
        {"pattern_threshold": 1.01},
        {"early_stop_convergence": -0.1},
        {"early_stop_min_round": 1},
        {"failure_mode": "lenient"},
        {"pattern_classification": "guess"},
    ],
    ids=str,
)
def test_a_setting_outside_its_range_is_refused(changes: dict[str, Any]) -> None:
    """Two to four rounds, two to all models viable, shares above 0, and modes that exist."""
    with pytest.raises(ValidationError):
        circle_input(**changes)


@pytest.mark.parametrize("mode", ["strict", "resilient"])
def test_failure_modes_are_the_seeds(mode: str) -> None:
    """STRICT and RESILIENT are what can be asked for (section 2.1)."""
    assert mode == circle_input(failure_mode=mode).failure_mode


def test_the_eight_pattern_types_are_the_seeds() -> None:
    """Section 6.1 names eight types."""
    assert [kind.value for kind in PatternType] == [
        "temporal_inconsistency",
        "cross_layer_fabrication",
        "polite_extraction",
        "educational_escalation",
        "context_saturation",
        "role_confusion",
        "fabricated_progression",
        "false_authority",
    ]


@pytest.mark.parametrize(
    ("value", "names"),
    [
        (
            FireCircleResult,
            ["consensus", "patterns", "dialogue_history", "empty_chair_influence", "failed_models", "round_metrics"],
        ),
        (
            RoundMetrics,
            ["round_number", "f_score_mean", "f_score_stddev", "convergence_delta", "empty_chair_influence"],
        ),
        (PatternObservation, ["pattern_type", "description", "model_agreement", "examples", "observed_in_round"]),
    ],
)
def test_results_lead_with_the_fields_of_the_seed(value: type[BaseModel], names: list[str]) -> None:
    """The seed's fields come first, under its names (sections 2.1 and 8)."""
    assert names == list(value.model_fields)[: len(names)]


def test_a_round_has_the_fields_of_the_seed() -> None:
    """A round carries what section 8 names; the chair is a seat, because a model may sit twice."""
    assert {
        "round_number",
        "evaluations",
        "empty_chair",
        "prompt_used",
        "convergence_metric",
        "timestamp",
    } == set(DialogueRound.model_fields)


@pytest.mark.parametrize("value", [-0.01, 1.01, float("nan"), float("inf")])
@pytest.mark.parametrize("name", ["truth", "indeterminacy", "falsehood"])
def test_an_assessment_holds_shares(name: str, value: float) -> None:
    """T, I and F lie from 0 to 1 and are numbers; nothing is clamped."""
    with pytest.raises(ValidationError):
        Assessment.model_validate({"truth": 0, "indeterminacy": 0, "falsehood": 0, "source": "json", name: value})


@pytest.mark.parametrize("layers", [{}, {"user": " \n"}, {"system": "", "application": "\t"}], ids=str)
def test_layers_without_a_text_are_refused(layers: dict[str, str]) -> None:
    """There is something to judge, or nothing begins."""
    with pytest.raises(ValidationError, match="no text"):
        Layers(**layers)


@pytest.mark.parametrize(
    ("layers", "judged"),
    [
        ({"system": "S", "application": "A", "user": "U"}, "user"),
        ({"system": "S", "application": "A", "user": " "}, "application"),
        ({"system": "S"}, "system"),
    ],
    ids=str,
)
def test_the_layer_that_is_judged_is_the_last_one_with_a_text(layers: dict[str, str], judged: str) -> None:
    """What the user wrote is judged, and where there is nothing, what is before it."""
    assert judged == Layers(**layers).judged


@pytest.mark.parametrize("changes", [{"turn": 0}, {"balance": 1.5}], ids=str)
def test_a_session_that_cannot_be_is_refused(changes: dict[str, Any]) -> None:
    """Turns count from 1, and a balance lies from -1 to 1."""
    with pytest.raises(ValidationError):
        SessionMemory(**changes)


def test_whoever_is_excluded_or_a_zombie_is_not_active() -> None:
    """The active seats are those that are neither, in the order of the seats."""
    circle = CircleState(excluded=(seat(1),), zombies=(seat(3),))
    assert (seat(0), seat(2), seat(4)) == circle.active(seats(5))


def test_an_input_survives_the_wire() -> None:
    """What a run starts with is the value that was sent."""
    inp = circle_input(5, circle_size=CircleSize.MEDIUM, session=SessionMemory(turn=4, trust=(0.5,)), panel=panel(5))
    assert inp == FireCircleInput.model_validate_json(inp.model_dump_json())


def evaluate_input(models: int, mode: str) -> FireCircleBaselineInput:
    """A baseline of so many models."""
    given = circle_input(2).model_dump(include={"question", "title", "layers", "layer", "prompts"})
    return FireCircleBaselineInput.model_validate({**given, "mode": mode, "panel": panel(models)})


@pytest.mark.parametrize(("models", "mode"), [(1, "single"), (2, "parallel"), (10, "parallel")])
def test_a_baseline_requests_one_model_or_several(models: int, mode: str) -> None:
    """SINGLE is one model, PARALLEL two or more (section 10.2), and both survive the wire."""
    inp = evaluate_input(models, mode)
    assert inp == FireCircleBaselineInput.model_validate_json(inp.model_dump_json())


@pytest.mark.parametrize(("models", "mode"), [(2, "single"), (1, "parallel"), (3, "fire_circle")])
def test_a_baseline_of_another_number_is_refused(models: int, mode: str) -> None:
    """One model is no PARALLEL, several are no SINGLE, and a circle is no baseline."""
    with pytest.raises(ValidationError):
        evaluate_input(models, mode)
