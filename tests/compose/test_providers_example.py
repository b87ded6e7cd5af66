"""The example of a providers file is one: it is read as the worker reads it."""

import os
import re
import tomllib

import pytest

from activities.providers.catalogue import BUILT_IN, Catalogue, _Entry, load_catalogue
from runtime.settings import Settings
from tests.compose.stack import ROOT

EXAMPLE = ROOT / "providers.example.toml"


@pytest.fixture
def catalogue() -> Catalogue:
    """What the example makes of the built-in providers."""
    return load_catalogue(EXAMPLE, None)


def test_the_example_can_be_used_as_it_is(catalogue: Catalogue) -> None:
    """Every table of the example becomes a provider, beside the built-in ones."""
    written = tomllib.loads(EXAMPLE.read_text("utf-8"))["providers"]

    assert set(catalogue.providers) == {*written, *(provider.name for provider in BUILT_IN)}


def test_the_example_shows_every_field() -> None:
    """A reader who looks for a field finds it in the example."""
    written = tomllib.loads(EXAMPLE.read_text("utf-8"))["providers"].values()

    assert {field for table in written for field in table} == set(_Entry.model_fields)


def test_a_replaced_provider_keeps_its_styles(catalogue: Catalogue) -> None:
    """The example's table for a built-in provider changes its rate and nothing else."""
    built_in = next(provider for provider in BUILT_IN if provider.name == "cerebras")

    assert catalogue.providers["cerebras"] == built_in.model_copy(update={"requests_per_second": 0.5})


def test_a_limited_provider_has_a_queue_of_its_own(catalogue: Catalogue) -> None:
    """What the example limits for all workers together waits on a queue that the server can limit."""
    assert catalogue.queues() == {"lab": "models.lab", "cerebras": "models.cerebras"}


def test_the_stack_s_own_file_adds_nothing() -> None:
    """Without a file of one's own the stack has the built-in providers."""
    assert load_catalogue(ROOT / "deploy" / "providers.toml", None) == load_catalogue(None, None)


def test_the_example_is_not_read_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """An example is copied before it is read: lying there it changes nothing."""
    monkeypatch.chdir(ROOT)
    monkeypatch.delenv("PARLEY_PROVIDERS_FILE", raising=False)

    assert Settings().providers_file != EXAMPLE


def test_the_example_names_variables_and_holds_no_key() -> None:
    """Keys are in the environment; nothing in the example looks like one."""
    text = EXAMPLE.read_text("utf-8")

    assert not re.search(r"(?i)\b(?:sk|csk|key|hf)[-_][\w-]{8,}", re.sub(r"\b\w+_(?:API_KEY|variable)\b", "", text))
    assert "LAB_API_KEY" not in os.environ
