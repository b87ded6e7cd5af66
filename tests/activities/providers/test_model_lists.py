from collections.abc import AsyncIterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from activities.providers.catalogue import BUILT_IN, Provider
from activities.providers.listed_models import ListedModel, ModelList
from activities.providers.model_lists import ModelListError, fetch_model_list, list_url
from parley.panel_files import shipped_panels
from protocols.panel import name_of, route
from rehearsal.api.server import Rehearsal
from rehearsal.faults.script import ModelLists, Script
from tests.fakes.calls import provider

FAULTS = {
    "status-500": "HTTP status 500",
    "html": "a web page in place of a list",
    "not-json": "something that is no JSON in place of a list",
    "empty": "an empty list",
    "wants-key": "its list wants a key",
    "stall": "no answer within 0.5 s",
}


@pytest.fixture
async def stage() -> AsyncIterator[Rehearsal]:
    """A running rehearsal server."""
    async with Rehearsal(seed=7) as running:
        yield running


def at(stage: Rehearsal, dialect: str, path: str) -> Provider:
    """A provider of that dialect whose API the rehearsal server plays."""
    return provider(name=dialect, dialect=dialect, base_url=f"{stage.url}{path}")


def answering(**said: Any) -> httpx.MockTransport:
    """A provider that answers every request so."""
    return httpx.MockTransport(lambda _request: httpx.Response(said.pop("status", 200), **said))


def rows(*models: dict[str, Any]) -> httpx.MockTransport:
    """A provider whose list has these entries."""
    return answering(json={"data": list(models)})


async def test_openrouters_list_states_price_context_form_and_retirement(stage: Rehearsal) -> None:
    """Every field of a model that a panel is judged by is read from OpenRouter's list."""
    found = await fetch_model_list(at(stage, "openrouter", "/openrouter/api/v1"))
    told = ListedModel(context_tokens=131_072, input_usd=1.0, output_usd=4.0, structured_output=True, json_schema=True)
    assert told == found.find("anthropic/claude-opus-4.6")
    assert told.model_copy(update={"expires": date(2025, 1, 31)}) == found.find("rehearsal/retired")
    assert found.find("maker/nothing") is None


async def test_cerebras_is_asked_for_its_public_list(stage: Rehearsal) -> None:
    """Cerebras shows the public, without a key, what its own list shows key holders only."""
    found = await fetch_model_list(at(stage, "cerebras", "/cerebras/v1"))
    model = found.find("gpt-oss-120b")
    assert model is not None
    assert (131_072, 1.0) == (model.context_tokens, model.input_usd)
    cerebras = next(one for one in BUILT_IN if one.name == "cerebras")
    assert "https://api.cerebras.ai/public/v1/models?format=openrouter" == list_url(cerebras)


async def test_a_plain_list_has_names_alone(stage: Rehearsal) -> None:
    """Ollama and others list ids; what they do not say is unknown."""
    found = await fetch_model_list(at(stage, "generic", "/generic/v1"))
    assert ListedModel() == found.find("gpt-oss-120b")


async def test_the_rehearsal_lists_every_model_of_the_shipped_panels(stage: Rehearsal) -> None:
    """Who rehearses the check of a shipped panel finds its models, as at the provider."""
    found = await fetch_model_list(at(stage, "openrouter", "/openrouter/api/v1"))
    names = [shipped_panels().panel(panel).unique_models() for panel in ("default", "small")]
    assert all(found.find(name_of(route(model))) for models in names for model in models)


@pytest.mark.parametrize(("fault", "said"), FAULTS.items())
async def test_a_list_that_cannot_be_had_is_an_error_with_its_cause(stage: Rehearsal, fault: Any, said: str) -> None:
    """Whatever comes in place of a list, and if nothing comes, the cause is one clause without an address."""
    stage.perform(Script(lists=ModelLists(fault=fault)))
    seconds = 0.5 if fault == "stall" else 30
    with pytest.raises(ModelListError, match=said) as refused:
        await fetch_model_list(at(stage, "openrouter", "/openrouter/api/v1"), seconds=seconds)
    assert "127.0.0.1" not in str(refused.value)


