"""What a council may be asked, and the seed's structure of what comes back (seed 002, "Response Structure")."""

import pytest
from pydantic import BaseModel, ValidationError

from protocols.council.model import (
    AggregateRank,
    CouncilInput,
    CouncilMetadata,
    CouncilResult,
    Stage1Entry,
    Stage2Entry,
    Stage3Entry,
)
from tests.fakes.councils import council_input
from tests.fakes.seed_panel import SEED_CHAIR, SEED_COUNCIL


def test_council_configuration() -> None:
    """Four council models and the chair are the seed's (seed 002, "Council Configuration")."""
    assert SEED_COUNCIL == (
        "anthropic/claude-opus-4.6",
        "google/gemini-3-flash-preview",
        "x-ai/grok-4.1-fast",
        "zai-glm-4.7",
    )
    assert SEED_CHAIR == "anthropic/claude-opus-4.6"


@pytest.mark.parametrize(
    ("entry", "keys"),
    [
        (Stage1Entry, {"model", "response", "usage", "provider"}),
        (Stage2Entry, {"model", "ranking", "parsed_ranking"}),
        (Stage3Entry, {"model", "response", "usage"}),
        (CouncilMetadata, {"label_to_model", "aggregate_rankings"}),
        (AggregateRank, {"model", "average_rank", "votes"}),
    ],
)
def test_response_structure_has_the_keys_of_the_seed(entry: type[BaseModel], keys: set[str]) -> None:
    """An entry has the seed's keys and no other; the vote count is the one that "Aggregate Rankings" adds."""
    assert set(entry.model_fields) == keys


def test_the_result_leads_with_the_structure_of_the_seed() -> None:
    """The four parts of the seed are at the top of the result, under its names."""
    assert list(CouncilResult.model_fields)[:4] == ["stage1", "stage2", "stage3", "metadata"]


@pytest.mark.parametrize("question", ["", " \n\t"])
def test_a_question_states_something(question: str) -> None:
    """A blank question is refused before anything is paid."""
    with pytest.raises(ValidationError):
        council_input(question=question)


def test_an_input_survives_the_wire() -> None:
    """What a run starts with is the value that was sent."""
    inp = council_input(final_only=True, queues={"openrouter": "models-openrouter"})
    assert CouncilInput.model_validate_json(inp.model_dump_json()) == inp
