"""Which models take a JSON schema, and what a refusal teaches."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from activities.providers.catalogue import BUILT_IN, load_catalogue
from activities.providers.credentials import scrubber
from activities.providers.error_responses import ErrorContext, error_of, read_error_body
from activities.providers.errors import ProviderError
from activities.providers.listed_models import ListedModel, ModelList, lists_folder
from activities.providers.structured_output import Capability, StructuredOutput
from protocols.model_call import ModelId
from tests.fakes.calls import provider

OPENROUTER, CEREBRAS, OLLAMA = BUILT_IN
SMALL, LARGE = ModelId("lab:small"), ModelId("lab:large")

REFUSALS: list[tuple[int, Any]] = [
    (400, {"error": {"message": "Unsupported parameter", "param": "response_format", "type": "invalid_request_error"}}),
    (400, {"error": {"message": "Invalid schema for response_format 'ballot'", "type": "invalid_request_error"}}),
    (400, {"message": "response_format of type json_schema", "param": "response_format", "code": "wrong_api_format"}),
    (400, {"error": {"code": 400, "message": "Failed to initialize samplers: failed to parse grammar"}}),
    (400, {"object": "error", "message": "guided decoding is not available", "type": "BadRequestError", "code": 400}),
    (
        400,
        {"error": {"message": "Provider returned error", "code": 400, "metadata": {"raw": "x" * 500 + "json_schema"}}},
    ),
    (404, {"error": {"message": "No endpoints found that can handle the requested parameters.", "code": 404}}),
    (400, {"error": {"message": "Failed to generate JSON.", "code": "json_validate_failed"}}),
    (400, {"error": "'response_format.type' must be 'text'"}),
    (422, {"detail": "response_format: extra fields not permitted"}),
    (500, {"error": {"message": "structured outputs need a grammar backend", "type": "api_error"}}),
]
OTHERS: list[tuple[int, Any]] = [
    (400, {"error": {"message": "Please reduce the length of the messages.", "code": "context_length_exceeded"}}),
    (400, {"error": {"message": "temperature must be at most 2", "param": "temperature"}}),
    (401, {"error": {"message": "response_format needs a key"}}),
    (404, {"error": {"message": "No endpoints found for a/b.", "code": 404}}),
    (429, {"error": {"message": "too many json_schema requests"}}),
]


def listing(home: Path, name: str, base_url: str, **models: bool | None) -> None:
    """Keep a list of ``models`` in ``home``, each with whether it takes a schema."""
    kept = ModelList(
        provider=name,
        base_url=base_url,
        read_at=datetime(2026, 5, 1, tzinfo=UTC),
        models={model: ListedModel(json_schema=has_schema) for model, has_schema in models.items()},
    )
    lists_folder(home).mkdir(exist_ok=True)
    (lists_folder(home) / f"{name}.json").write_text(kept.model_dump_json())


def refusal(status: int, body: Any) -> ProviderError:
    """The error that a provider's ``body`` means."""
    at = ErrorContext("lab", status, {}, datetime(2026, 5, 1, tzinfo=UTC), scrubber(None))
    return error_of(read_error_body(body), at)


def test_what_is_unknown_is_off() -> None:
    """No schema is sent to an endpoint of which no one said that it takes one."""
    known = StructuredOutput()
    assert Capability(has_schema=False, known_from="nothing") == known.of(provider(), SMALL)
    assert not known.of(OPENROUTER, ModelId("openrouter:a/b")).has_schema


def test_cerebras_and_ollama_take_a_schema() -> None:
    """Two kinds of provider are known to take a schema, whatever the model."""
    known = StructuredOutput()
    assert "kind of provider" == known.of(CEREBRAS, ModelId("cerebras:gpt-oss-120b")).known_from
    assert known.of(OLLAMA, ModelId("ollama:qwen3")).has_schema


def test_the_providers_file_states_it_for_all_models_and_for_single_ones(tmp_path: Path) -> None:
    """A single model's line counts before the provider's, and the first pattern that fits before the others."""
    file = tmp_path / "providers.toml"
    file.write_text(
        '[providers.lab]\nbase_url = "https://lab.example/v1"\nstructured_output = true\n'
        'structured_output_models = { "small-2" = true, "small*" = false }\n'
        '[providers.cerebras]\nbase_url = "https://api.cerebras.ai/v1"\ndialect = "cerebras"\n'
        "structured_output = false\n"
    )
    named, known = load_catalogue(file, None).providers, StructuredOutput()
    told = {name: known.of(named["lab"], ModelId(f"lab:{name}")).has_schema for name in ("large", "small", "small-2")}
    assert {"large": True, "small": False, "small-2": True} == told
    assert not known.of(named["cerebras"], ModelId("cerebras:gpt-oss-120b")).has_schema


def test_the_kept_list_decides_where_no_person_did(tmp_path: Path) -> None:
    """OpenRouter's list says which models take a schema; what it does not say stays unknown."""
    listing(tmp_path, "openrouter", OPENROUTER.base_url, **{"a/yes": True, "a/no": False, "a/silent": None})
    known = StructuredOutput.kept_in(tmp_path)
    told = [known.of(OPENROUTER, ModelId(f"openrouter:a/{name}")) for name in ("yes", "yes:free", "no", "silent")]
    assert [(True, "model list"), (False, "nothing"), (False, "model list"), (False, "nothing")] == told


def test_a_list_is_read_again_when_it_was_renewed(tmp_path: Path) -> None:
    """A worker that runs for weeks follows the lists; one of another address says nothing."""
    known = StructuredOutput.kept_in(tmp_path)
    lab = provider()
    before = known.of(lab, SMALL).has_schema
    listing(tmp_path, "lab", lab.base_url, small=True)
    renewed = known.of(lab, SMALL).has_schema
    assert [False, True] == [before, renewed]
    assert not known.of(provider(base_url="http://127.0.0.1:8/v1"), SMALL).has_schema


def test_a_list_that_cannot_be_read_states_nothing(tmp_path: Path) -> None:
    """A ruined file is as good as none."""
    lists_folder(tmp_path).mkdir()
    (lists_folder(tmp_path) / "lab.json").write_text("{")
    assert "nothing" == StructuredOutput.kept_in(tmp_path).of(provider(), SMALL).known_from


@pytest.mark.parametrize(("status", "body"), REFUSALS, ids=lambda value: json.dumps(value)[:40])
def test_a_refusal_of_the_schema_is_learned(status: int, body: Any) -> None:
    """In whatever words an endpoint refuses the schema, no other is sent to that model, and others keep theirs."""
    lab, known = provider(structured_output=True), StructuredOutput()
    assert known.learn(lab, SMALL, refusal(status, body))
    assert "refused" == known.of(lab, SMALL).known_from
    assert known.of(lab, LARGE).has_schema


@pytest.mark.parametrize(("status", "body"), OTHERS, ids=lambda value: json.dumps(value)[:40])
def test_another_error_teaches_nothing(status: int, body: Any) -> None:
    """A prompt that is too long, a key that is missing or a limit says nothing about schemas."""
    lab, known = provider(structured_output=True), StructuredOutput()
    assert not known.learn(lab, SMALL, refusal(status, body))
    assert known.of(lab, SMALL).has_schema