async def test_a_provider_that_is_not_there_is_an_error() -> None:
    """A refused connection is an error like the others, and nothing is tried again."""
    asked: list[httpx.Request] = []

    def refuse(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        raise httpx.ConnectError("refused")

    with pytest.raises(ModelListError, match="no connection"):
        await fetch_model_list(provider(), transport=httpx.MockTransport(refuse))
    assert 1 == len(asked)


async def test_certificates_that_cannot_be_read_are_an_error_like_the_others(tmp_path: Path) -> None:
    """A file of certificates that is absent or none keeps nothing from being started: it is why there is no list."""
    (tmp_path / "none.pem").write_text("no certificate")
    for name in ("none.pem", "absent.pem"):
        with pytest.raises(ModelListError, match="SSL_CERT_FILE"):
            await fetch_model_list(provider(), certificates=str(tmp_path / name))


async def test_no_key_is_sent_and_no_redirect_followed() -> None:
    """The question carries no key, whatever the provider wants for chat, and stays at the provider's address."""
    asked: list[httpx.Request] = []

    def elsewhere(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        return httpx.Response(302, headers={"Location": "https://evil.example/models"})

    with pytest.raises(ModelListError, match="HTTP status 302"):
        await fetch_model_list(provider(), transport=httpx.MockTransport(elsewhere))
    assert 1 == len(asked)
    assert "authorization" not in asked[0].headers


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({"pricing": {"prompt": "-1", "completion": "-1"}}, ListedModel()),
        ({"pricing": {"prompt": "free", "completion": None}}, ListedModel()),
        ({"pricing": {"prompt": "0", "completion": 0}}, ListedModel(input_usd=0.0, output_usd=0.0)),
        ({"pricing": [], "context_length": -5, "expiration_date": "soon"}, ListedModel()),
        ({"context_length": True, "supported_parameters": "all"}, ListedModel()),
        (
            {"max_model_len": 4096, "supported_parameters": []},
            ListedModel(context_tokens=4096, structured_output=False, json_schema=False),
        ),
        (
            {"supported_parameters": ["response_format", "structured_outputs"]},
            ListedModel(structured_output=True, json_schema=True),
        ),
        ({"pricing": {"prompt": "1e999"}}, ListedModel()),
        ({"expiration_date": "2026-12-31T00:00:00Z"}, ListedModel(expires=date(2026, 12, 31))),
    ],
)
async def test_what_a_list_states_oddly_is_unknown(row: dict[str, Any], expected: ListedModel) -> None:
    """A router's price of -1, words for numbers and absent fields leave the field unknown and the model listed."""
    found = await fetch_model_list(provider(), transport=rows({"id": "maker/one", **row}))
    assert expected == found.find("maker/one")


async def test_entries_without_a_name_are_passed_over() -> None:
    """An entry that names no model is no model; the others count."""
    found = await fetch_model_list(provider(), transport=rows({"id": 5}, {"id": ""}, {"id": "x" * 300}, {"id": "a/b"}))
    assert ["a/b"] == list(found.models)


async def test_a_list_beyond_every_measure_is_refused() -> None:
    """A body that does not end is not read to its end."""
    with pytest.raises(ModelListError, match="more than 16 MB"):
        await fetch_model_list(provider(), transport=answering(content=b" " * 16_000_001))


@pytest.mark.parametrize(("asked", "is_there"), [("a/b:nitro", True), ("a/b:free", False), ("a/b:floor", True)])
def test_an_ending_that_only_routes_is_no_other_model(asked: str, is_there: bool) -> None:
    """``:nitro`` and its like are ways to one listed model; ``:free`` is a model of its own."""
    assert is_there is (listing("a/b").find(asked) is not None)


def listing(*names: str, base_url: str = "https://lab.example/v1", day: int = 1) -> ModelList:
    """A list of these models, read on a day of January."""
    read_at = datetime(2026, 1, day, tzinfo=UTC)
    return ModelList(provider="lab", base_url=base_url, read_at=read_at, models=dict.fromkeys(names, ListedModel()))


def test_models_that_are_listed_no_more_are_remembered_with_the_day() -> None:
    """What an earlier list of the same address had is gone since the day it was missed, until it comes back."""
    second = listing("a", day=2).succeeding(listing("a", "b"))
    third = listing("a", "c", day=3).succeeding(second)
    assert {"b": date(2026, 1, 2)} == second.gone == third.gone
    assert {} == listing("a", "b", "c", day=4).succeeding(third).gone
    assert {} == listing("a", base_url="https://other.example/v1").succeeding(third).gone
